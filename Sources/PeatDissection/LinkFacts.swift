public import BluetoothProtocols
public import WireBytes

/// What a connection's traffic says of one end's document characteristic.
public struct ServerFacts: Sendable, Equatable {
  /// Its handle, where discovery on this connection named it.
  public var documentHandle: UInt16?
  /// Whether the client asked for notifications or indications of it and was not refused.
  public var isSubscribed = false
  /// Whether it sent a notification or indication of it, whoever asked.
  public var isNotifying = false
  /// Reads of it that were refused.
  public var refusedReads = 0
  /// The first refused read.
  public var firstRefusal: RefusedRead?
}

/// A read that a server refused.
public struct RefusedRead: Sendable, Equatable {
  /// The packet that refused it.
  public var frame: Int
  /// The ATT error code.
  public var code: UInt8
}

/// What is known of one connection besides the values that it carried.
public struct LinkFacts: Sendable, Equatable {
  /// The connection.
  public var link: Link
  /// Whether an event opened it; else it began before the capture.
  public var wasSeenOpening: Bool
  /// The packet that opened it, or the first one of it.
  public var firstFrame: Int
  /// When that was.
  public var opened: Timestamp?
  /// When it was closed, or the capture's end.
  public var closed: Timestamp?
  /// How it ended; nil where it was open at the capture's end.
  public var end: Disconnection?
  /// The packet that closed it, or the capture's last one.
  public var lastFrame = 0
  /// The peer's identity address, where its private one is resolved.
  public var identity: DeviceAddress?
  /// The ATT MTU of the fixed channel; nil where none was agreed, so that 23 holds.
  public var mtu: Int?
  /// The last PHYs that an event told; nil where none did.
  public var phy: LinkPHY?
  /// How it ran last, where the capture tells it.
  public var pace: ConnectionPace?
  /// The signal, where the capture tells it.
  public var signal: SignalRange?
  /// Whether the link was encrypted at its end.
  public var isEncrypted = false
  /// What discovery told, on this connection or an earlier one; only where handles are counted.
  public var characteristics: [KnownCharacteristic] = []
  /// What went over handles, ascending; only where handles are counted.
  public var handles: [HandleUse] = []
  /// Whether a value of a Peat characteristic came from the peer.
  public var hasHeardPeer = false
  /// This host as a server.
  public var local = ServerFacts()
  /// The peer as a server.
  public var peer = ServerFacts()
}

/// The facts of all connections of a capture.
struct LinkFactTable: Sendable {
  /// Connections remembered; of more, the later ones are not.
  static let limit = 65_536
  /// Client configurations and refused reads remembered of a connection while it is open.
  static let noteLimit = 32

  struct Configuration: Sendable {
    var handle: UInt16
    var value: UInt16
  }

  struct Refusal: Sendable {
    var handle: UInt16
    var count: Int
    var frame: Int
    var code: UInt8
  }

  /// What waits for the end of a connection, when its tables are known, by the server's side.
  struct Open: Sendable {
    var configurations: [[Configuration]] = [[], []]
    var refusals: [[Refusal]] = [[], []]
  }

  private(set) var all: [LinkFacts] = []
  private var open: [Int: Open] = [:]

  mutating func begin(_ facts: LinkFacts) {
    // Ids count from 1 without a gap, so that an id is a place.
    if all.count < LinkFactTable.limit, all.count + 1 == facts.link.id { all.append(facts) }
  }

  /// Changes what waits for a connection's end.
  mutating func note(_ id: Int, _ change: (inout Open) -> Void) {
    guard id > 0, id <= all.count else { return }
    change(&open[id, default: Open()])
  }

  /// Whether clients of a connection wrote configurations.
  func hasConfigurations(_ id: Int) -> Bool {
    guard let known = open[id] else { return false }
    return !(known.configurations[0].isEmpty && known.configurations[1].isEmpty)
  }

  /// Notes a value of a Peat characteristic.
  mutating func noteValue(_ id: Int, from side: Side, isNotification: Bool) {
    guard id > 0, id <= all.count else { return }
    if side == .peer { all[id - 1].hasHeardPeer = true }
    guard isNotification else { return }
    if side == .peer {
      all[id - 1].peer.isNotifying = true
    } else {
      all[id - 1].local.isNotifying = true
    }
  }

  /// Changes what is known of a connection.
  mutating func change(_ id: Int, _ change: (inout LinkFacts) -> Void) {
    guard id > 0, id <= all.count else { return }
    change(&all[id - 1])
  }

  /// Ends a connection; `change` is given what waited for it.
  mutating func conclude(_ id: Int, _ change: (inout LinkFacts, Open) -> Void) {
    guard id > 0, id <= all.count else { return }
    change(&all[id - 1], open.removeValue(forKey: id) ?? Open())
  }
}
