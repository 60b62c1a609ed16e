import BluetoothProtocols
import PeatProtocol

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
  var owner = ValueProtocol.peat
  var role: CharacteristicRole
  var characteristic: BluetoothUUID?
  var service: BluetoothUUID?
  var resolution: HandleResolution

  private static let librarySyncState = BluetoothUUID(
    high: 0xA1B2_0002_E5F6_4A7B, low: 0x8C9D_0E1F_2A3B_4C5D)

  /// Whether its values are shown without being asked for: documents, and the sync state of the
  /// library's service, in which some programs keep a document (protocol.md 1.1).
  var isAlwaysShown: Bool {
    role == .document || characteristic == ResolvedHandle.librarySyncState
  }
}

/// Whether a handle's values are wanted.
enum HandleVerdict: Sendable, Equatable {
  case wanted(ResolvedHandle)
  case unwanted
  /// No discovery has named it yet.
  case unresolved

  /// Whether its values are Peat's, or may be.
  var isForPeat: Bool {
    switch self {
    case .wanted(let resolved): resolved.owner == .peat
    case .unwanted: false
    case .unresolved: true
    }
  }
}
