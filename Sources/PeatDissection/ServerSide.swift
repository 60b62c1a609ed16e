import BluetoothProtocols

/// One of the two ends of a connection. Either may be a GATT server, and both often are.
enum Side: Int, Sendable {
  case local = 0
  case peer = 1

  var other: Side { self == .local ? .peer : .local }
}

/// A server whose attribute table is learnt: one end of one connection.
struct ServerKey: Sendable, Hashable {
  var link: Int
  var side: Side
}

/// The device behind a server, by which a later connection finds the table again.
struct ServerIdentity: Sendable, Hashable {
  var side: Side
  /// The server's own address; for the local side the peer's, as that is who learnt the table.
  var address: DeviceAddress
}

/// What a handle of a server is.
struct ResolvedHandle: Sendable, Equatable {
  var part: CharacteristicPart
  var characteristic: BluetoothUUID?
  var service: BluetoothUUID?
  var resolution: HandleResolution
}

/// Whether a handle's values are wanted.
enum HandleVerdict: Sendable, Equatable {
  case wanted(ResolvedHandle)
  case unwanted
  /// No discovery has named it yet.
  case unresolved
}
