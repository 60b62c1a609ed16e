/// What a node can do, as beacons and node info carry it (protocol.md 3).
@frozen
public struct Capabilities: OptionSet, Hashable, Sendable, BitwiseCopyable {
  /// The bits; undefined ones are kept.
  public var rawValue: UInt16

  /// Makes a set from its bits.
  @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Bit 0: a lite node.
  public static let liteNode = Capabilities(rawValue: 0x0001)
  /// Bit 1: measures acceleration.
  public static let accelerometer = Capabilities(rawValue: 0x0002)
  /// Bit 2: measures temperature.
  public static let temperature = Capabilities(rawValue: 0x0004)
  /// Bit 3: has a button.
  public static let button = Capabilities(rawValue: 0x0008)
  /// Bit 4: has a light.
  public static let led = Capabilities(rawValue: 0x0010)
  /// Bit 5: can vibrate.
  public static let vibration = Capabilities(rawValue: 0x0020)
  /// Bit 6: has a display.
  public static let display = Capabilities(rawValue: 0x0040)
  /// Bit 7: passes messages on.
  public static let canRelay = Capabilities(rawValue: 0x0080)
  /// Bit 8: speaks the long-range physical layer.
  public static let codedPHY = Capabilities(rawValue: 0x0100)
  /// Bit 9: knows its position.
  public static let gps = Capabilities(rawValue: 0x0200)

  private static let names: [(Capabilities, String)] = [
    (.liteNode, "lite-node"), (.accelerometer, "accelerometer"), (.temperature, "temperature"),
    (.button, "button"), (.led, "led"), (.vibration, "vibration"), (.display, "display"),
    (.canRelay, "can-relay"), (.codedPHY, "coded-phy"), (.gps, "gps"),
  ]

  /// Names of the bits that are set, lowest first; undefined bits as one hexadecimal number.
  public var names: [String] {
    var result = Capabilities.names.filter { contains($0.0) }.map(\.1)
    let undefined = rawValue & 0xFC00
    if undefined != 0 { result.append("0x" + String(undefined, radix: 16)) }
    return result
  }
}

/// A node's level in the hierarchy (protocol.md 3).
@frozen
public enum HierarchyLevel: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  case platform = 0
  case squad = 1
  case platoon = 2
  case company = 3

  /// The level of a wire byte; the reference takes an unknown one for ``platform``.
  @inlinable
  public init(clamping byte: UInt8) { self = HierarchyLevel(rawValue: byte) ?? .platform }

  /// The level's name in lower case.
  public var name: String {
    switch self {
    case .platform: "platform"
    case .squad: "squad"
    case .platoon: "platoon"
    case .company: "company"
    }
  }
}
