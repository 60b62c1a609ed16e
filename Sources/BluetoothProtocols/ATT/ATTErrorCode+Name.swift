/// Names of the errors (Core Specification Vol 3 Part F, 3.4.1.1).
extension ATTErrorCode: CustomStringConvertible {
  /// The name in lower case.
  public var description: String {
    switch rawValue {
    case 0x01: "invalid handle"
    case 0x02: "read not permitted"
    case 0x03: "write not permitted"
    case 0x04: "invalid PDU"
    case 0x05: "insufficient authentication"
    case 0x06: "request not supported"
    case 0x07: "invalid offset"
    case 0x08: "insufficient authorization"
    case 0x09: "prepare queue full"
    case 0x0A: "attribute not found"
    case 0x0B: "attribute not long"
    case 0x0C: "encryption key too short"
    case 0x0D: "invalid value length"
    case 0x0E: "unlikely error"
    case 0x0F: "insufficient encryption"
    case 0x10: "unsupported group type"
    case 0x11: "insufficient resources"
    case 0x12: "database out of sync"
    case 0x13: "value not allowed"
    case 0x80...0x9F: "application error"
    case 0xFC: "write request rejected"
    case 0xFD: "CCC descriptor improperly configured"
    case 0xFE: "procedure already in progress"
    case 0xFF: "out of range"
    default: "not known here"
    }
  }
}
