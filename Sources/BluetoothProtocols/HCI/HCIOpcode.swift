/// The opcode of an HCI command: OGF in the upper 6 bits, OCF in the lower 10.
///
/// Names and numbers from Core Specification Vol 4 Part E, 7; only those that this host sends.
public struct HCIOpcode: RawRepresentable, Sendable, Hashable, BitwiseCopyable {
  /// The number.
  public var rawValue: UInt16
  /// Makes an opcode from its number.
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  private init(_ number: UInt16) { rawValue = number }

  /// 0x0000: None.
  public static let none = HCIOpcode(0x0000)
  /// 0x0406: Disconnect.
  public static let disconnect = HCIOpcode(0x0406)
  /// 0x0C01: Set Event Mask.
  public static let setEventMask = HCIOpcode(0x0C01)
  /// 0x0C03: Reset.
  public static let reset = HCIOpcode(0x0C03)
  /// 0x1001: Read Local Version.
  public static let readLocalVersion = HCIOpcode(0x1001)
  /// 0x1002: Read Local Supported Commands.
  public static let readSupportedCommands = HCIOpcode(0x1002)
  /// 0x1005: Read Buffer Size.
  public static let readBufferSize = HCIOpcode(0x1005)
  /// 0x1009: Read Address.
  public static let readAddress = HCIOpcode(0x1009)
  /// 0x2001: LE Set Event Mask.
  public static let leSetEventMask = HCIOpcode(0x2001)
  /// 0x2002: LE Read Buffer Size.
  public static let leReadBufferSize = HCIOpcode(0x2002)
  /// 0x2003: LE Read Features.
  public static let leReadFeatures = HCIOpcode(0x2003)
  /// 0x2005: LE Set Random Address.
  public static let leSetRandomAddress = HCIOpcode(0x2005)
  /// 0x2006: LE Set Advertising Parameters.
  public static let leSetAdvertisingParameters = HCIOpcode(0x2006)
  /// 0x2008: LE Set Advertising Data.
  public static let leSetAdvertisingData = HCIOpcode(0x2008)
  /// 0x2009: LE Set Scan Response Data.
  public static let leSetScanResponseData = HCIOpcode(0x2009)
  /// 0x200A: LE Set Advertising Enable.
  public static let leSetAdvertisingEnable = HCIOpcode(0x200A)
  /// 0x200B: LE Set Scan Parameters.
  public static let leSetScanParameters = HCIOpcode(0x200B)
  /// 0x200C: LE Set Scan Enable.
  public static let leSetScanEnable = HCIOpcode(0x200C)
  /// 0x200D: LE Create Connection.
  public static let leCreateConnection = HCIOpcode(0x200D)
  /// 0x200E: LE Create Connection Cancel.
  public static let leCreateConnectionCancel = HCIOpcode(0x200E)
  /// 0x2013: LE Connection Update.
  public static let leConnectionUpdate = HCIOpcode(0x2013)
  /// 0x2016: LE Read Remote Features.
  public static let leReadRemoteFeatures = HCIOpcode(0x2016)
  /// 0x2017: LE Encrypt.
  public static let leEncrypt = HCIOpcode(0x2017)
  /// 0x2018: LE Rand.
  public static let leRand = HCIOpcode(0x2018)
  /// 0x2019: LE Enable Encryption.
  public static let leEnableEncryption = HCIOpcode(0x2019)
  /// 0x201A: LE Long Term Key Reply.
  public static let leLongTermKeyReply = HCIOpcode(0x201A)
  /// 0x201B: LE Long Term Key Negative Reply.
  public static let leLongTermKeyNegativeReply = HCIOpcode(0x201B)
  /// 0x2020: LE Connection Parameter Reply.
  public static let leConnectionParameterReply = HCIOpcode(0x2020)
  /// 0x2021: LE Connection Parameter Negative Reply.
  public static let leConnectionParameterNegativeReply = HCIOpcode(0x2021)
  /// 0x2022: LE Set Data Length.
  public static let leSetDataLength = HCIOpcode(0x2022)
  /// 0x2024: LE Write Default Data Length.
  public static let leWriteDefaultDataLength = HCIOpcode(0x2024)
  /// 0x2032: LE Set PHY.
  public static let leSetPHY = HCIOpcode(0x2032)
  /// 0x2035: LE Set Advertising Set Address.
  public static let leSetAdvertisingSetAddress = HCIOpcode(0x2035)
  /// 0x2036: LE Set Extended Advertising Parameters.
  public static let leSetExtendedAdvertisingParameters = HCIOpcode(0x2036)
  /// 0x2037: LE Set Extended Advertising Data.
  public static let leSetExtendedAdvertisingData = HCIOpcode(0x2037)
  /// 0x2038: LE Set Extended Scan Response Data.
  public static let leSetExtendedScanResponseData = HCIOpcode(0x2038)
  /// 0x2039: LE Set Extended Advertising Enable.
  public static let leSetExtendedAdvertisingEnable = HCIOpcode(0x2039)
  /// 0x2041: LE Set Extended Scan Parameters.
  public static let leSetExtendedScanParameters = HCIOpcode(0x2041)
  /// 0x2042: LE Set Extended Scan Enable.
  public static let leSetExtendedScanEnable = HCIOpcode(0x2042)
  /// 0x2043: LE Extended Create Connection.
  public static let leExtendedCreateConnection = HCIOpcode(0x2043)

  /// Whether the command is answered by Command Status and finished by a later event.
  public var isAnsweredByStatus: Bool {
    switch self {
    case .disconnect, .leCreateConnection, .leExtendedCreateConnection, .leConnectionUpdate,
      .leReadRemoteFeatures, .leEnableEncryption, .leSetPHY:
      true
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
