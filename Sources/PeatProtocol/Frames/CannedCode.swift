/// What a canned message says (protocol.md 7.5).
@frozen
public enum CannedCode: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  case acknowledge = 0x00
  case wilco = 0x01
  case negative = 0x02
  case sayAgain = 0x03
  case checkIn = 0x10
  case moving = 0x11
  case holding = 0x12
  case onStation = 0x13
  case returning = 0x14
  case complete = 0x15
  case emergency = 0x20
  case alert = 0x21
  case allClear = 0x22
  case contact = 0x23
  case underFire = 0x24
  case needExtract = 0x30
  case needSupport = 0x31
  case needMedic = 0x32
  case needResupply = 0x33
  case custom = 0xFF

  /// The short text that the reference shows.
  public var name: String {
    switch self {
    case .acknowledge: "ACK"
    case .wilco: "WILCO"
    case .negative: "NEGATIVE"
    case .sayAgain: "SAY AGAIN"
    case .checkIn: "CHECK IN"
    case .moving: "MOVING"
    case .holding: "HOLDING"
    case .onStation: "ON STATION"
    case .returning: "RTB"
    case .complete: "COMPLETE"
    case .emergency: "EMERGENCY"
    case .alert: "ALERT"
    case .allClear: "ALL CLEAR"
    case .contact: "CONTACT"
    case .underFire: "UNDER FIRE"
    case .needExtract: "NEED EXTRACT"
    case .needSupport: "NEED SUPPORT"
    case .needMedic: "MEDIC"
    case .needResupply: "RESUPPLY"
    case .custom: "CUSTOM"
    }
  }

  /// Whether the message answers another one.
  public var isAcknowledgement: Bool { rawValue <= 0x03 }

  /// Whether the message is an alert; "all clear" is none.
  public var isAlert: Bool {
    switch self {
    case .emergency, .alert, .contact, .underFire: true
    case .acknowledge, .wilco, .negative, .sayAgain, .checkIn, .moving, .holding, .onStation,
      .returning, .complete, .allClear, .needExtract, .needSupport, .needMedic, .needResupply,
      .custom:
      false
    }
  }
}
