public import WireBytes

/// What a node's wearer is doing (protocol.md 3); an open set, as firmware sends other numbers.
public struct Activity: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
  /// The number on the wire.
  public var rawValue: UInt8
  /// Makes an activity from its number.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// 0: at rest.
  public static let still = Activity(rawValue: 0)
  /// 1: on foot.
  public static let walking = Activity(rawValue: 1)
  /// 2: fast on foot.
  public static let running = Activity(rawValue: 2)
  /// Vehicle in one half of the reference, fall in the other.
  public static let vehicleOrFall = Activity(rawValue: 3)

  /// The name in records; other numbers are `unknown_N`.
  public var name: String {
    switch rawValue {
    case 0: "still"
    case 1: "walking"
    case 2: "running"
    case 3: "vehicle_or_fall"
    default: "unknown_\(rawValue)"
    }
  }
}

/// Alert bits of a node's health (protocol.md 3).
public struct Alerts: OptionSet, Hashable, Sendable, BitwiseCopyable {
  /// The bits on the wire.
  public var rawValue: UInt8
  /// Makes a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Bit 0: the wearer does not move.
  public static let manDown = Alerts(rawValue: 0x01)
  /// Bit 1: the battery runs out.
  public static let lowBattery = Alerts(rawValue: 0x02)
  /// Bit 2: out of range; a geofence alert in Android's naming.
  public static let outOfRange = Alerts(rawValue: 0x04)
  /// Bit 3: free for applications; a panic alert in Android's naming.
  public static let custom1 = Alerts(rawValue: 0x08)

  /// The names of the set bits, lowest first.
  public var names: [String] {
    (0..<8).filter { rawValue & (1 << $0) != 0 }.map { Alerts.names[$0] }
  }

  static let names = [
    "man_down", "low_battery", "out_of_range", "custom_1", "bit_4", "bit_5", "bit_6", "bit_7",
  ]
}

/// Battery, activity, alerts and heart rate of a peripheral: 4 bytes (protocol.md 2.4).
public struct Health: Hashable, Sendable, BitwiseCopyable {
  /// Battery charge in percent; 0 also means "not set".
  public var battery: UInt8
  /// What the wearer is doing.
  public var activity: Activity
  /// The alerts that are raised.
  public var alerts: Alerts
  /// Beats a minute, 0 = absent.
  public var heartRate: UInt8

  /// Makes a health from its parts.
  public init(
    battery: UInt8 = 0, activity: Activity = .still, alerts: Alerts = [], heartRate: UInt8 = 0
  ) {
    self.battery = battery
    self.activity = activity
    self.alerts = alerts
    self.heartRate = heartRate
  }

  /// Appends the 4 bytes.
  public func encode(into writer: inout ByteWriter) {
    writer.u8(battery)
    writer.u8(activity.rawValue)
    writer.u8(alerts.rawValue)
    writer.u8(heartRate)
  }

  /// The first field that the reference refuses: its offset in the 4 bytes, its value, and why.
  var fault: (offset: Int, raw: UInt8, reason: String)? {
    if battery > 100 { return (0, battery, "battery \(battery) is above 100") }
    if activity.rawValue > 3 {
      return (1, activity.rawValue, "activity \(activity.rawValue) is above 3")
    }
    if heartRate != 0 && !(20...250).contains(heartRate) {
      return (3, heartRate, "heart rate \(heartRate) is not 0 or 20 to 250")
    }
    return nil
  }

  /// Whether the reference accepts these values (protocol.md 2.4).
  public var isValid: Bool {
    battery <= 100 && activity.rawValue <= 3
      && (heartRate == 0 || (heartRate >= 20 && heartRate <= 250))
  }
}
