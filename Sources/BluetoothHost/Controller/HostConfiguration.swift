package import BluetoothProtocols

/// What a host is told before it starts.
package struct HostConfiguration: Sendable {
  /// The static random address to use; nil for the controller's public one.
  package var randomAddress: DeviceAddress?
  /// What advertising carries, at most 31 bytes.
  package var advertisingData: [UInt8] = []
  /// What a scan response carries, at most 31 bytes.
  package var scanResponseData: [UInt8] = []
  /// The MTU that this host takes on the attribute channel.
  package var mtu: UInt16 = 517
  /// Links that are open at most; advertising stops when they are.
  package var maximumLinks = 8
  /// Whether legacy commands are used although the controller has extended ones.
  package var isLegacyOnly = false
  /// What a client looks for on each server.
  package var search: CharacteristicSearch
  /// What this host serves.
  package var database: AttributeDatabase

  /// Makes a configuration of a search and a database, with the defaults for the rest.
  package init(search: CharacteristicSearch, database: AttributeDatabase) {
    self.search = search
    self.database = database
  }
}

/// An advertisement that was heard.
package struct Advertisement: Sendable, Equatable {
  /// Who sent it.
  package var address: DeviceAddress
  /// Whether that address is public or random.
  package var addressType: AddressType
  /// dBm; nil where the controller does not know.
  package var rssi: Int?
  /// Whether the sender takes connections.
  package var isConnectable: Bool
  /// Whether it answers a scan request.
  package var isScanResponse: Bool
  /// The advertising data.
  package var data: [UInt8]
}

/// What a host tells, in the order in which it happened. Links are named by their handle, which is
/// free again after `disconnected`.
package enum HostEvent: Sendable, Equatable {
  /// The controller is ready.
  case started(address: DeviceAddress, isExtended: Bool)
  /// The controller is of no use; nothing more happens.
  case failed(String)
  case heard(Advertisement)
  case connected(link: UInt16, isCentral: Bool, peer: DeviceAddress, type: AddressType)
  /// A connection that this host asked for did not come about.
  case connectionFailed(peer: DeviceAddress, status: UInt8)
  case disconnected(link: UInt16, peer: DeviceAddress, reason: UInt8)
  case mtuChanged(link: UInt16, mtu: Int)
  case server(link: UInt16, ATTServerEvent)
  case client(link: UInt16, ATTClientEvent)
  /// Something of the peer's or the controller's was refused.
  case refused(String)
}
