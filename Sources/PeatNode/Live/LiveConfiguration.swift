package import BluetoothHost
package import BluetoothProtocols

/// What part a live node takes in its mesh.
package enum NodeRole: String, Sendable, CaseIterable {
  /// Hears, and serves what it heard; sends nothing by itself, counts nothing.
  case observe
  /// A node like the reference's.
  case participate
  /// The same, and passes relayed messages on.
  case relay
}

/// What a live node is told besides its mesh configuration; times are milliseconds.
package struct LiveConfiguration: Sendable {
  /// The part that it takes.
  package var role = NodeRole.participate
  /// Its static random address; nil for the controller's public one.
  package var randomAddress: DeviceAddress?
  /// Addresses that change, which replace the one above; nil for one that stays.
  package var privacy: AddressPrivacy?
  /// What becomes of a peer's wish to pair.
  package var pairing = PairingPolicy.none
  /// Time between two periodic sends (protocol.md 8.7).
  package var period: UInt64 = 3_000
  /// Least time between two sends on one link, on average: a first change goes out at once
  /// (protocol.md 8.7).
  package var quietTime: UInt64 = 500
  /// Links that are open at most, where the controller takes as many.
  package var maximumLinks = 32
  /// The MTU that it takes.
  package var mtu: UInt16 = 517
  /// Whether it serves the library's service too, in which the reference's Linux clients look.
  package var servesLibrary = true
  /// Whether legacy commands are used on every controller.
  package var isLegacyOnly = false
  /// Whether it looks for others, and lets itself be found.
  package var scans = true
  package var advertises = true

  /// Makes the default configuration.
  package init() {}
}
