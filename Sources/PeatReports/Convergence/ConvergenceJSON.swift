import PeatProtocol
import PeatReplay
import PeatTimeline
package import WireBytes

/// Convergence as NDJSON: a line for each update, emergency, node and link, then the summary.
extension ConvergencePrinter {
  /// Appends every line.
  package func appendRecords(to text: inout OutputText) {
    for update in report.updates { append(update, to: &text) }
    for emergency in report.emergencies { append(emergency, to: &text) }
    for node in report.nodes { append(node, to: &text) }
    for link in report.links { append(link, to: &text) }
    appendSummary(to: &text)
  }

  private func begin(_ scope: StaticString, _ text: inout OutputText) {
    text.append("{\"schema\":")
    text.append(decimal: OutputText.schemaVersion)
    text.append(",\"scope\":\"")
    text.append(scope)
    text.append("\"")
  }

  private func append(_ update: ConvergenceReport.UpdateStory, to text: inout OutputText) {
    let spread = update.spread
    begin("update", &text)
    text.append(raw: ",\"update\":\"\(spread.news)\",\"origin\":\"\(spread.news.origin)\"")
    append(spread.first, to: &text)
    text.append(raw: ",\"author\":\"\(spread.author)\",\"known_by\":[")
    append(spread.knowers, since: spread.first, to: &text)
    text.append("],\"hops\":[")
    for (index, hop) in update.hops.enumerated() {
      if index > 0 { text.append(",") }
      text.append("{")
      append(hop.link, to: &text)
      append(hop.stamp, since: spread.first, to: &text)
      text.append("}")
    }
    text.append("]")
    append(span: update.timeToAll, as: "time_to_all", to: &text)
    append(nodes: update.never, as: "never", to: &text)
    if update.never.count < update.neverCount {
      text.append(raw: ",\"never_count\":\(update.neverCount)")
    }
    text.append(raw: ",\"reach\":\"\(update.reach.rawValue)\"")
    text.append("}\n")
  }

  private func append(_ story: ConvergenceReport.EmergencyStory, to text: inout OutputText) {
    let first = story.raised.spread.first
    begin("emergency", &text)
    text.append(raw: ",\"source\":\"\(story.source)\",\"emergency_time\":\(story.time)")
    append(first, to: &text)
    text.append(",\"seen_by\":[")
    append(story.raised.spread.knowers, since: first, to: &text)
    text.append("]")
    append(nodes: story.raised.never, as: "never_seen", to: &text)
    text.append(",\"acked_by\":[")
    for (index, ack) in story.acks.enumerated() {
      if index > 0 { text.append(",") }
      text.append(raw: "{\"node\":\"\(ack.node)\"")
      append(ack.stamp, since: first, to: &text)
      text.append("}")
    }
    text.append("]")
    append(nodes: story.pending, as: "never_acked", to: &text)
    append(span: story.timeToAllAcked, as: "time_to_all_acked", to: &text)
    text.append(",\"undone_clears\":[")
    for (index, clear) in story.undoneClears.enumerated() {
      if index > 0 { text.append(",") }
      text.append(raw: "{\"node\":\"\(clear.spread.news.origin)\"")
      append(clear.spread.first, since: first, to: &text)
      text.append("}")
    }
    text.append("]}\n")
  }

  private func append(_ node: ConvergenceReport.NodeStory, to text: inout OutputText) {
    begin("node", &text)
    text.append(
      raw: ",\"node\":\"\(node.node)\",\"updates\":\(node.updates),\"learnt\":\(node.learnt)"
        + ",\"missed\":\(node.missed)")
    append(node.delay, as: "delay", to: &text)
    text.append("}\n")
  }

  private func append(_ link: ConvergenceReport.LinkStory, to text: inout OutputText) {
    begin("link", &text)
    text.append(",")
    append(link.link, to: &text)
    let traffic = link.traffic
    text.append(
      raw: ",\"messages\":\(traffic.messages),\"bytes\":\(traffic.bytes)"
        + ",\"useful_messages\":\(traffic.useful),\"useful_bytes\":\(traffic.usefulBytes)")
    append(link.delay, as: "delay", to: &text)
    append(link.latency, as: "latency", to: &text)
    text.append("}\n")
  }

