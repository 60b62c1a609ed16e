import WireBytes

extension CaptureReader {
  /// Reads one record of BlueZ's old hcidump: 12 bytes of header, then H4 (formats.md 6).
  mutating func stepHCIDump(_ out: inout PendingRecord) throws(CaptureError) -> Step {
    guard try window.has(12) else {
      return window.available == 0
        ? .end : .damaged(.cutHeader(have: window.available, need: 12))
    }
    let captured = Int(window.u16(0, .little))
    let received = window.u8(2)
    let seconds = window.u32(4, .little)
    let fraction = window.u32(8, .little)
    if captured == 0 { return .damaged(allZero(12) ? .zeros : .implausible) }
    guard received <= 1, fraction < 1_000_000 else { return .damaged(.implausible) }
    let length = 12 + captured
    guard try window.has(length) else {
      return .damaged(.cutRecord(have: window.available, need: length))
    }
    let microseconds = Int64(seconds) * 1_000_000 + Int64(fraction)
    clock.note(microseconds)
    frames &+= 1
    let kind = PacketKind.h4(
      window.u8(12), received == 0 ? .sent : .received, front: 1)
    take(
      &out, kind, ahead: 12, captured: captured, original: captured,
      time: Timestamp(microseconds: microseconds), adapter: 0, drops: 0, length: length)
    return .record
  }

  /// The length of a record that is beyond doubt.
  mutating func plausibleHCIDump(_ ahead: Int) -> Int? {
    // The record's first byte of data lies behind the smallest header.
    guard window.available > ahead + 12 else { return nil }
    guard let length = FormatSniffer.hcidumpRecord(window, ahead) else { return nil }
    return clock.isNear(Int64(window.u32(ahead + 4, .little)) * 1_000_000) ? length : nil
  }
}
