public import BluetoothProtocols

/// What went over one handle of one server on a connection.
public struct HandleUse: Sendable, Equatable {
  /// Values of one direction.
  public struct Traffic: Sendable, Equatable {
    /// Writes of all kinds.
    public var writes = 0
    /// Notifications and indications.
    public var notifications = 0
    /// Values that were read.
    public var reads = 0
    /// Bytes of all these values.
    public var bytes = 0
  }

  /// The handle.
  public var handle: UInt16
  /// Whether the server is the local side; else the peer.
  public var isLocalServer: Bool
  /// The type of the value, where it is known.
  public var uuid: BluetoothUUID?
  /// The type of the service, where it is known.
  public var service: BluetoothUUID?
  /// Whether discovery said that it is a descriptor or a declaration.
  public var isDescriptor = false
  /// From the local side.
  public var sent = Traffic()
  /// From the peer.
  public var received = Traffic()
}

/// The signal of a connection's packets, in dBm.
public struct SignalRange: Sendable, Equatable {
  /// The last one.
  public var last: Int
  /// The weakest.
  public var weakest: Int
  /// The strongest.
  public var strongest: Int

  init(_ rssi: Int) {
    last = rssi
    weakest = rssi
    strongest = rssi
  }

  mutating func add(_ rssi: Int) {
    last = rssi
    weakest = min(weakest, rssi)
    strongest = max(strongest, rssi)
  }
}

/// A service and a characteristic as a connection's discovery, or an earlier one, told them.
public struct KnownCharacteristic: Sendable, Equatable {
  /// The handle of the value.
  public var handle: UInt16
  /// The type.
  public var uuid: BluetoothUUID
  /// The service it belongs to.
  public var service: BluetoothUUID?
  /// Whether the server is the local side.
  public var isLocalServer: Bool
}

/// Uses of handles while a connection is open.
struct HandleUses: Sendable {
  /// Handles of one connection that are counted; of more, only the first are.
  static let limit = 512

  struct Key: Hashable, Sendable {
    var handle: UInt16
    var server: Side
  }

  private(set) var uses: [Key: HandleUse] = [:]
  /// Values on handles that found no room.
  private(set) var leftOut = 0

  mutating func add(
    _ opcode: ValueOpcode, _ handle: UInt16, bytes: Int, server: Side, sender: Side
  ) {
    let key = Key(handle: handle, server: server)
    guard uses[key] != nil || uses.count < HandleUses.limit else {
      leftOut += 1
      return
    }
    var use = uses[key] ?? HandleUse(handle: handle, isLocalServer: server == .local)
    if sender == .local {
      use.sent.add(opcode, bytes)
    } else {
      use.received.add(opcode, bytes)
    }
    uses[key] = use
  }
}

extension HandleUse.Traffic {
  fileprivate mutating func add(_ opcode: ValueOpcode, _ count: Int) {
    bytes &+= max(0, count)
    switch opcode {
    case .notification, .indication, .multipleNotification: notifications += 1
    case .writeRequest, .writeCommand, .signedWriteCommand, .executeWrite: writes += 1
    case .readResponse, .readBlob, .readByTypeResponse, .readMultiple, .readMultipleVariable:
      reads += 1
    case .advertisement: break
    }
  }
}
