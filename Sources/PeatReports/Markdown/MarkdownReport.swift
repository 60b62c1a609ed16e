import BluetoothProtocols
import PeatDissection
package import PeatProtocol
import PeatReplay
package import PeatTimeline
package import WireBytes

/// What commands answer as Markdown for a ticket; times are UTC (cli.md, "Markdown").
package struct MarkdownReport {
  private let callsign: (NodeID) -> String?
  private let hasSeveralFiles: Bool

  package init(hasSeveralFiles: Bool, callsign: @escaping (NodeID) -> String?) {
    self.hasSeveralFiles = hasSeveralFiles
    self.callsign = callsign
  }

  private func name(_ node: NodeID) -> String {
    callsign(node).flatMap { $0.isEmpty ? nil : $0 } ?? "\(node)"
  }

  private func line(_ content: String, to text: inout OutputText) {
    text.append(raw: content + "\n\n")
  }

  // MARK: - Emergencies

  /// Appends every emergency with a row a node and the reasons.
  package func append(_ stories: [EmergencyStory], to text: inout OutputText) {
    let words = EmergencyWords(clock: SpanText.utc, name: name)
    for story in stories {
      let source = name(story.identity.source)
      line("### Emergency of \(MarkdownTable.escaped(source))", to: &text)
      line(MarkdownTable.escaped(words.verdict(story)) + ".", to: &text)
      var rows = [["Node", "Callsign", "Outcome", "Carried", "Told by", "Acked", "Through", "Why"]]
      for node in story.nodes where node.isAudience {
        rows.append([
          "\(node.node)", callsign(node.node) ?? "",
          node.node == story.identity.source ? "source" : node.outcome.rawValue,
          place(node.carried), node.told.map { name($0.author) } ?? "",
          place(node.acked?.sighted),
          node.acked.map { $0.through == node.node ? "itself" : name($0.through) } ?? "",
          words.text(node, story) ?? "",
        ])
      }
      MarkdownTable.append(rows, to: &text)
    }
  }

  private func place(_ sighted: Sighted?) -> String {
    guard let sighted else { return "" }
    let time = sighted.time.map(SpanText.utc) ?? "?"
    return "\(time), frame \(sighted.frame)" + (hasSeveralFiles ? " of \(sighted.file)" : "")
  }

  // MARK: - Findings

  /// Appends every finding with what to do.
  package func append(_ report: FindingReport, _ looked: LookedAt, to text: inout OutputText) {
    let counts = Severity.allCases.reversed().compactMap { severity -> String? in
      let count = report.count(severity)
      return count == 0 ? nil : SpanText.counted(count, severity.rawValue)
    }
    line(
      (counts.isEmpty ? "no findings" : counts.joined(separator: ", ")) + " in \(looked.words)",
      to: &text)
    var rows = [["Severity", "Code", "Where", "What", "Times", "Frames", "What to do"]]
    for item in report.items {
      var place = item.node.map(name) ?? item.link.map { "link \($0)" } ?? ""
      if hasSeveralFiles { place += (place.isEmpty ? "" : ", ") + item.file }
      rows.append([
        item.code.severity.rawValue, item.code.rawValue, place, item.message, "\(item.count)",
        item.frames.map { "\($0)" }.joined(separator: " "),
        FindingTable.entry(of: item.code).advice,
      ])
    }
    MarkdownTable.append(rows, to: &text)
  }

  // MARK: - Links

  /// Appends every connection.
  package func append(_ links: [LinkEntry], to text: inout OutputText) {
    line(SpanText.counted(links.count, "connection"), to: &text)
    var rows = [
      ["Link", "From", "To", "Up", "Down", "Reason", "Lasted", "MTU", "Encrypted", "File"]
    ]
    for entry in links {
      let facts = entry.facts
      let life = LinkLife(facts)
      var lasted = ""
      if let up = facts.opened, let down = facts.closed {
        lasted = SpanText.text(max(0, down.nanoseconds(since: up)))
      }
      rows.append([
        "\(facts.link.id)", end(entry.localNode, facts.link.local),
        end(entry.peerNode, facts.identity ?? facts.link.peer),
        life.up.map(SpanText.utc) ?? "before the capture",
        life.end == nil ? "still up" : life.down.map(SpanText.utc) ?? "?",
        life.end.map { LinkText.words($0) } ?? "", lasted, "\(facts.mtu ?? 23)",
        facts.isEncrypted ? "yes" : "no", hasSeveralFiles ? entry.file : "",
      ])
    }
    MarkdownTable.append(rows, to: &text)
  }

  private func end(_ node: NodeID?, _ address: DeviceAddress?) -> String {
    switch (node, address) {
    case (let node?, let address?): "\(name(node)) (\(address))"
    case (let node?, nil): name(node)
    case (nil, let address?): "\(address)"
    case (nil, nil): "?"
    }
  }

  // MARK: - Convergence

  /// Appends how updates spread: in sum, by node, and by connection and direction.
  package func append(_ report: ConvergenceReport, to text: inout OutputText) {
    line(
      "\(SpanText.counted(report.updates.count, "update")): \(report.complete) became known to every "
        + "other node heard by then, \(report.partial) did not, \(report.alone) came before any "
        + "other node was heard", to: &text)
    var rows = [["Node", "Updates", "Learnt", "Missed", "Median", "95%", "Worst"]]
    for node in report.nodes {
      rows.append(
        [name(node.node), "\(node.updates)", "\(node.learnt)", "\(node.missed)"]
          + spans(node.delay))
    }
    MarkdownTable.append(rows, to: &text)
    rows = [["From", "To", "Messages", "Useful", "Median", "95%", "Worst", "Latency"]]
    for link in report.links {
      rows.append(
        [
          link.from.map(name) ?? "\(link.link.from)", link.to.map(name) ?? "\(link.link.to)",
          "\(link.traffic.messages)", "\(link.traffic.useful)",
        ] + spans(link.delay) + [link.latency.map { SpanText.text($0.median) } ?? ""])
    }
    MarkdownTable.append(rows, to: &text)
  }

  private func spans(_ delay: Quantiles?) -> [String] {
    guard let delay, delay.worst > 0 else { return ["", "", ""] }
    return [delay.median, delay.p95, delay.worst].map(SpanText.text)
  }
}
