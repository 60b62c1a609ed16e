import WireBytes

extension CaptureReader {
  /// Reads one pcap record: 16 bytes of header in the file's byte order (formats.md 7).
  @inline(__always)
  mutating func stepPcap(_ out: inout PendingRecord) throws(CaptureError) -> Step {
    guard try window.has(16) else {
      return window.available == 0
        ? .end : .damaged(.cutHeader(have: window.available, need: 16))
    }
    let seconds = window.u32(0, order)
    let fraction = window.u32(4, order)
    let captured = window.u32(8, order)
    let original = window.u32(12, order)
    guard captured <= Self.longestRecord else { return .damaged(.absurdLength(captured)) }
    let length = 16 &+ Int(captured)
    guard try window.has(length) else {
      return .damaged(.cutRecord(have: window.available, need: length))
    }
    let isNano = clock.scale == 0
    let microseconds =
      Int64(seconds) &* 1_000_000 &+ Int64(isNano ? fraction / 1000 : fraction)
    if captured > original || original > Self.longestRecord || !clock.isNear(microseconds)
      || fraction >= (isNano ? 1_000_000_000 : 1_000_000)
    {
      if let fault = try doubtPcap(length: length, seconds: seconds) { return .damaged(fault) }
    } else if seconds | fraction | original == 0 {
      return .damaged(.zeros)
    }
    clock.note(microseconds)
    frames &+= 1
    let nanoseconds =
      Int64(seconds) &* 1_000_000_000 &+ Int64(fraction) &* (isNano ? 1 : 1000)
    let time = Timestamp(nanoseconds: nanoseconds, isNanosecondPrecise: isNano)
    if link.isUSB {
      return takeTransfer(
        link, ahead: 16, captured: Int(captured), time: time, interface: 0, drops: 0,
        length: length)
    }
    takePacket(
      &out, link, ahead: 16, captured: Int(captured), original: Int(original), time: time,
      direction: .unknown, adapter: 0, drops: 0, length: length)
    return .record
  }

  /// Takes a packet of a link type that pcap or pcapng numbers.
  ///
  /// Link type 254 begins with adapter and opcode, 16 bits each, most significant byte first.
  @inline(__always)
  mutating func takePacket(
    _ out: inout PendingRecord, _ link: LinkType, ahead: Int, captured: Int, original: Int,
    time: Timestamp?, direction: RecordDirection, adapter: Int, drops: UInt32, length: Int
  ) {
    var kind: PacketKind
    var adapter = adapter
    var index: Int?
    if link == .linuxMonitor {
      let isWhole = captured >= 4
      index = isWhole ? Int(window.u16(ahead, .big)) : 0
      kind =
        isWhole
        ? .monitor(window.u16(ahead &+ 2, .big), front: 4) : PacketKind(.other, .unknown)
    } else {
      kind = classify(
        link, ahead: ahead, captured: captured, direction: direction)
    }
    if sections.hasSection {
      adapter = sections.adapters.number(interface: adapter, index: index)
    } else if let index {
      adapter = index
    }
    take(
      &out, kind, ahead: ahead, captured: captured, original: original, time: time,
      adapter: adapter, drops: drops, length: length)
  }

  /// Second look at a record with an odd header: the one after it must make sense.
  @inline(never)
  private mutating func doubtPcap(length: Int, seconds: UInt32) throws(CaptureError) -> Fault? {
    if window.u64(0, .big) | window.u64(8, .big) == 0 { return .zeros }
    guard try window.has(length + 16) else {
      return window.available == length ? nil : .implausible
    }
    let captured = window.u32(length + 8, order)
    let original = window.u32(length + 12, order)
    let next = Int64(window.u32(length, order)) * 1_000_000
    var shifted = clock
    shifted.note(Int64(seconds) * 1_000_000)
    let fits =
      captured <= Self.longestRecord && original <= Self.longestRecord && captured > 0
      && (clock.isNear(next) || shifted.isNear(next))
    return fits ? nil : .implausible
  }

  /// The length of a record that is beyond doubt.
  mutating func plausiblePcap(_ ahead: Int) -> Int? {
    let captured = window.u32(ahead + 8, order)
    let original = window.u32(ahead + 12, order)
    guard captured > 0, captured <= original, original <= 0x2_0000 else { return nil }
    let isNano = clock.scale == 0
    guard window.u32(ahead + 4, order) < (isNano ? 1_000_000_000 : 1_000_000) else { return nil }
    let time = Int64(window.u32(ahead, order)) * 1_000_000
    guard clock.hasLatest ? clock.isNear(time) : isCredible(microseconds: time) else {
      return nil
    }
    return 16 + Int(captured)
  }
}

extension FormatSniffer {
  /// Checks a pcap file header; `order` and `isNano` come from its magic.
  static func pcap(
    _ window: inout ByteWindow, path: String, order: ByteOrder, isNano: Bool
  ) throws(CaptureError) -> Found {
    guard try window.has(24) else {
      throw CaptureError(
        .damaged, path: path, offset: window.available,
        reason: "the pcap file header is cut: 24 bytes needed, \(window.available) present")
    }
    let link = LinkType(number: window.u32(20, order) & 0x03FF_FFFF)
    guard link.isReadable else {
      throw CaptureError(.notACapture, path: path, offset: 20, reason: link.refusal)
    }
    var found = Found(format: .pcap, order: order, link: link)
    // A scale of 0 stands for nanoseconds: pcap does its own arithmetic.
    found.clock.scale = isNano ? 0 : 1
    return found
  }
}
