import BluetoothProtocols
import PeatDissection
import PeatProtocol
import PeatTimeline
import WireBytes

/// The answers on top of a page: each a question, a word, a sentence and where the evidence is.
struct ReportAnswers {
  /// The word; the raw value also chooses the colour.
  enum Verdict: String {
    case no = "No"
    case look = "Look"
    case limit = "Limit"
    case yes = "Yes"
    /// A "no" that is nothing bad.
    case none = "None"
  }

  struct Card {
    var question: String
    var verdict: Verdict
    var title: String
    var text: String
    var link: String
  }

  /// Lines of one answer, and emergencies that it tells in full.
  private static let limit = 6
  private static let emergencyLimit = 2

  private let input: ReportInput
  private let nodes: ReportNodes
  private(set) var cards: [Card] = []

  init(_ input: ReportInput, _ nodes: ReportNodes) {
    self.input = input
    self.nodes = nodes
    guard input.timeline.messages > 0 else {
      cards = [empty] + [findings].compactMap { $0 }
      return
    }
    var found = emergencies
    if let spread { found.append(spread) }
    if let findings { found.append(findings) }
    if let links { found.append(links) }
    if let unopened { found.append(unopened) }
    if let unheard { found.append(unheard) }
    // Failures first; of one kind in the order above.
    let order: [Verdict] = [.no, .look, .yes, .none, .limit]
    cards = Array(
      order.flatMap { verdict in found.filter { $0.verdict == verdict } }
        .prefix(ReportAnswers.limit))
  }

  private var empty: Card {
    let reasons = input.files.compactMap { file in
      file.silence.map { input.files.count == 1 ? $0 : "\(file.name): \($0)" }
    }
    let text = ReportText.cut(reasons.prefix(4).joined(separator: "; "), to: 600)
    return Card(
      question: "What did the mesh do?", verdict: .limit, title: "No Peat message was found",
      text: text.isEmpty ? "Nothing can be said of the mesh." : sentence(text), link: "#capture")
  }

  // MARK: - Emergencies

  private var emergencies: [Card] {
    guard !input.stories.isEmpty else {
      if input.heard.isEmpty { return [] }
      return [
        Card(
          question: "Was an alert raised?", verdict: .none, title: "No emergency was seen",
          text: "\(SpanText.counted(input.timeline.messages, "message")) of "
            + "\(SpanText.counted(nodes.heard, "node")) carry none.", link: "#timeline")
      ]
    }
    var cards: [Card] = []
    let numbered = Array(input.stories.enumerated())
    let open = numbered.filter { !$0.element.isAckedByAll }
    for (place, story) in open.prefix(ReportAnswers.emergencyLimit) {
      cards.append(unacked(story, number: place + 1))
    }
    if open.count > ReportAnswers.emergencyLimit,
      let next = open.dropFirst(ReportAnswers.emergencyLimit).first
    {
      cards.append(
        Card(
          question: "Did the alerts get through?", verdict: .no,
          title: "\(open.count - ReportAnswers.emergencyLimit) more emergencies were not "
            + "acknowledged by all",
          text: "The page lists each of them.", link: "#emergency=\(next.offset + 1)"))
    }
    let fine = numbered.filter { $0.element.isAckedByAll }
    if !fine.isEmpty { cards.append(acked(fine.map { ($0.offset + 1, $0.element) })) }
    return cards
  }

  private func unacked(_ story: EmergencyStory, number: Int) -> Card {
    let source = input.name(story.identity.source)
    let lacking = story.audience.filter { $0.outcome != .acked }
    let known = lacking.filter { $0.outcome != .unknown }
    let isKnown = !known.isEmpty || story.dropRule != nil
    let shown = known.isEmpty ? lacking : known
    let names = list(shown.map { input.name($0.node) })
    var title: String
    if let rule = story.dropRule, known.isEmpty {
      title = "Every receiver drops the alert of \(source): \(rule)"
    } else if known.isEmpty {
      title = "Whether \(names) got the alert of \(source) cannot be seen"
    } else if known.allSatisfy({ $0.outcome == .notReached }) {
      title = "\(names) did not get the alert of \(source)"
    } else if known.allSatisfy({ $0.outcome == .carried }) {
      title = "\(names) did not acknowledge the alert of \(source)"
    } else {
      title = "\(names) did not get or acknowledge the alert of \(source)"
    }
    var sentences = shown.prefix(2).compactMap { input.words.text($0, story) }.map(sentence)
    if shown.count > 2 {
      sentences.append("\(shown.count - 2) more \(shown.count == 3 ? "is" : "are") listed below.")
    }
    let unknown = lacking.count - known.count
    if !known.isEmpty, unknown > 0 {
      sentences.append("Of \(SpanText.counted(unknown, "node")) more it cannot be seen.")
    }
    sentences.append(figures(story))
    return Card(
      question: "Did the alert get through?", verdict: isKnown ? .no : .limit,
      title: ReportText.cut(title, to: 240),
      text: ReportText.cut(sentences.joined(separator: " "), to: 900),
      link: "#emergency=\(number)")
  }

  private func figures(_ story: EmergencyStory) -> String {
    var text = "\(story.ackedCount) of \(story.audience.count) acknowledged it"
    if story.ackedCount > 1, let raised = story.raised, let last = story.lastAck {
      text +=
        ", the last after \(EmergencyWords.seconds(max(0, last.nanoseconds(since: raised)))) s"
    }
    return text + "."
  }

