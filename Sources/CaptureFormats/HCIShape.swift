/// Whether bytes look like HCI packets, where nothing says that they are (Core Specification Vol 4
/// Part E 5.4 and 7.7).
enum HCIShape {
  /// A command with nothing before or behind it: a known group of opcodes, and a length that fits.
  static func isCommand(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 3 && Int(bytes[2]) + 3 == bytes.count && isOpcode(bytes[0], bytes[1])
  }

  /// An opcode of a known group: link control to LE, or a vendor's.
  static func isOpcode(_ low: UInt8, _ high: UInt8) -> Bool {
    (low | high) != 0 && ((1...8).contains(high >> 2) || high >> 2 == 0x3F)
  }

  /// An LE Meta event whose length is the one of its kind.
  static func isMetaEvent(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 4, bytes[0] == 0x3E, Int(bytes[1]) + 2 == bytes.count else { return false }
    return isMetaLength(bytes[2], bytes.count - 2)
  }

  /// Whether an LE Meta event of this kind can have so many bytes of parameters.
  static func isMetaLength(_ kind: UInt8, _ count: Int) -> Bool {
    switch kind {
    case 0x01: count == 19
    case 0x02: count >= 12
    case 0x03: count == 10
    case 0x04: count == 12
    case 0x05: count == 13
    case 0x06: count == 11
    case 0x07: count == 11
    case 0x08: count == 66
    case 0x09: count == 34
    case 0x0A: count == 31
    case 0x0C: count == 6
    case 0x0D: count >= 26
    case 0x12: count == 6
    case 0x14: count == 4
    case 0x29: count == 33 || count == 34
    default: false
    }
  }

  /// One of the events that every session has, with its own length.
  static func isUsualEvent(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 3, Int(bytes[1]) + 2 == bytes.count else { return false }
    let count = bytes.count - 2
    switch bytes[0] {
    case 0x05, 0x08: return count == 4 && bytes[4] < 0x0F
    case 0x0E: return count >= 3 && (isOpcode(bytes[3], bytes[4]) || bytes[3] | bytes[4] == 0)
    case 0x0F: return count == 4 && (isOpcode(bytes[4], bytes[5]) || bytes[4] | bytes[5] == 0)
    case 0x13: return bytes[2] > 0 && count == 1 + 4 * Int(bytes[2])
    case 0x3E: return isMetaEvent(bytes)
    default: return false
    }
  }

  /// ACL data that is one whole L2CAP packet on a channel of an LE or classic connection.
  static func isWholeACL(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 9 else { return false }
    let length = Int(bytes[2]) | Int(bytes[3]) << 8
    let inner = Int(bytes[4]) | Int(bytes[5]) << 8
    let channel = Int(bytes[6]) | Int(bytes[7]) << 8
    let boundary = bytes[1] >> 4 & 3
    return length + 4 == bytes.count && inner + 4 == length && boundary & 1 == 0
      && bytes[1] & 0x0F <= 0x0E && (1...7).contains(channel) && bytes[1] >> 6 == 0
  }
}
