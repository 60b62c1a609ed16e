import BluetoothProtocols
import CaptureFormats
import PeatDissection
import PeatReports
import PeatTimeline
import WireBytes

/// What `-v` says of a capture, and what is said of one that was cut.
struct CaptureExplanation {
  var stream: CaptureStream
  var style: TextStyle

  /// Container, time span, adapters, connections and their handles, and what was not read.
  var lines: [String] {
    var lines = [stream.dissector.summary + span]
    for adapter in stream.dissector.adapters {
      let address = adapter.address.map(\.description) ?? "address unknown"
      lines.append("adapter \(adapter.index): \(address)")
    }
    let reports = stream.dissector.connectionReports
    var uses: [Int: [HandleUse]] = [:]
    for facts in stream.dissector.linkFacts { uses[facts.link.id] = facts.handles }
    for report in reports {
      lines += connection(report) + others(uses[report.link.id] ?? [])
    }
    let more = stream.dissector.connectionCount - reports.count
    if more > 0 { lines.append(count(more, "more connection")) }
    return lines + skipped
  }

  private var span: String {
    var text = ", \(count(stream.dissector.frameCount, "packet"))"
    if let first = stream.firstTime, let last = stream.dissector.lastTime {
      var times = OutputText(capacity: 80)
      times.append(utc: first)
      times.append(raw: " to ")
      times.append(utc: last)
      text += ", \(String(decoding: times.bytes, as: UTF8.self))"
    }
    return text
  }

  private func connection(_ report: ConnectionReport) -> [String] {
    let link = report.link
    var text = "connection \(link.id), handle \(link.connection)"
    if link.adapter != 0 { text += ", adapter \(link.adapter)" }
    text += ", frames \(report.firstFrame) to \(report.lastFrame): "
    text += link.local.map(\.description) ?? "address unknown"
    text += " with "
    text += link.peer.map(\.description) ?? "address unknown"
    if let type = link.peerType { text += " (\(type.name))" }
    if let role = link.role { text += ", \(role.rawValue)" }
    text += ", MTU \(report.mtu)"
    if report.enhancedBearers > 0 { text += ", \(count(report.enhancedBearers, "EATT channel"))" }
    if report.isEncrypted { text += ", encrypted on air" }
    if !report.wasSeenOpening { text += ", began before the capture" }
    return [text] + report.handles.map { handle($0) }
  }

  /// Handles of characteristics that are none of Peat's.
  private func others(_ uses: [HandleUse]) -> [String] {
    uses.compactMap { use in
      guard let uuid = use.uuid, !use.isDescriptor,
        DocumentCharacteristics().role(of: uuid, in: use.service) == nil
      else { return nil }
      let traffic = [use.sent, use.received]
      let values = traffic.reduce(0) { $0 + $1.writes + $1.notifications + $1.reads }
      return name(use.handle, uuid) + ": \(count(values, "value")), not a Peat characteristic"
    }
  }

  private func name(_ handle: UInt16, _ uuid: BluetoothUUID?) -> String {
    let text = "  handle \(HandleText.text(handle))"
    return uuid.map { "\(text) (\($0))" } ?? text
  }

  private func handle(_ report: HandleReport) -> String {
    var text = name(report.handle, report.characteristic)
    text += ": \(count(report.values, "value")), "
    guard let resolution = report.resolution else {
      return text + "not shown: nothing in the capture names the handle (--handle does)"
    }
    switch resolution {
    case .discovery: text += "named by discovery"
    case .otherConnection: text += "named by discovery on another connection"
    case .cache: text += "named by the bond cache"
    case .option: text += "named by --handle"
    case .content: text += "named by what its values are"
    }
    return text
  }

  private var skipped: [String] {
    var lines = air
    let skipped = stream.dissector.skippedRecordCount
    if skipped > 0 {
      lines.append(
        "\(count(skipped, "record")) passed over: not Bluetooth, or of a kind that is not read")
    }
    let traffic = stream.dissector.traffic
    let kinds = [
      (traffic.synchronous, "SCO packet", "audio"),
      (traffic.isochronous, "isochronous packet", "audio"),
      (traffic.unknown, "packet", "of a type that is not known"),
    ]
    for (number, what, why) in kinds where number > 0 {
      lines.append("\(count(number, what)) passed over: \(why)")
    }
    let cut = stream.dissector.cuts.packets
    if cut > 0 { lines.append("\(count(cut, "data packet")) cut by the capture") }
    let losses = stream.dissector.losses
    if losses.packets > 0 {
      lines.append(
        "\(count(losses.packets, "packet")) lost by the recorder at \(count(losses.places, "place"))"
      )
    }
    return lines
  }

  /// What of the packets from the air was not used, and why.
  private var air: [String] {
    let air = stream.dissector.airStatistics
    let kinds = [
      (air.invalidChecks, "with a bad CRC"),
      (air.unknownHeaders, "behind a header that is not known"),
      (air.unreadable, "of another length than they say"),
      (air.strays, "with an access address that was not heard again"),
      (air.unreadablePayloads, "with a payload that cannot be read"),
      (air.reserved, "of a kind that links do not use (LLID 0)"),
      (air.otherTraffic, "of periodic advertising or isochronous streams"),
      (air.namelessParts, "of extended advertising whose advertiser was not heard"),
    ]
    return kinds.filter { $0.0 > 0 }.map { "\(count($0.0, "packet")) from the air \($0.1)" }
  }

  private func count(_ number: Int, _ what: String) -> String {
    "\(number) \(what)\(number == 1 ? "" : "s")"
  }
}

/// What is said of a capture whose packets were cut, and how to record whole ones (formats.md 5).
enum CutAdvice {
  static func text(_ stream: CaptureStream) -> String? {
    let cuts = stream.dissector.cuts
    guard cuts.packets > 0 else { return nil }
    switch stream.dissector.format {
    case .btsnooz, .bugReport:
      var text = "this is the short log of a bug report (btsnooz): the phone cut its ACL data to "
      text += "14 bytes, so that 3 bytes of a value are left"
      if cuts.discoveryAnswers > 0 {
        text += "; discovery was cut too, so that no handle is named (--handle names one)"
      }
      return text + "; " + remedy
    case .btsnoop where cuts.discoveryAnswers > 0:
      return "the recorder kept only the first bytes of \(cuts.packets) packets; discovery was cut "
        + "too; if an Android phone recorded it: " + remedy
    case .btsnoop, .pcap, .pcapng, .packetLogger, .hcidump, .h4: return nil
    }
  }

  private static let remedy =
    "for whole logs set \"Enable Bluetooth HCI snoop log\" to \"Enabled\" (not \"filtered\") in "
    + "the phone's developer options, switch Bluetooth off and on, and take the log again"
}
