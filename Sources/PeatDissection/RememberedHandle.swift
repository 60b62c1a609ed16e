public import BluetoothProtocols

/// A handle that the user says is the document characteristic.
public struct HandleHint: Sendable, Equatable {
  /// The peer it holds for; nil for every server.
  public var address: DeviceAddress?
  /// The handle.
  public var handle: UInt16

  /// Makes a hint for one peer, or for every server.
  public init(address: DeviceAddress?, handle: UInt16) {
    self.address = address
    self.handle = handle
  }
}

/// A type of characteristic that discovery found.
public struct DiscoveredType: Sendable, Hashable {
  /// The type.
  public var uuid: BluetoothUUID
  /// The type of its service, where that is known.
  public var service: BluetoothUUID?
  /// Whether it is the document characteristic.
  public var isDocument: Bool
}

/// A document characteristic that discovery found, as a bond cache keeps it.
public struct RememberedHandle: Sendable, Equatable {
  /// The peer's identity address, or the address it used.
  public var address: DeviceAddress
  /// Whether the handle is this host's own, as the peer learnt it; else it is the peer's.
  public var isLocalServer: Bool
  /// The handle.
  public var handle: UInt16
  /// The type of the characteristic.
  public var characteristic: BluetoothUUID?
  /// The type of its service.
  public var service: BluetoothUUID?
  /// The database hash of the table it is from, where that was read.
  public var databaseHash: [UInt8]?

  /// Makes an entry from its parts.
  public init(
    address: DeviceAddress, isLocalServer: Bool = false, handle: UInt16,
    characteristic: BluetoothUUID? = nil, service: BluetoothUUID? = nil,
    databaseHash: [UInt8]? = nil
  ) {
    self.address = address
    self.isLocalServer = isLocalServer
    self.handle = handle
    self.characteristic = characteristic
    self.service = service
    self.databaseHash = databaseHash
  }

  var identity: ServerIdentity {
    ServerIdentity(side: isLocalServer ? .local : .peer, address: address)
  }
}
