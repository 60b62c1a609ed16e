package import BluetoothProtocols

/// What a host is told before it starts.
package struct HostConfiguration: Sendable {
  /// The static random address to use; nil for the controller's public one.
  package var randomAddress: DeviceAddress?
  /// Addresses that change, which replace `randomAddress`; nil for one that stays.
  package var privacy: AddressPrivacy?
  /// What becomes of a peer's wish to pair.
  package var pairing = PairingPolicy.none
  /// What advertising carries, at most 31 bytes.
  package var advertisingData: [UInt8] = []
  /// What a scan response carries, at most 31 bytes.
  package var scanResponseData: [UInt8] = []
  /// The MTU that this host takes on the attribute channel.
  package var mtu: UInt16 = 517
  /// Links that are open at most, where the controller takes as many; advertising stops when they are.
  package var maximumLinks = 32
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

/// What a host does about pairing.
package enum PairingPolicy: String, Sendable, CaseIterable {
  /// Refuse it as not supported.
  case none
  /// Pair without asking anybody, with the legacy method and without bonding, where a peer insists.
  case justWorks = "just-works"
}

/// How a host hides who it is: by resolvable private addresses (Core Specification Vol 6 Part B,
/// 1.3.2.2) of a key that nobody else has.
package struct AddressPrivacy: Sendable {
  /// Time for which an address is used, in milliseconds: TGAP(private_addr_int) of Vol 3 Part C,
  /// Appendix A.
  package static let interval: UInt64 = 900_000

  /// 16 bytes, least significant first.
  package var resolvingKey: [UInt8]
  /// Time for which an address is used, in milliseconds.
  package var interval: UInt64

  /// Makes a privacy of its parts.
  package init(resolvingKey: [UInt8], interval: UInt64 = AddressPrivacy.interval) {
    self.resolvingKey = resolvingKey
    self.interval = interval
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
  case failed(HostFailure)
  case heard(Advertisement)
  case connected(link: UInt16, isCentral: Bool, peer: DeviceAddress, type: AddressType)
  /// A connection that this host asked for did not come about.
  case connectionFailed(peer: DeviceAddress, status: UInt8)
  case disconnected(link: UInt16, peer: DeviceAddress, reason: UInt8)
  /// The controller takes no link beside so many.
  case full(links: Int)
  case mtuChanged(link: UInt16, mtu: Int)
  /// The link is encrypted now.
  case encrypted(link: UInt16)
  /// Others see this host under another address from now on.
  case addressChanged(DeviceAddress)
  case server(link: UInt16, ATTServerEvent)
  case client(link: UInt16, ATTClientEvent)
  /// Something of the peer's or the controller's was refused.
  case refused(String)
}
