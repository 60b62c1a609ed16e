import BluetoothProtocols
import PeatDissection
import PeatProtocol
import PeatReplay
import PeatTimeline
import WireBytes

/// Connections, findings, and what receivers make of messages.
extension ReportData {
  func appendLinks(to text: inout OutputText) {
    text.field("links_left_out", max(0, input.links.count - ReportData.linkLimit))
    text.field("links", list: input.links.prefix(ReportData.linkLimit)) { entry, text in
      let facts = entry.facts
      let life = LinkLife(facts)
      let traffic = input.timeline.traffic[facts.link.id]
      text.append("{\"id\":")
      text.append(decimal: facts.link.id)
      text.field("file", input.axis.place(of: entry.file))
      text.field("a", nodes[entry.localNode])
      text.field("b", nodes[entry.peerNode])
      text.field("local", facts.link.local?.description)
      text.field("peer", (facts.identity ?? facts.link.peer)?.description)
      text.field("adapter", facts.link.adapter)
      text.field("role", facts.link.role?.rawValue)
      text.field("from", microseconds(facts.opened, entry.file, life.upFrame))
      text.field("opens", life.up != nil)
      text.field("up_frame", life.upFrame)
      text.field("until", microseconds(facts.closed, entry.file, life.downFrame))
      text.field("ends", life.end != nil)
      text.field("down_frame", life.downFrame)
      text.field("reason", life.end.map { LinkText.words($0) })
      text.field("mtu", facts.mtu ?? 23)
      text.field("encrypted", facts.isEncrypted)
      if let signal = facts.signal {
        text.field("rssi", [Int(signal.weakest), Int(signal.strongest)])
      }
      text.field("messages", traffic?.messages ?? 0)
      text.field("bytes", traffic?.bytes ?? 0)
      text.append("}")
    }
    text.field("ways", list: input.convergence.links.prefix(ReportData.itemLimit)) { way, text in
      text.append("{\"from\":")
      text.append(decimal: nodes[way.from])
      text.field("to", nodes[way.to])
      text.field("from_end", "\(way.link.from)")
      text.field("to_end", "\(way.link.to)")
      text.field("messages", way.traffic.messages)
      text.field("bytes", way.traffic.bytes)
      text.field("useful", way.traffic.useful)
      if let delay = way.delay {
        text.field("delay", [delay.median, delay.p95, delay.worst].map { Int($0 / 1000) })
      }
      if let latency = way.latency { text.field("latency", Int(latency.median / 1000)) }
      text.append("}")
    }
    appendHazards(to: &text)
  }

  /// Where the recording itself is not to be trusted, and version collisions on their node's lane.
  private func appendHazards(to text: inout OutputText) {
    var hazards: [Hazard] = []
    for hazard in input.hazards.prefix(ReportInput.hazardLimit) {
      let event = hazard.event
      guard let at = microseconds(event.time, hazard.file, event.frame) else { continue }
      switch event.kind {
      case .lost(let count):
        hazards.append(
          Hazard(
            kind: "gap", at: at, until: at, frame: event.frame, file: hazard.file,
            text: "the recorder lost \(SpanText.counted(count, "packet"))"))
      case .silent(let nanoseconds):
        let length = Int(max(0, nanoseconds) / 1000)
        let peer = event.link?.peer.map { " of the link to \($0)" } ?? ""
        hazards.append(
          Hazard(
            kind: "silence", at: max(0, at - length), until: at, frame: event.frame,
            file: hazard.file,
            text: "nothing was recorded\(peer) for \(SpanText.text(nanoseconds))"))
      case .connected, .disconnected, .encrypted, .mtu, .parameters, .phy, .serviceChanged,
        .clockStep:
        break
      }
    }
    for (file, step) in input.axis.hazards {
      let name = input.files.indices.contains(file) ? input.files[file].name : ""
      guard let at = microseconds(step.after, name, step.frame) else { continue }
      hazards.append(
        Hazard(
          kind: "clock", at: at, until: at, frame: step.frame, file: name, text: step.text))
    }
    for item in input.findings.items where item.code == .versionCollision {
      let frame = item.frames.first ?? 0
      guard let at = microseconds(item.firstTime, item.file, frame) else { continue }
      let until = microseconds(item.lastTime, item.file, item.frames.last ?? frame) ?? at
      hazards.append(
        Hazard(
          kind: "collision", at: at, until: max(at, until), frame: frame, file: item.file,
          text: "versions that look like a marker", node: nodes[item.node]))
    }
    text.field("hazards", list: hazards.prefix(2 * ReportInput.hazardLimit)) { hazard, text in
      text.append("{\"kind\":")
      text.append(jsonString: hazard.kind)
      text.field("at", hazard.at)
      text.field("until", hazard.until)
      text.field("frame", hazard.frame)
      text.field("file", input.axis.place(of: hazard.file))
      text.field("text", hazard.text)
      text.field("node", hazard.node)
      text.append("}")
    }
  }

  private struct Hazard {
    var kind: String
    var at: Int
    var until: Int
    var frame: Int
    var file: String
    var text: String
    var node = -1
  }

  func appendFindings(to text: inout OutputText) {
    let items = input.findings.items
    text.field(
      "finding_counts", [Severity.error, .warning, .note].map { input.findings.count($0) })
    text.field(
      "findings_left_out",
      input.findings.leftOut + max(0, items.count - ReportData.itemLimit))
    text.field("findings", list: items.prefix(ReportData.itemLimit)) { item, text in
      let entry = FindingTable.entry(of: item.code)
      text.append("{\"code\":")
      text.append(jsonString: item.code.rawValue)
      text.field("severity", item.code.severity.rawValue)
      text.field("text", entry.text)
      text.field("advice", entry.advice)
      text.field("rule", entry.rule)
      text.field("message", ReportText.cut(item.message, to: 600))
      text.field("node", nodes[item.node])
      text.field("link", item.link)
      text.field("file", input.axis.place(of: item.file))
      text.field("count", item.count)
      text.field("frames", frames: item.frames)
      text.field("at", microseconds(item.firstTime, item.file, item.frames.first ?? 0))
      text.append("}")
    }
  }

  func appendReceivers(to text: inout OutputText) {
    text.field("receivers", list: input.timeline.receivers) { count, text in
      text.append("{\"name\":")
      text.append(jsonString: count.key.receiver.name)
      text.field("text", ReportText.cut(count.key.text, to: 400))
      text.field("loss", count.key.isLoss)
      text.field("count", count.count)
      text.field("nodes", list: count.nodes.sorted()) { $1.append(decimal: nodes[$0]) }
      text.field("file", count.frames.first?.file ?? 0)
      text.field("frames", frames: count.frames.map(\.frame))
      text.append("}")
    }
  }
}
