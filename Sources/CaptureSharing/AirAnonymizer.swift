import BluetoothProtocols
import CaptureFormats
import SystemIO
import WireBytes

/// Where the parts of a packet from the air lie in its record.
struct AirLayout {
  var accessAddress: UInt32
  var header: UInt8
  var tone: UInt8?
  var length: Int
  /// The payload's place.
  var start: Int
  var payload: [UInt8]
  /// The start value with which the check is what it is; nil where there is no check to keep.
  var initial: UInt32?
  var isAdvertising: Bool { accessAddress == LinkLayerPacket.advertisingAddress }
}

/// Goes over packets from the air: whose data they are, and what stands for advertising.
final class AirAnonymizer {
  private struct Seen {
    var record: Int
    var payload: [UInt8]
  }

  private let pseudonyms: Pseudonyms
  private let advertising: AdvertisingAnonymizer
  private let data: DataAnonymizer
  private var follower = LinkFollower()
  /// Records of packets that wait for their link to be confirmed.
  private var held: [Int: (record: Int, start: Int)] = [:]
  /// The last packets with data of each link, which repeated ones equal.
  private var seen: [UInt32: [Seen]] = [:]
  private var missing: [[UInt8]: Int] = [:]

  init(_ messages: MessageAnonymizer, data: DataAnonymizer) {
    pseudonyms = messages.pseudonyms
    advertising = AdvertisingAnonymizer(messages)
    self.data = data
  }

  /// Reads a record's packet; nil where it is none.
  static func layout(_ record: borrowing RecordView) -> AirLayout? {
    var reader = ByteReader(record.payload, layer: .linkLayer)
    guard let radio = radio(of: record.content, &reader),
      let packet = try? LinkLayerPacket(&reader, layout: radio.layout)
    else { return nil }
    let count = record.payload.byteCount
    let present = packet.payload.byteCount
    guard record.originalLength > count || present == packet.length else { return nil }
    let start = count - present - (packet.check == nil ? 0 : 3)
    guard start >= 6 else { return nil }
    return AirLayout(
      accessAddress: packet.accessAddress, header: packet.header, tone: packet.toneInformation,
      length: packet.length, start: start, payload: [UInt8](packet.payload),
      initial: packet.check == nil || packet.check == 0 ? nil : packet.impliedInitial)
  }

  private static func radio(
    of content: RecordContent, _ reader: inout ByteReader
  ) -> RadioInformation? {
    switch content {
    case .linkLayer256: try? RadioInformation(header256: &reader)
    case .nordic272, .nordic157: (try? NordicHeader(&reader))?.radio
    default: RadioInformation()
    }
  }

  // MARK: - First reading

  /// Takes the packets of links in.
  func take(_ record: borrowing RecordView, number: Int) throws(Errno) {
    var reader = ByteReader(record.payload, layer: .linkLayer)
    guard let layout = AirAnonymizer.layout(record),
      let radio = AirAnonymizer.radio(of: record.content, &reader),
      let packet = try? LinkLayerPacket(&reader, layout: radio.layout)
    else { return }
    if layout.isAdvertising {
      if case .connectionRequest(let request) = try? AdvertisingPDU(packet) {
        follower.begin(
          request, adapter: record.adapter, frame: record.frame, time: record.time)
      }
      return
    }
    guard radio.traffic == .advertisingOrData else { return }
    let step = follower.follow(
      packet, radio, adapter: record.adapter, frame: record.frame, time: record.time)
    if step == .held {
      if held.count > 4096 { held = [:] }
      held[record.frame] = (number, layout.start)
      return
    }
    guard step == .confirmed else {
      return try take(
        step, layout, adapter: record.adapter, frame: record.frame, record: number)
    }
    held[record.frame] = (number, layout.start)
    for packet in follower.takeHeld() {
      guard let place = held.removeValue(forKey: packet.frame) else { continue }
      let whole = LinkLayerPacket(packet)
      let step = follower.follow(
        whole, packet.radio, adapter: record.adapter, frame: packet.frame, time: packet.time)
      let layout = AirLayout(
        accessAddress: whole.accessAddress, header: whole.header, tone: nil,
        length: whole.length, start: place.start, payload: [UInt8](whole.payload), initial: nil)
      try take(
        step, layout, adapter: record.adapter, frame: packet.frame, record: place.record)
    }
  }

