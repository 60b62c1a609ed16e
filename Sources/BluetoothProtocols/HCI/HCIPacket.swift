/// The packet types of the UART transport layer (Core Specification Vol 4 Part A, 2).
public enum HCIPacketType: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  case command = 1
  case acl = 2
  case synchronous = 3
  case event = 4
  case isochronous = 5

  /// Bytes of the header behind the type byte.
  public var headerSize: Int {
    switch self {
    case .command, .synchronous: 3
    case .acl, .isochronous: 4
    case .event: 2
    }
  }

  /// Bytes of payload that a whole header announces; nil where the header is too short.
  func payloadSize(_ header: ArraySlice<UInt8>) -> Int? {
    let bytes = Array(header)
    guard bytes.count >= headerSize else { return nil }
    switch self {
    case .command, .synchronous: return Int(bytes[2])
    case .event: return Int(bytes[1])
    case .acl: return Int(bytes[2]) | Int(bytes[3]) << 8
    // The two bits above the length are reserved (Core Specification Vol 4 Part E, 5.4.5).
    case .isochronous: return (Int(bytes[2]) | Int(bytes[3]) << 8) & 0x3FFF
    }
  }
}

/// A whole HCI packet between a host and its controller.
public struct HCIPacket: Sendable, Equatable {
  /// What it is.
  public var type: HCIPacketType
  /// The packet without its type byte.
  public var bytes: [UInt8]

  /// Makes a packet from its parts.
  public init(_ type: HCIPacketType, _ bytes: [UInt8]) {
    self.type = type
    self.bytes = bytes
  }

  /// The packet in H4 framing: its type byte, then its bytes.
  public var framed: [UInt8] { [type.rawValue] + bytes }
}
