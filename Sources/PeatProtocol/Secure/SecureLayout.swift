/// Length rules that the three secured frames share (protocol.md 6.1 to 6.3).
enum SecureLayout {
  /// Marker and the byte after it, which every reader ignores.
  static let header = 2
  /// Bytes of a ChaCha20-Poly1305 nonce.
  static let nonce = 12
  /// Bytes of a ChaCha20-Poly1305 tag.
  static let tag = 16

  /// Checks that `bytes` starts with `marker` and holds at least `minimum` bytes.
  static func check(
    _ bytes: [UInt8], marker: UInt8, minimum: Int, name: StaticString
  ) throws(FormatFault) {
    guard let first = bytes.first else {
      throw FormatFault(reason: "\(name) needs \(minimum) bytes, none present", offset: 0)
    }
    guard first == marker else {
      let expected = String(marker, radix: 16)
      let found = String(first, radix: 16)
      throw FormatFault(
        reason: "\(name) starts with 0x\(expected), found 0x\(found)", offset: 0)
    }
    try checkLength(bytes, minimum: minimum, name: name)
  }

  /// Checks that `bytes` holds at least `minimum` bytes.
  static func checkLength(
    _ bytes: [UInt8], minimum: Int, name: StaticString
  ) throws(FormatFault) {
    guard bytes.count >= minimum else {
      throw FormatFault(
        reason: "\(name) needs \(minimum) bytes, \(bytes.count) present", offset: bytes.count)
    }
  }

  /// Reads 32 bits at `offset`, least significant byte first; the caller has checked the length.
  static func le32(_ bytes: [UInt8], at offset: Int) -> UInt32 {
    bytes[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Reads 64 bits at `offset`, least significant byte first; the caller has checked the length.
  static func le64(_ bytes: [UInt8], at offset: Int) -> UInt64 {
    bytes[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