  private func take(
    _ step: LinkFollower.Step, _ layout: AirLayout, adapter: Int, frame: Int, record: Int
  ) throws(Errno) {
    let origin = ByteOrigin(record: record, offset: layout.start, count: layout.payload.count)
    let isControl = layout.header & 3 == 3
    switch step {
    case .data(let sender, let isStart, _, let trailer):
      let count = min(max(0, layout.length - trailer), layout.payload.count)
      note(record, layout)
      let place = DataAnonymizer.Place(adapter: adapter, connection: layout.accessAddress)
      let bytes = Array(layout.payload[..<count])
      if isStart { try data.patches.put(Array(bytes.prefix(4)), at: [origin]) }
      try data.take(
        place, sender: sender == .central ? 0 : 1, isStart: isStart, bytes,
        length: max(0, layout.length - trailer),
        origin: ByteOrigin(record: record, offset: layout.start, count: count), frame: frame)
    case .unreadable:
      // Nobody can read it, and nobody can after.
      try data.patches.put(pseudonyms.bytes(layout.payload, "air"), at: [origin])
    case .invalidCheck, .reserved, .overLimit, .held, .confirmed: break
    case .passedOver, .ended, .pace, .phy, .encrypted:
      if isControl {
        try data.patches.put(control(layout.payload), at: [origin])
      } else if !layout.payload.isEmpty,
        let first = seen[layout.accessAddress]?.last(where: {
          $0.payload == layout.payload
        })
      {
        data.patches.repeats(record, of: first.record)
      }
    }
  }

  private func note(_ record: Int, _ layout: AirLayout) {
    if seen.count > 1024 { seen = [:] }
    var list = seen[layout.accessAddress] ?? []
    list.append(Seen(record: record, payload: layout.payload))
    if list.count > 8 { list.removeFirst() }
    seen[layout.accessAddress] = list
  }

  /// LL_ENC_REQ and LL_ENC_RSP hold what names a key (Vol 6 Part B, 2.4.2.4 and 2.4.2.5).
  private func control(_ bytes: [UInt8]) -> [UInt8] {
    guard let code = bytes.first, code == 0x03 || code == 0x04 else { return bytes }
    return [code] + pseudonyms.bytes(Array(bytes.dropFirst()), "key")
  }

  // MARK: - Second reading

  /// The record that stands for one: its payload as written down, or blanked, and its check.
  func record(
    _ original: borrowing RecordView, number: Int
  ) throws(Errno) -> [UInt8] {
    var bytes = [UInt8](original.payload)
    guard let layout = AirAnonymizer.layout(original) else {
      // A header of a sniffer says nothing of anybody; what follows is not known.
      for place in bytes.indices.dropFirst(10) { bytes[place] = 0 }
      return bytes
    }
    let end = layout.start + layout.payload.count
    for place in layout.start..<end { bytes[place] = 0 }
    if layout.isAdvertising {
      let isIntact =
        layout.initial == nil || layout.initial == CRC24.advertisingInitial
      if isIntact {
        bytes.replaceSubrange(
          layout.start..<end, with: advertisement(layout, adapter: original.adapter))
      }
    } else {
      try data.patches.apply(to: number, &bytes)
    }
    if let initial = layout.initial {
      var crc = CRC24(initial: initial)
      crc.add(layout.header)
      crc.add(UInt8(truncatingIfNeeded: layout.length))
      if let tone = layout.tone { crc.add(tone) }
      for byte in bytes[layout.start..<end] { crc.add(byte) }
      for place in 0..<3 where end + place < bytes.count {
        bytes[end + place] = UInt8(truncatingIfNeeded: crc.value >> (8 * UInt32(place)))
      }
    }
    return bytes
  }

  /// The payload of an advertising PDU (Vol 6 Part B, 2.3).
  private func advertisement(_ layout: AirLayout, adapter: Int) -> [UInt8] {
    let bytes = layout.payload
    let blank = [UInt8](repeating: 0, count: bytes.count)
    switch AdvertisingPDUType(rawValue: layout.header & 0x0F) {
    case .connectable, .nonConnectable, .scannable, .scanResponse:
      guard bytes.count >= 6 else { return blank }
      return pseudonyms.addressBytes(Array(bytes[..<6]))
        + advertising.data(Array(bytes[6...])).bytes
    case .directed, .scanRequest, .connectionRequest:
      guard bytes.count >= 12 else { return blank }
      return pseudonyms.addressBytes(Array(bytes[..<6]))
        + pseudonyms.addressBytes(Array(bytes[6..<12])) + bytes[12...]
    case .extended: return extended(bytes)
    case .connectionResponse, nil: return blank
    }
  }

  /// The extended header's addresses; its other fields stay but for further data in it.
  private func extended(_ bytes: [UInt8]) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: bytes.count)
    guard let first = bytes.first else { return result }
    let end = 1 + Int(first & 0x3F)
    guard end <= bytes.count else { return result }
    result[0] = first
    var set: [UInt8] = []
    if end > 1 {
      let flags = bytes[1]
      result[1] = flags
      var place = 2
      for (bit, size) in [(0, 6), (1, 6), (2, 1), (3, 2), (4, 3), (5, 18), (6, 1)] {
        guard flags >> bit & 1 == 1 else { continue }
        guard place + size <= end else { return result }
        let field = Array(bytes[place..<place + size])
        if bit == 3 { set = field }
        result.replaceSubrange(
          place..<place + size, with: bit < 2 ? pseudonyms.addressBytes(field) : field)
        place += size
      }
    }
    let data = advertising.data(Array(bytes[end...]), skipping: missing[set] ?? 0)
    if missing.count > 1024 { missing = [:] }
    missing[set] = data.missing > 0 && !set.isEmpty ? data.missing : nil
    result.replaceSubrange(end..., with: data.bytes)
    return result
  }
}
