import BluetoothProtocols
import PeatDissection
package import PeatProtocol
package import PeatTimeline
package import WireBytes

/// Connections for a person: how many and what is unnamed, then each with its life and its handles.
package struct LinkText {
  private let style: TextStyle
  private let hasSeveralFiles: Bool
  private let callsign: (NodeID) -> String?

  package init(
    style: TextStyle, hasSeveralFiles: Bool, callsign: @escaping (NodeID) -> String?
  ) {
    self.style = style
    self.hasSeveralFiles = hasSeveralFiles
    self.callsign = callsign
  }

  /// Appends all connections.
  package func append(_ links: [LinkEntry], to text: inout OutputText) {
    line(answer(links), .bold, to: &text)
    for entry in links { append(entry, to: &text) }
    appendDown(links, to: &text)
  }

  private func answer(_ links: [LinkEntry]) -> String {
    guard !links.isEmpty else { return "no LE connection" }
    let devices = Set(links.map { $0.facts.identity ?? $0.facts.link.peer })
    let open = links.count { $0.facts.end == nil }
    var text = counted(links.count, "connection") + " with \(counted(devices.count, "device"))"
    if open > 0 { text += ", \(open) open at the capture's end" }
    let unnamed = links.reduce(0) { $0 + $1.unnamed.count }
    if unnamed > 0 {
      let verb = unnamed == 1 ? "handle carries" : "handles carry"
      text +=
        "; \(unnamed) \(verb) values and nothing names them: if one is the document, "
        + "say so with --handle"
    }
    if let uuid = foreign(links) {
      text +=
        "; most values of unknown types go over \(uuid): if it is the document, add it with "
        + "--characteristic"
    }
    return text
  }

  /// The type without a name that carried the most values.
  private func foreign(_ links: [LinkEntry]) -> BluetoothUUID? {
    var counts: [BluetoothUUID: Int] = [:]
    for use in links.flatMap(\.facts.handles) {
      guard let uuid = use.uuid, LinkNames.name(of: use) == nil else { continue }
      let values = [use.sent, use.received].reduce(0) { $0 + $1.writes + $1.notifications }
      counts[uuid, default: 0] += values
    }
    return counts.max { ($0.value, $1.key.description) < ($1.value, $0.key.description) }
      .flatMap { $0.value > 0 ? $0.key : nil }
  }

  private func append(_ entry: LinkEntry, to text: inout OutputText) {
    let facts = entry.facts
    text.append("\n")
    var title = "link \(facts.link.id)  \(end(entry.localNode, facts.link.local, "this host"))"
    title += " > \(end(entry.peerNode, facts.link.peer, "unknown device"))"
    if let identity = facts.identity { title += ", identity \(identity)" }
    if let role = facts.link.role { title += ", as \(role.rawValue)" }
    title +=
      facts.link.isFromAir
      ? ", access address " + Hexadecimal.upper(UInt64(facts.link.connection), width: 8)
      : ", handle \(facts.link.connection)"
    if facts.link.adapter > 0 { title += ", adapter \(facts.link.adapter)" }
    if hasSeveralFiles { title += ", \(entry.file.replacingUnsafeCharacters())" }
    line(title, .name, to: &text)
    inset(life(facts), to: &text)
    inset(state(facts), to: &text)
    for use in facts.handles { inset(handle(use), to: &text) }
    let used = Set(facts.handles.map { [$0.isLocalServer ? 1 : 0, Int($0.handle)] })
    let idle = facts.characteristics.filter {
      !used.contains([$0.isLocalServer ? 1 : 0, Int($0.handle)])
    }
    if style.isVerbose {
      for known in idle {
        inset(
          "\(number(known.handle)) \(known.uuid) \(LinkNames.name(of: known.uuid, in: known.service) ?? "")"
            + " (\(known.isLocalServer ? "own" : "peer's")): no values", to: &text)
      }
    } else if !idle.isEmpty {
      inset(
        "\(counted(idle.count, "more characteristic")) without values (-v lists them)", to: &text)
    }
  }

  private func life(_ facts: LinkFacts) -> String {
    let life = LinkLife(facts)
    var text = life.up.map { "up \(clock($0)), frame \(life.upFrame)" } ?? "up before the capture"
    if let end = life.end {
      text += "; down \(life.down.map(clock) ?? "?"), frame \(life.downFrame)"
      text += ": \(LinkText.words(end))"
      if let up = facts.opened, let down = facts.closed {
        text += "; \(life.up == nil ? "at least " : "")\(span(down.nanoseconds(since: up)))"
      }
    } else {
      text += "; still up at the capture's end"
    }
    return text
  }

  /// How a connection ended, with who ended it.
  static func words(_ end: Disconnection) -> String {
    switch end.endedBy {
    case nil: end.words
    case .local where end.words.hasPrefix("local"): end.words
    case .peer where end.words.hasPrefix("remote"): end.words
    case .local: end.words + ", by this host"
    case .peer: end.words + ", by the peer"
    }
  }

  private func state(_ facts: LinkFacts) -> String {
    var parts = [facts.mtu.map { "MTU \($0)" } ?? "MTU 23 (none agreed)"]
    if let phy = facts.phy {
      parts.append(
        phy.sent == phy.received
          ? "LE \(LinkPHY.name(phy.sent))"
          : "LE \(LinkPHY.name(phy.sent)) out, \(LinkPHY.name(phy.received)) in")
    }
    if let pace = facts.pace {
      parts.append("interval \(LinkText.milliseconds(pace)) ms")
      if pace.latency > 0 { parts.append("latency \(pace.latency)") }
      parts.append("timeout \(Int(pace.timeout) * 10) ms")
    }
    parts.append(facts.isEncrypted ? "encrypted" : "not encrypted")
    if let signal = facts.signal {
      parts.append(
        signal.weakest == signal.strongest
          ? "\(signal.last) dBm" : "\(signal.weakest) to \(signal.strongest) dBm")
    }
    return parts.joined(separator: ", ")
  }

  private func handle(_ use: HandleUse) -> String {
    var text = number(use.handle)
    if let uuid = use.uuid { text += " \(uuid)" }
    text += " " + (LinkNames.name(of: use) ?? (use.uuid == nil ? "no name" : "unknown type"))
    text += " (\(use.isLocalServer ? "own" : "peer's"))"
    let ways = [("sent", use.sent), ("received", use.received)].compactMap { word, traffic in
      LinkText.counts(traffic).map { "\(word) \($0)" }
    }
    return text + ": " + ways.joined(separator: "; ")
  }

  private static func counts(_ traffic: HandleUse.Traffic) -> String? {
    var parts: [String] = []
    for (count, noun) in [
      (traffic.writes, "write"), (traffic.notifications, "notification"),
      (traffic.reads, "read value"),
    ] where count > 0 {
      parts.append("\(count) \(noun)\(count == 1 ? "" : "s")")
    }
    guard !parts.isEmpty else { return nil }
    return parts.joined(separator: ", ") + ", \(traffic.bytes) bytes"
  }

  /// When the connections of two devices were down, between their lives.
  private func appendDown(_ links: [LinkEntry], to text: inout OutputText) {
    var isFirst = true
    for entry in links {
      guard let place = entry.lives.firstIndex(where: { $0.link == entry.facts.link.id }),
        place + 1 < entry.lives.count
      else { continue }
      let life = entry.lives[place]
      let next = entry.lives[place + 1]
      guard let down = life.down, let up = next.up, down < up else { continue }
      if isFirst {
        text.append("\n")
        line("down between", .bold, to: &text)
        isFirst = false
      }
      inset(
        "\(end(entry.peerNode, entry.facts.link.peer, "unknown device")): \(clock(down)) to "
          + "\(clock(up)), \(span(up.nanoseconds(since: down)))"
          + (life.end.map { " (\(LinkText.words($0)))" } ?? "")
          + ", link \(life.link) to \(next.link)",
        to: &text)
    }
  }

  private func end(_ node: NodeID?, _ address: DeviceAddress?, _ unknown: String) -> String {
    guard let node else { return address?.description ?? unknown }
    let name = callsign(node).map { "\($0.replacingUnsafeCharacters()) " } ?? ""
    return "\(name)\(node)" + (address.map { " (\($0))" } ?? "")
  }

  private func number(_ handle: UInt16) -> String {
    "0x" + Hexadecimal.upper(UInt64(handle), width: 4)
  }

  private func clock(_ time: Timestamp) -> String {
    var text = OutputText(capacity: 16)
    text.append(clock: style.civil(time), decimals: 3)
    return String(decoding: text.slice, as: UTF8.self)
  }

  private func span(_ nanoseconds: Int64) -> String {
    var text = OutputText(capacity: 16)
    text.append(seconds: max(0, nanoseconds), decimals: 1)
    return String(decoding: text.slice, as: UTF8.self) + " s"
  }

  private func counted(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  /// The interval in milliseconds.
  static func milliseconds(_ pace: ConnectionPace) -> String {
    let hundredths = Int(pace.interval) * 125
    let fraction = hundredths % 100
    return "\(hundredths / 100)"
      + (fraction == 0 ? "" : fraction % 10 == 0 ? ".\(fraction / 10)" : ".\(fraction)")
  }

  private func line(_ content: String, _ paint: TextStyle.Paint, to text: inout OutputText) {
    for part in content.broken(to: style.columns) {
      text.append(raw: style.paint(part, paint) + "\n")
    }
  }

  private func inset(_ content: String, to text: inout OutputText) {
    for (index, part) in content.broken(to: style.columns - 8).enumerated() {
      text.append(raw: (index == 0 ? "        " : "      ") + part + "\n")
    }
  }
}
