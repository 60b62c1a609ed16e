internal import PeatProtocol

/// Reads the stored forms of this target, least significant byte first, from an array.
struct StoredReader {
  private let bytes: [UInt8]
  private(set) var offset: Int = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var remaining: Int { bytes.count - offset }

  mutating func array(_ count: Int) throws(FormatFault) -> [UInt8] {
    guard count >= 0, count <= remaining else {
      throw FormatFault(
        reason: "\(count) bytes needed, \(remaining) left", offset: offset)
    }
    defer { offset += count }
    return Array(bytes[offset..<offset + count])
  }

  mutating func u8() throws(FormatFault) -> UInt8 { try array(1)[0] }
  mutating func le16() throws(FormatFault) -> UInt16 { UInt16(truncatingIfNeeded: try number(2)) }
  mutating func le32() throws(FormatFault) -> UInt32 { UInt32(truncatingIfNeeded: try number(4)) }
  mutating func le64() throws(FormatFault) -> UInt64 { try number(8) }

  private mutating func number(_ size: Int) throws(FormatFault) -> UInt64 {
    try array(size).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
