/// The opcode of an HCI command: OGF in the upper 6 bits, OCF in the lower 10.
///
/// Names and numbers from Core Specification Vol 4 Part E, 7; only those that this host sends.
public struct HCIOpcode: RawRepresentable, Sendable, Hashable, BitwiseCopyable {
  /// The number.
  public var rawValue: UInt16
  /// Makes an opcode from its number.
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  private init(_ number: UInt16) { rawValue = number }

  public static let none = HCIOpcode(0x0000)
  public static let disconnect = HCIOpcode(0x0406)
  public static let setEventMask = HCIOpcode(0x0C01)
  public static let reset = HCIOpcode(0x0C03)
  public static let readLocalVersion = HCIOpcode(0x1001)
  public static let readBufferSize = HCIOpcode(0x1005)
  public static let readAddress = HCIOpcode(0x1009)
  public static let leSetEventMask = HCIOpcode(0x2001)
  public static let leReadBufferSize = HCIOpcode(0x2002)
  public static let leReadFeatures = HCIOpcode(0x2003)
  public static let leSetRandomAddress = HCIOpcode(0x2005)
  public static let leSetAdvertisingParameters = HCIOpcode(0x2006)
  public static let leSetAdvertisingData = HCIOpcode(0x2008)
  public static let leSetScanResponseData = HCIOpcode(0x2009)
  public static let leSetAdvertisingEnable = HCIOpcode(0x200A)
  public static let leSetScanParameters = HCIOpcode(0x200B)
  public static let leSetScanEnable = HCIOpcode(0x200C)
  public static let leCreateConnection = HCIOpcode(0x200D)
  public static let leCreateConnectionCancel = HCIOpcode(0x200E)
  public static let leConnectionUpdate = HCIOpcode(0x2013)
  public static let leLongTermKeyNegativeReply = HCIOpcode(0x201B)
  public static let leConnectionParameterReply = HCIOpcode(0x2020)
  public static let leConnectionParameterNegativeReply = HCIOpcode(0x2021)
  public static let leWriteDefaultDataLength = HCIOpcode(0x2024)
  public static let leSetAdvertisingSetAddress = HCIOpcode(0x2035)
  public static let leSetExtendedAdvertisingParameters = HCIOpcode(0x2036)
  public static let leSetExtendedAdvertisingData = HCIOpcode(0x2037)
  public static let leSetExtendedScanResponseData = HCIOpcode(0x2038)
  public static let leSetExtendedAdvertisingEnable = HCIOpcode(0x2039)
  public static let leSetExtendedScanParameters = HCIOpcode(0x2041)
  public static let leSetExtendedScanEnable = HCIOpcode(0x2042)
  public static let leExtendedCreateConnection = HCIOpcode(0x2043)

  /// Whether the command is answered by Command Status and finished by a later event.
  public var isAnsweredByStatus: Bool {
    switch self {
    case .disconnect, .leCreateConnection, .leExtendedCreateConnection, .leConnectionUpdate: true
    default: false
    }
  }
}

extension HCIPacket {
  /// A command packet (Core Specification Vol 4 Part E, 5.4.1).
  public static func command(_ opcode: HCIOpcode, _ parameters: [UInt8] = []) -> HCIPacket {
    let low = UInt8(truncatingIfNeeded: opcode.rawValue)
    let high = UInt8(truncatingIfNeeded: opcode.rawValue >> 8)
    return HCIPacket(
      .command, [low, high, UInt8(clamping: parameters.count)] + parameters.prefix(255))
  }

  /// An event packet (Core Specification Vol 4 Part E, 5.4.4).
  public static func event(_ code: UInt8, _ parameters: [UInt8]) -> HCIPacket {
    HCIPacket(.event, [code, UInt8(clamping: parameters.count)] + parameters.prefix(255))
  }

  /// A data packet: its handle, whether it continues a packet, and its data
  /// (Core Specification Vol 4 Part E, 5.4.2).
  public static func acl(
    handle: UInt16, boundary: ACLHeader.Boundary, _ data: ArraySlice<UInt8>
  ) -> HCIPacket {
    let word = handle & 0x0FFF | UInt16(boundary.rawValue) << 12
    let length = UInt16(clamping: data.count)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(4 + data.count)
    for half in [word, length] {
      bytes.append(UInt8(truncatingIfNeeded: half))
      bytes.append(UInt8(truncatingIfNeeded: half >> 8))
    }
    bytes.append(contentsOf: data.prefix(Int(length)))
    return HCIPacket(.acl, bytes)
  }
}
