import WireBytes

extension CaptureReader {
  /// Reads one PacketLogger record: length, seconds, microseconds, type, data (formats.md 4).
  mutating func stepPacketLogger(_ out: inout PendingRecord) throws(CaptureError) -> Step {
    guard try window.has(13) else {
      return window.available == 0
        ? .end
        : .damaged(
          allZero(window.available)
            ? .zeros : .cutHeader(have: window.available, need: 13))
    }
    let claimed = window.u32(0, order)
    guard claimed >= 9 else {
      return .damaged(claimed == 0 ? .zeros : .implausible)
    }
    guard claimed <= Self.longestRecord else { return .damaged(.absurdLength(claimed)) }
    let length = 4 + Int(claimed)
    guard try window.has(length) else {
      return .damaged(.cutRecord(have: window.available, need: length))
    }
    let seconds = window.u32(4, order)
    let fraction = window.u32(8, order)
    let microseconds = Int64(seconds) * 1_000_000 + Int64(fraction)
    if fraction >= 1_000_000 || !clock.isNear(microseconds) {
      if try !isFollowedByRecord(length) { return .damaged(.implausible) }
    }
    clock.note(microseconds)
    frames &+= 1
    let kind: PacketKind
    switch window.u8(12) {
    case 0: kind = PacketKind(.command, .sent)
    case 1: kind = PacketKind(.event, .received)
    case 2: kind = PacketKind(.acl, .sent)
    case 3: kind = PacketKind(.acl, .received)
    default:
      window.keep = window.position
      window.position += length
      return .skipped
    }
    take(
      &out, kind, ahead: 13, captured: length - 13, original: length - 13,
      time: Timestamp(microseconds: microseconds), adapter: 0, drops: 0, length: length)
    return .record
  }

  private mutating func isFollowedByRecord(_ length: Int) throws(CaptureError) -> Bool {
    guard try window.has(length + 13) else { return window.available == length }
    let claimed = window.u32(length, order)
    return claimed >= 9 && claimed <= Self.longestRecord
      && window.u32(length + 8, order) < 1_000_000
  }

  func allZero(_ count: Int) -> Bool { (0..<count).allSatisfy { window.u8($0) == 0 } }

  /// The length of a record that is beyond doubt.
  mutating func plausiblePacketLogger(_ ahead: Int) -> Int? {
    guard let length = FormatSniffer.packetLoggerRecord(window, ahead, order) else { return nil }
    let time = Int64(window.u32(ahead + 4, order)) * 1_000_000
    return clock.isNear(time) ? length : nil
  }
}

extension FormatSniffer {
  /// The whole length of what can be a PacketLogger record in this byte order.
  static func packetLoggerRecord(
    _ window: borrowing ByteWindow, _ ahead: Int, _ order: ByteOrder
  ) -> Int? {
    let claimed = window.u32(ahead, order)
    guard claimed >= 9, claimed <= 0x2_0000 else { return nil }
    guard window.u32(ahead + 8, order) < 1_000_000 else { return nil }
    let size = Int(claimed) - 9
    switch window.u8(ahead + 12) {
    // The shortest packet of each kind is its own header (Core Specification Vol 4 Part E 5.4).
    case 0: return size >= 3 ? 4 + Int(claimed) : nil
    case 1: return size >= 2 ? 4 + Int(claimed) : nil
    case 2...0x0B, 0xEF, 0xF7...0xFF: return 4 + Int(claimed)
    default: return nil
    }
  }

  /// The whole length of what can be an old hcidump record.
  static func hcidumpRecord(_ window: borrowing ByteWindow, _ ahead: Int) -> Int? {
    let length = window.u16(ahead, .little)
    guard length >= 1, window.u8(ahead + 2) <= 1, window.u8(ahead + 3) == 0,
      window.u32(ahead + 8, .little) < 1_000_000,
      (1...5).contains(window.u8(ahead + 12))
    else { return nil }
    return 12 + Int(length)
  }

  /// Containers that have no magic: two records in a row must agree, or one that is all there is.
  static func withoutMagic(_ window: inout ByteWindow) throws(CaptureError) -> Found? {
    guard try window.has(13) else { return nil }
    for order in [ByteOrder.big, .little] {
      let isChain = try chain(&window) { window, ahead in
        packetLoggerRecord(window, ahead, order)
      }
      if isChain {
        return Found(format: .packetLogger, order: order, link: .packetLogger)
      }
    }
    if try chain(&window, hcidumpRecord) {
      return Found(format: .hcidump, order: .little, link: .hciH4)
    }
    return nil
  }

  /// Whether records follow each other from the window's place on: two that fit, or one and the
  /// end, and no third one that does not.
  private static func chain(
    _ window: inout ByteWindow, _ record: (borrowing ByteWindow, Int) -> Int?
  ) throws(CaptureError) -> Bool {
    var ahead = 0
    for count in 0..<5 {
      guard try window.has(ahead + 13) else {
        // A cut record at the end leaves fewer bytes than a header, or none.
        return window.available == ahead ? count >= 1 : count >= 2
      }
      guard let length = record(window, ahead) else { return count >= 2 }
      ahead += length
    }
    return true
  }
}