  private func appendSummary(to text: inout OutputText) {
    begin("summary", &text)
    text.append(
      raw: ",\"nodes\":\(report.nodes.count),\"updates\":\(report.updates.count)"
        + ",\"complete\":\(report.complete),\"partial\":\(report.partial)"
        + ",\"alone\":\(report.alone)")
    append(report.delay, as: "delay", to: &text)
    append(report.timeToAll, as: "time_to_all", to: &text)
    text.append(raw: ",\"messages\":\(report.messages),\"bytes\":\(report.bytes)")
    if let bytes = report.bytesPerUpdate {
      text.append(raw: ",\"bytes_per_update\":\(bytes)")
    }
    text.append(
      raw: ",\"redundant_messages\":\(report.redundantMessages)"
        + ",\"redundant_bytes\":\(report.redundantBytes)")
    if let share = report.redundantShare { text.append(raw: ",\"redundant_share\":\(share)") }
    text.append(",\"air_time\":")
    text.append(seconds: report.airTime * 1000, decimals: 6)
    if report.isFull { text.append(",\"incomplete\":true") }
    text.append("}\n")
  }
}

extension ConvergencePrinter {
  private func append(
    _ knowers: [Spread.Knower], since first: Stamp, to text: inout OutputText
  ) {
    for (index, knower) in knowers.enumerated() {
      if index > 0 { text.append(",") }
      text.append(raw: "{\"node\":\"\(knower.node)\"")
      append(knower.stamp, since: first, to: &text)
      text.append("}")
    }
  }

  private func append(_ link: LinkDirection, to text: inout OutputText) {
    if let node = report.speakers[link.from] {
      text.append(raw: "\"from\":\"\(node)\",")
    }
    text.append(raw: "\"from_end\":\"\(link.from)\",")
    if let node = report.speakers[link.to] { text.append(raw: "\"to\":\"\(node)\",") }
    text.append(raw: "\"to_end\":\"\(link.to)\"")
  }

  /// Time and place; with `since`, also how long after that.
  private func append(_ stamp: Stamp, since first: Stamp? = nil, to text: inout OutputText) {
    let decimals = decimals(stamp.time)
    if stamp.isTimed {
      text.append(",\"time\":\"")
      text.append(utc: stamp.time)
      text.append("\"")
    }
    if let elapsed = elapsed(stamp) {
      text.append(",\"elapsed\":")
      text.append(seconds: elapsed, decimals: decimals)
    }
    if let first, let delay = report.delay(of: stamp, since: first) {
      text.append(",\"delay\":")
      text.append(seconds: delay, decimals: decimals)
    }
    text.append(",\"file\":")
    text.append(jsonString: file(stamp))
    text.append(",\"frame\":")
    text.append(decimal: Int(stamp.frame))
  }

  private func append(nodes: [NodeID], as key: StaticString, to text: inout OutputText) {
    text.append(",\"")
    text.append(key)
    text.append("\":[")
    text.append(raw: nodes.map { "\"\($0)\"" }.joined(separator: ","))
    text.append("]")
  }

  private func append(span: Int64?, as key: StaticString, to text: inout OutputText) {
    guard let span else { return }
    text.append(",\"")
    text.append(key)
    text.append("\":")
    text.append(seconds: span, decimals: 6)
  }

  private func append(_ quantiles: Quantiles?, as key: StaticString, to text: inout OutputText) {
    guard let quantiles else { return }
    text.append(",\"")
    text.append(key)
    text.append(raw: "\":{\"count\":\(quantiles.count)")
    append(span: quantiles.median, as: "median", to: &text)
    append(span: quantiles.p95, as: "p95", to: &text)
    append(span: quantiles.worst, as: "worst", to: &text)
    text.append("}")
  }
}

extension ConvergenceReport {
  /// Bytes of all values for each update, with two decimals.
  var bytesPerUpdate: String? {
    updates.isEmpty ? nil : ConvergenceReport.quotient(bytes, updates.count, decimals: 2)
  }

  /// The part of all bytes that told their receivers nothing, with four decimals.
  var redundantShare: String? {
    bytes == 0 ? nil : ConvergenceReport.quotient(redundantBytes, bytes, decimals: 4)
  }

  /// A quotient of numbers that are not negative as a decimal, rounded down.
  static func quotient(_ value: Int, _ divisor: Int, decimals: Int) -> String {
    var text = "\(value / divisor)."
    var rest = value % divisor
    for _ in 0..<decimals {
      rest *= 10
      text += "\(rest / divisor)"
      rest %= divisor
    }
    return text
  }
}
