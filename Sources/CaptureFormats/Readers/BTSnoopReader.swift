import WireBytes

/// btsnoop's epoch: what its clock shows in 1970 (formats.md 2).
let btsnoopEpoch: Int64 = 0x00DC_DDB3_0F2F_8000

extension CaptureReader {
  /// Reads one btsnoop record: 24 bytes of header, most significant byte first (formats.md 2).
  @inline(__always)
  mutating func stepBTSnoop(_ out: inout PendingRecord) throws(CaptureError) -> Step {
    guard try window.has(24) else {
      return window.available == 0
        ? .end : .damaged(.cutHeader(have: window.available, need: 24))
    }
    let original = window.u32(0, .big)
    let included = window.u32(4, .big)
    let time = clock.microseconds(Int64(bitPattern: window.u64(16, .big)))
    guard included <= Self.longestRecord else { return .damaged(.absurdLength(included)) }
    let length = 24 &+ Int(included)
    guard try window.has(length) else {
      return .damaged(.cutRecord(have: window.available, need: length))
    }
    if included > original || original > Self.longestRecord || !clock.isNear(time) {
      if let fault = try doubtBTSnoop(length: length, time: time) { return .damaged(fault) }
    } else if original == 0, window.u64(16, .big) == 0 {
      return .damaged(.zeros)
    }
    clock.note(time)
    let flags = window.u32(8, .big)
    frames &+= 1
    let isMonitor = link == .linuxMonitor
    let direction: RecordDirection = flags & 1 == 0 ? .sent : .received
    let kind: PacketKind
    if link == .hciH4 {
      kind =
        included > 0
        ? .h4(window.u8(24), direction, front: 1) : PacketKind(.other, direction)
    } else if isMonitor {
      kind = .monitor(UInt16(truncatingIfNeeded: flags), front: 0)
    } else if flags & 2 == 0 {
      // Datalink 1001: bit 1 tells command and event from data, bit 0 the direction.
      kind = PacketKind(.acl, direction)
    } else {
      kind = PacketKind(direction == .sent ? .command : .event, direction)
    }
    take(
      &out, kind, ahead: 24, captured: Int(included), original: Int(original),
      time: Timestamp(microseconds: time), adapter: isMonitor ? Int(flags >> 16) : 0,
      drops: window.u32(12, .big), length: length)
    return .record
  }

  /// Second look at a record with an odd header: the one after it must make sense.
  @inline(never)
  private mutating func doubtBTSnoop(length: Int, time: Int64) throws(CaptureError) -> Fault? {
    if window.u64(0, .big) | window.u64(8, .big) | window.u64(16, .big) == 0 { return .zeros }
    guard try window.has(length + 24) else {
      return window.available == length ? nil : .implausible
    }
    let original = window.u32(length, .big)
    let included = window.u32(length + 4, .big)
    let next = clock.microseconds(Int64(bitPattern: window.u64(length + 16, .big)))
    var shifted = clock
    shifted.note(time)
    let fits =
      included <= original && original <= Self.longestRecord && original > 0
      && (clock.isNear(next) || shifted.isNear(next))
    return fits ? nil : .implausible
  }

  /// The length of a record that is beyond doubt.
  mutating func plausibleBTSnoop(_ ahead: Int) -> Int? {
    let original = window.u32(ahead, .big)
    let included = window.u32(ahead + 4, .big)
    let flags = window.u32(ahead + 8, .big)
    guard included > 0, included <= original, original <= 0x2_0000 else { return nil }
    guard link == .linuxMonitor ? flags & 0xFFFF <= 32 : flags <= 3 else { return nil }
    let time = clock.microseconds(Int64(bitPattern: window.u64(ahead + 16, .big)))
    guard clock.hasLatest ? clock.isNear(time) : isCredible(microseconds: time) else {
      return nil
    }
    return 24 + Int(included)
  }
}

extension FormatSniffer {
  /// Checks a btsnoop file header and finds out what its clock means.
  static func btsnoop(
    _ window: inout ByteWindow, path: String
  ) throws(CaptureError) -> Found {
    guard try window.has(16) else {
      throw CaptureError(
        .damaged, path: path, offset: window.available,
        reason: "the btsnoop file header is cut: 16 bytes needed, \(window.available) present")
    }
    let version = window.u32(8, .big)
    guard version == 1 else {
      throw CaptureError(
        .unsupported, path: path, offset: 8,
        reason: "btsnoop version \(version) is not supported, only version 1")
    }
    let datalink = window.u32(12, .big)
    let link: LinkType
    switch datalink {
    case 1001: link = .hciUnencapsulated
    case 1002: link = .hciH4
    case 2001: link = .linuxMonitor
    default:
      let name =
        switch datalink {
        case 1003: " (HCI BCSP)"
        case 1004: " (HCI H5, three-wire)"
        case 2002: " (BlueZ simulator)"
        default: ""
        }
      throw CaptureError(
        .unsupported, path: path, offset: 12,
        reason: "btsnoop datalink \(datalink)\(name) is unsupported; "
          + "1001, 1002 (HCI) and 2001 (Linux monitor) are read")
    }
    var found = Found(format: .btsnoop, order: .big, link: link)
    found.clock.origin = btsnoopEpoch
    if try window.has(16 + 24) {
      let first = Int64(bitPattern: window.u64(32, .big))
      found.clock = RecordClock.btsnoop(first: first)
      if let note = RecordClock.btsnoopNote(found.clock, first: first) { found.notes = [note] }
    }
    return found
  }
}

extension RecordClock {
  /// The clock of a btsnoop file by its first time: some writers leave the epoch out, count
  /// milliseconds, or both (formats.md 2). Differences are kept whatever the clock shows.
  static func btsnoop(first: Int64) -> RecordClock {
    let candidates = [
      RecordClock(origin: btsnoopEpoch), RecordClock(origin: 0),
      RecordClock(origin: btsnoopEpoch / 1000, scale: 1000), RecordClock(origin: 0, scale: 1000),
    ]
    let meant = candidates.first { isCredible(microseconds: $0.microseconds(first)) }
    if let meant { return meant }
    // A clock that was never set, but counts from 1970: show it as it is.
    let plain = RecordClock(origin: btsnoopEpoch).microseconds(first)
    if plain >= 0, plain < 8_000_000_000_000_000 { return RecordClock(origin: btsnoopEpoch) }
    return RecordClock(origin: first)
  }

  /// What to tell the user about a clock whose first time is `first`.
  static func btsnoopNote(_ clock: RecordClock, first: Int64) -> String? {
    if isCredible(microseconds: clock.microseconds(first)) {
      if clock.scale == 1000 {
        return "times are in milliseconds, where btsnoop has microseconds; read as milliseconds"
      }
      return clock.origin == btsnoopEpoch
        ? nil : "times count from 1970, where btsnoop counts from year 0; read so"
    }
    return clock.origin == btsnoopEpoch
      ? "times lie outside 1990 to 2100: the clock was not set; differences are right"
      : "times lie outside 1990 to 2100 and make no date; shown from 1970 on, differences are right"
  }
}
