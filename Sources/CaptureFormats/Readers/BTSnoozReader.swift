import WireBytes

/// What the header of a btsnooz log says (formats.md 5).
struct BTSnoozState: Sendable {
  /// 1, or 2 with an original length in each record.
  var version: UInt8 = 2
  /// Microseconds since 1970 of the instant that the first record's delta counts from.
  var start: Int64 = 0
  /// The sum of the deltas passed so far.
  var elapsed: Int64 = 0

  /// Bytes of a record's header.
  var headerLength: Int { version == 1 ? 7 : 9 }
}

extension CaptureReader {
  /// Reads one btsnooz record: length, original length (version 2), delta, type, data.
  mutating func stepBTSnooz(_ out: inout PendingRecord) throws(CaptureError) -> Step {
    let header = snooz.headerLength
    guard try window.has(header) else {
      return window.available == 0
        ? .end : .damaged(.cutHeader(have: window.available, need: header))
    }
    let counted = Int(window.u16(0, .little))
    let original = snooz.version == 1 ? counted : Int(window.u16(2, .little))
    let delta = window.u32(header - 5, .little)
    guard counted >= 1 else { return .damaged(.implausible) }
    let length = header + counted - 1
    guard try window.has(length) else {
      return .damaged(.cutRecord(have: window.available, need: length))
    }
    snooz.elapsed &+= Int64(delta)
    frames &+= 1
    let kind: PacketKind =
      switch window.u8(header - 1) {
      case 0x20: PacketKind(.command, .sent)
      case 0x10: PacketKind(.event, .received)
      case 0x21: PacketKind(.acl, .sent)
      case 0x11: PacketKind(.acl, .received)
      case 0x22: PacketKind(.sco, .sent)
      case 0x12: PacketKind(.sco, .received)
      case 0x2D: PacketKind(.iso, .sent)
      case 0x17: PacketKind(.iso, .received)
      default: PacketKind(.other, .unknown)
      }
    var whole = original - 1
    // Version 1 cuts packets without a word; ACL data say themselves how long they were
    // (Vol 4 Part E, 5.4.2).
    if snooz.version == 1, kind.content == .acl, counted >= 5 {
      whole = max(whole, 4 + Int(window.u16(header + 2, .little)))
    }
    take(
      &out, kind, ahead: header, captured: counted - 1, original: whole,
      time: Timestamp(microseconds: snooz.start &+ snooz.elapsed), adapter: 0,
      drops: 0, length: length)
    return .record
  }
}

extension FormatSniffer {
  /// The most compressed bytes that are held.
  private static var longestSummary: Int { 8 << 20 }
  /// The most of the marker's own line that is passed.
  private static var longestMarkerLine: Int { 64 << 10 }
  /// The most that is searched for the marker in a pipe or a device, which may never end.
  static var longestSearch: Int { 256 << 20 }
  private static var beginMarker: [UInt8] { Array("--- BEGIN:BTSNOOP_LOG_SUMMARY".utf8) }

  /// A raw btsnooz file (`btsnooz_hci.log`): version, time of the last packet, zlib stream.
  static func btsnooz(
    _ window: inout ByteWindow, path: String
  ) throws(CaptureError) -> Found? {
    guard try window.has(11), [1, 2].contains(window.u8(0)), window.u8(9) == 0x78,
      window.u16(9, .big) % 31 == 0
    else { return nil }
    var packed: [UInt8] = []
    while packed.count < longestSummary, try window.has(1) {
      packed.append(contentsOf: (0..<window.available).map { window.u8($0) })
      window.position += window.available
      window.keep = window.position
    }
    return try log(packed, format: .btsnooz, at: 0, path: path)
  }

  /// A bug report's text, in which a btsnooz log is written as base64 between two lines.
  ///
  /// The text may hold any bytes and the marker may lie anywhere in it; it is passed through once.
  static func bugReport(
    _ window: inout ByteWindow, path: String, longestSearch: Int = longestSearch
  ) throws(CaptureError) -> Found? {
    _ = try window.has(512)
    let sample = min(512, window.available)
    let controls = (0..<sample).count { window.u8($0) < 9 }
    guard controls * 8 < sample else { return nil }
    let marker = beginMarker
    let mayNotEnd = !(window.source?.isSeekable ?? true)
    while try window.has(marker.count) {
      if mayNotEnd && window.offset >= longestSearch { return nil }
      guard window.find(marker) else { continue }
      let place = window.offset
      return try log(try readBase64(&window), format: .bugReport, at: place, path: path)
    }
    return nil
  }

  /// Decodes the lines behind the marker's own, up to the end marker or what is no base64.
  private static func readBase64(_ window: inout ByteWindow) throws(CaptureError) -> [UInt8] {
    let lineStart = window.offset
    while try window.has(1), window.u8(0) != 0x0A {
      guard window.offset - lineStart < longestMarkerLine else { return [] }
      window.position += 1
      window.keep = window.position
    }
    var bytes: [UInt8] = []
    var group: UInt32 = 0
    var count = 0
    while bytes.count < longestSummary, try window.has(1) {
      let byte = window.u8(0)
      let value: UInt8
      switch byte {
      case 0x41...0x5A: value = byte - 0x41
      case 0x61...0x7A: value = byte - 0x61 + 26
      case 0x30...0x39: value = byte - 0x30 + 52
      case 0x2B: value = 62
      case 0x2F: value = 63
      case 0x0A, 0x0D, 0x20, 0x09, 0x3D:
        window.position += 1
        window.keep = window.position
        continue
      default: return bytes
      }
      window.position += 1
      window.keep = window.position
      group = group << 6 | UInt32(value)
      count += 1
      if count & 3 == 2 { bytes.append(UInt8(truncatingIfNeeded: group >> 4)) }
      if count & 3 == 3 { bytes.append(UInt8(truncatingIfNeeded: group >> 2)) }
      if count & 3 == 0 { bytes.append(UInt8(truncatingIfNeeded: group)) }
    }
    return bytes
  }

  /// Sets up a log from its bytes: the first time is the last one minus all deltas.
  private static func log(
    _ bytes: [UInt8], format: CaptureFormat, at place: Int, path: String
  ) throws(CaptureError) -> Found {
    func damaged(_ reason: String) -> CaptureError {
      CaptureError(.damaged, path: path, offset: place, reason: reason)
    }
    guard bytes.count > 9 else {
      throw damaged("the btsnooz log is empty or cut: \(bytes.count) bytes of it are present")
    }
    guard bytes[0] == 1 || bytes[0] == 2 else {
      throw CaptureError(
        .unsupported, path: path, offset: place,
        reason: "btsnooz version \(bytes[0]) is not supported, only 1 and 2")
    }
    var last: UInt64 = 0
    for index in (1...8).reversed() { last = last << 8 | UInt64(bytes[index]) }
    let source: InflateSource
    do {
      source = try InflateSource(Array(bytes[9...]))
    } catch {
      throw damaged(error.reason)
    }
    var found = Found(format: format, order: .little, link: .btsnooz)
    found.snooz.version = bytes[0]
    var sum: Int64 = 0
    var records = ByteWindow(source: source, capacity: 1 << 16)
    let header = found.snooz.headerLength
    while try records.has(header) {
      sum &+= Int64(records.u32(header - 5, .little))
      let counted = Int(records.u16(0, .little))
      guard counted >= 1, try records.skip(header + counted - 1) else { break }
    }
    _ = source.rewind()
    found.snooz.start = Int64(bitPattern: last) &- sum
    found.unpacked = source
    return found
  }
}
