import BluetoothProtocols
import PeatDissection
import PeatProtocol
package import WireBytes

/// What only emergencies, links and nodes of a whole run show.
package struct StoryRules {
  /// Nanoseconds in which a life is short, in which short lives are flapping, and of a silence.
  private static let shortLife: Int64 = 15_000_000_000
  private static let flappingSpan: Int64 = 120_000_000_000
  private static let silence: Int64 = 30_000_000_000
  /// Lives that are flapping, and documents one way that say something of the other.
  private static let flappingLives = 3
  private static let oneWayDocuments = 3
  /// Ways of dropping documents that are named of one receiver.
  private static let dropLimit = 4
  private static let lowBattery: UInt8 = 20

  private let log: EmergencyLog
  private let links: [LinkEntry]
  private let ends: EndNodes
  private let words: EmergencyWords
  /// The last packet of all captures.
  private let end: Timestamp?

  package init(
    _ log: EmergencyLog, links: LinkReport, ends: EndNodes, words: EmergencyWords, end: Timestamp?
  ) {
    self.log = log
    self.links = links.links
    self.ends = ends
    self.words = words
    self.end = end
  }

  /// All findings, each with its capture.
  package func findings(
    _ stories: [EmergencyStory]
  ) -> [(finding: EndFinding, file: String)] {
    var found: [(finding: EndFinding, file: String)] = []
    for story in stories { emergency(story, &found) }
    nodes(&found)
    for entry in links { link(entry, &found) }
    return found
  }

  private func name(_ node: NodeID) -> String { words.shortName(node) }

  // MARK: - Emergencies

  private func emergency(
    _ story: EmergencyStory, _ found: inout [(finding: EndFinding, file: String)]
  ) {
    let of = "emergency of \(name(story.identity.source)): "
    for node in story.audience {
      guard let evidence = node.evidence, let text = words.text(node, story) else { continue }
      let code: FindingCode
      switch (node.outcome, evidence.reason) {
      case (.carried, .noAck): code = .emergencyNotAcked
      case (.notReached, _): code = .emergencyNotSeen
      case (.unknown, _): code = .emergencyUnknown
      // It was cleared there, or gave way to a later one: somebody knew of it.
      case (.carried, _), (.acked, _): continue
      }
      found.append(
        (
          EndFinding(
            code, of + text, node: node.node,
            frames: evidence.frames.isEmpty ? [story.firstSeen.frame] : evidence.frames,
            time: node.carried?.time ?? evidence.from ?? story.firstSeen.time),
          evidence.file ?? story.firstSeen.file
        ))
    }
    for (node, gap) in story.downs {
      var text = of + "the link to \(name(node)) was down from \(words.time(gap.from))"
      text += gap.until.map { " to \(words.time($0))" } ?? " on"
      if let end = gap.end { text += " (\(end.words))" }
      found.append(
        (
          EndFinding(.emergencyLinkDown, text, node: node, frames: gap.frames, time: gap.from),
          gap.file
        ))
    }
  }

  // MARK: - Nodes

  private func nodes(_ found: inout [(finding: EndFinding, file: String)]) {
    for (node, track) in log.tracks.sorted(by: { $0.key < $1.key }) {
      silent(node, track, &found)
      if track.battery > 0, track.battery <= StoryRules.lowBattery {
        found.append(
          (
            EndFinding(
              .batteryLow, "\(name(node))'s battery was at \(track.battery) percent at the end",
              node: node, frames: [track.last.frame], time: track.last.time), track.last.file
          ))
      }
      drops(node, track, &found)
    }
    let hearsay = log.named.filter { !log.isHeard($0) && $0.rawValue != 0 }.sorted()
    guard let first = log.tracks.values.map(\.first).min(by: Sighted.isBefore), !hearsay.isEmpty
    else { return }
    let names = hearsay.prefix(8).map(name).joined(separator: ", ")
    let more = hearsay.count > 8 ? " and \(hearsay.count - 8) more" : ""
    found.append(
      (
        EndFinding(
          .hearsayNode, "\(names)\(more): none of their own documents was recorded",
          frames: [first.frame], time: first.time), first.file
      ))
  }

  /// What each receiver drops or misreads of a node's documents: one finding, however many ways.
  private func drops(
    _ node: NodeID, _ track: EmergencyLog.Track,
    _ found: inout [(finding: EndFinding, file: String)]
  ) {
    for receiver in Receiver.allCases {
      let drops = track.drops.filter { $0.note.receiver == receiver && isLoss($0.note) }
        .enumerated()
        .sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }.map(\.element)
      guard let most = drops.first, let first = drops.map(\.first).min(by: Sighted.isBefore) else {
        continue
      }
      let count = drops.reduce(0) { $0 + $1.count }
      var text = "\(receiver.name) "
      if drops.count == 1 {
        text += "\(most.note.text): \(count) of \(track.count) documents of \(name(node))"
      } else {
        text += "drops or misreads \(count) of \(track.count) documents of \(name(node)): "
        text += drops.prefix(StoryRules.dropLimit).map { "\($0.note.text) (\($0.count))" }
          .joined(separator: ", ")
        if drops.count > StoryRules.dropLimit {
          let more = drops.count - StoryRules.dropLimit
          text += ", and \(more) way\(more == 1 ? "" : "s") more"
        }
      }
      found.append(
        (
          EndFinding(
            .receiverDrops, text, node: node, frames: drops.prefix(16).map(\.first.frame),
            time: first.time), first.file
        ))
    }
  }

  /// What is taken as it was meant, if by another way, is no loss.
  private func isLoss(_ note: ReceiverNote) -> Bool {
    note.isLoss || note.text.contains("misreads")
  }

  /// A node that spoke in a rhythm and then no more.
  private func silent(
    _ node: NodeID, _ track: EmergencyLog.Track,
    _ found: inout [(finding: EndFinding, file: String)]
  ) {
    guard track.count >= 6, let first = track.first.time, let last = track.last.time, let end,
      last > first
    else { return }
    let period = last.nanoseconds(since: first) / Int64(track.count - 1)
    let silence = end.nanoseconds(since: last)
    let (limit, overflow) = period.multipliedReportingOverflow(by: 5)
    guard !overflow, silence > max(limit, StoryRules.silence) else { return }
    found.append(
      (
        EndFinding(
          .nodeSilent,
          "\(name(node)) was not heard in the last \(ClockWatch.seconds(silence)) s; before, it was "
            + "heard every \(ClockWatch.seconds(period)) s",
          node: node, frames: [track.last.frame], time: last), track.last.file
      ))
  }

  // MARK: - Links

  private func link(
    _ entry: LinkEntry, _ found: inout [(finding: EndFinding, file: String)]
  ) {
    flapping(entry, &found)
    guard let opened = entry.facts.opened, let closed = entry.facts.closed,
      closed.nanoseconds(since: opened) > StoryRules.silence
    else { return }
    let link = entry.facts.link.id
    let sent = ends.traffic(link: link, isLocal: true)
    let received = ends.traffic(link: link, isLocal: false)
    guard (sent == nil) != (received == nil), let only = sent ?? received,
      only.documents >= StoryRules.oneWayDocuments
    else { return }
    let silentNode = sent == nil ? entry.localNode : entry.peerNode
    let address = sent == nil ? entry.facts.link.local : entry.facts.link.peer
    let silent = silentNode.map(name) ?? address.map { "\($0)" } ?? "the other end"
    found.append(
      (
        EndFinding(
          .oneWayLink,
          "\(name(only.first.author)) sent \(only.documents) documents to \(silent), and none came "
            + "back over this link",
          link: link, frames: [only.first.frame, only.last.frame], time: only.first.time),
        entry.file
      ))
  }

  private func flapping(
    _ entry: LinkEntry, _ found: inout [(finding: EndFinding, file: String)]
  ) {
    // Told once, with the last of the lives.
    guard entry.lives.last?.link == entry.facts.link.id else { return }
    let short = entry.lives.filter { life in
      guard let up = life.up, let down = life.down else { return false }
      return down.nanoseconds(since: up) < StoryRules.shortLife
    }
    guard short.count >= StoryRules.flappingLives else { return }
    for place in 0...(short.count - StoryRules.flappingLives) {
      let first = short[place]
      let last = short[place + StoryRules.flappingLives - 1]
      guard let from = first.up, let until = last.down,
        until.nanoseconds(since: from) < StoryRules.flappingSpan
      else { continue }
      let peer =
        entry.peerNode.map(name) ?? entry.facts.link.peer.map { "\($0)" } ?? "an unknown device"
      found.append(
        (
          EndFinding(
            .linkFlapping,
            "\(peer) connected \(short.count) times for less than "
              + "\(StoryRules.shortLife / 1_000_000_000) s each"
              + (last.end.map { ", the last ended by \($0.words)" } ?? ""),
            node: entry.peerNode, link: entry.peerNode == nil ? last.link : nil,
            frames: short.map(\.upFrame), time: from), entry.file
        ))
      return
    }
  }
}