  private func acked(_ stories: [(number: Int, story: EmergencyStory)]) -> Card {
    var text = ""
    var heard = 0
    for (_, story) in stories.prefix(3) {
      let last = story.nodes.max {
        ($0.acked?.sighted.time?.nanoseconds ?? .min)
          < ($1.acked?.sighted.time?.nanoseconds ?? .min)
      }
      if let raised = story.raised, let time = story.lastAck {
        text +=
          stories.count > 1 ? "That of \(input.name(story.identity.source)): after " : "After "
        text += "\(EmergencyWords.seconds(max(0, time.nanoseconds(since: raised)))) s"
        if let last { text += "; the last was \(input.name(last.node))" }
        text += ". "
      }
      heard = story.audience.count { $0.carried != nil }
    }
    let audience = stories.last?.story.audience.count ?? 0
    if heard < audience {
      text +=
        "\(heard) of \(audience) were themselves heard to carry it; of the others, documents of "
        + "others show the acknowledgement."
    }
    let count = stories.count
    let title =
      count == 1
      ? "All \(audience) nodes that it names acknowledged the alert of "
        + input.name(stories[0].story.identity.source)
      : count == 2
        ? "Both emergencies were acknowledged by all nodes that they name"
        : "\(count) emergencies were acknowledged by all nodes that they name"
    return Card(
      question: count == 1 ? "Did the alert get through?" : "Did the alerts get through?",
      verdict: .yes, title: title, text: text, link: "#emergency=\(stories[0].number)")
  }

  // MARK: - The rest

  private var spread: Card? {
    let report = input.convergence
    let told = report.complete + report.partial
    guard told > 0 else { return nil }
    var text = "\(report.partial) did not"
    if report.alone > 0 { text += ", \(report.alone) more came before any other node was heard" }
    text += "."
    if let delay = report.delay {
      text +=
        " A node knows one after \(SpanText.text(delay.median)) (median), 95% within "
        + "\(SpanText.text(delay.p95)); the slowest took \(SpanText.text(delay.worst))."
    }
    let verdict: Verdict =
      report.partial == 0 ? .yes : report.partial * 10 < told ? .look : .no
    return Card(
      question: "Did updates reach every node heard?", verdict: verdict,
      title: "\(report.complete) of \(told) updates became known to every node heard by then",
      text: text, link: "#spread")
  }

  private var findings: Card? {
    let report = input.findings
    let items = report.items
    guard let worst = items.first else {
      guard input.timeline.messages > 0 else { return nil }
      return Card(
        question: "Is anything wrong?", verdict: .none, title: "No finding",
        text: "The check of protocol, links and state has nothing to tell.", link: "#findings")
    }
    let counts = [Severity.error, .warning, .note].compactMap { severity -> String? in
      let count = report.count(severity)
      return count == 0 ? nil : SpanText.counted(count, severity.rawValue)
    }
    let entry = FindingTable.entry(of: worst.code)
    let verdict: Verdict = worst.code.severity == .note ? .yes : .look
    return Card(
      question: worst.code.severity == .note ? "Is the mesh sound?" : "Is anything wrong?",
      verdict: verdict, title: counts.joined(separator: ", "),
      text: "The gravest: \(entry.text). \(entry.advice)", link: "#findings")
  }

  private var links: Card? {
    let lost = input.links.filter { entry in
      guard let end = entry.facts.end else { return false }
      return end.name == "connection_timeout"
    }
    guard !lost.isEmpty else { return nil }
    let peers = Set(
      lost.map { entry in
        entry.peerNode.map(input.name) ?? entry.facts.link.peer?.description ?? "an unknown device"
      })
    return Card(
      question: "Did the links hold?", verdict: .look,
      title: "\(lost.count) of \(SpanText.counted(input.links.count, "link")) broke by a timeout",
      text: "The other end fell silent: \(list(peers.sorted())). Look at range and power there.",
      link: "#links")
  }

  private var unopened: Card? {
    let count = input.timeline.unopened
    guard count > 0 else { return nil }
    return Card(
      question: "What could not be seen?", verdict: .limit,
      title: "\(count) of \(SpanText.counted(input.timeline.messages, "message")) stayed encrypted",
      text: "Their content is unknown: what they carry counts nowhere on this page. Keys are given "
        + "with --keys, or --mesh and --secret.", link: "#timeline")
  }

  private var unheard: Card? {
    let unheard = nodes.ids.dropFirst(nodes.heard)
    guard !unheard.isEmpty, nodes.heard > 0 else { return nil }
    let captures = input.files.count
    return Card(
      question: "What could not be seen?", verdict: .limit,
      title: unheard.count == 1
        ? "1 of \(nodes.ids.count) nodes was never heard itself"
        : "\(unheard.count) of \(nodes.ids.count) nodes were never heard themselves",
      text: "Of \(list(unheard.map(input.name))) only others' documents tell. "
        + (captures == 1
          ? "This is one capture: add those of other nodes to see more."
          : "None of the \(captures) captures heard \(unheard.count == 1 ? "it" : "them")."),
      link: "#nodes")
  }

  private func list(_ names: [String]) -> String {
    let shown = names.prefix(4)
    if names.count > shown.count {
      return shown.joined(separator: ", ") + " and \(names.count - shown.count) more"
    }
    guard let last = shown.last, shown.count > 1 else { return shown.first ?? "nobody" }
    return shown.dropLast().joined(separator: ", ") + " and " + last
  }

  private func sentence(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst() + (text.hasSuffix(".") ? "" : ".")
  }
}
