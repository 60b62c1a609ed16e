/// A beacon heard in advertising, in any of its three forms (protocol.md 1.5).
public struct BeaconMessage: Equatable, Sendable {
  /// The three forms; the raw value is the name in records.
  public enum Form: String, Sendable, BitwiseCopyable {
    case full, compact, encrypted
  }

  /// Which form it is.
  public var form: Form
  /// 1 for the clear forms, 2 for the encrypted one; not checked.
  public var version: UInt8
  /// What the node can do.
  public var capabilities: Capabilities
  /// The node's level.
  public var level: HierarchyLevel
  /// 24 bits, only in the full form.
  public var geohash: UInt32?
  /// Percent, nil for unknown.
  public var battery: UInt8?
  /// Counts up with each beacon; not in the encrypted form.
  public var sequence: UInt16?
  /// Signal strength in dBm, where the capture tells it.
  public var rssi: Int8?
  /// The advertiser's local name, where it gave one.
  public var name: String?

  /// Takes a beacon in clear.
  public init(_ beacon: Beacon, form: Form, rssi: Int8? = nil, name: String? = nil) {
    self.form = form
    version = beacon.version
    capabilities = beacon.capabilities
    level = beacon.level
    geohash = form == .full ? beacon.geohash : nil
    battery = beacon.battery == Beacon.unknownBattery ? nil : beacon.battery
    sequence = beacon.sequence
    self.rssi = rssi
    self.name = name
  }

  /// Takes the last four bytes of an encrypted beacon, which are in clear (protocol.md 1.5).
  public init(
    encryptedWithCapabilities capabilities: Capabilities, level: HierarchyLevel, battery: UInt8,
    rssi: Int8? = nil, name: String? = nil
  ) {
    form = .encrypted
    version = 2
    self.capabilities = capabilities
    self.level = level
    self.battery = battery == Beacon.unknownBattery ? nil : battery
    self.rssi = rssi
    self.name = name
  }
}
