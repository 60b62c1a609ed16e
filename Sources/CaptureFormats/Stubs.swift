struct PcapngState: Sendable { var refused: (offset: Int, reason: String)? }
extension CaptureReader {
  mutating func stepPcapng() throws(CaptureError) -> Step { .end }
  mutating func stepPacketLogger() throws(CaptureError) -> Step { .end }
  mutating func stepHCIDump() throws(CaptureError) -> Step { .end }
  mutating func stepBTSnooz() throws(CaptureError) -> Step { .end }
  func plausiblePcapng(_ ahead: Int) -> Int? { nil }
  func plausiblePacketLogger(_ ahead: Int) -> Int? { nil }
  func plausibleHCIDump(_ ahead: Int) -> Int? { nil }
}
extension FormatSniffer {
  static func withoutMagic(_ window: inout ByteWindow) throws(CaptureError) -> Found? { nil }
}
