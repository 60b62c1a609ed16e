import BluetoothProtocols
import PeatSecurity

/// Which device is behind a resolvable private address (Core Specification Vol 3 Part H, 2.2.2).
///
/// What tells it: keys of the user's, or the capture's own pairing, in which HCI shows the key in
/// clear (Identity Information and Identity Address Information, Vol 3 Part H, 3.6.4 and 3.6.5).
struct PrivateAddresses: Sendable {
  /// Addresses and keys remembered.
  private static let limit = 1024

  private var known: [DeviceAddress: DeviceAddress] = [:]
  private var unresolved: Set<DeviceAddress> = []
  private var keys: [IdentityResolvingKey] = []
  /// Keys that pairings told, as they came, each with its identity address.
  private(set) var learntKeys: [(key: [UInt8], identity: DeviceAddress)] = []

  /// The identity address where it is known, else the address itself.
  func identity(of address: DeviceAddress) -> DeviceAddress { known[address] ?? address }

  /// The identity address behind a private one, by the keys that are known.
  func resolved(_ address: DeviceAddress) -> DeviceAddress {
    if let found = known[address] { return found }
    guard address.isResolvablePrivate, let key = keys.first(where: { $0.resolves(address.value) })
    else { return address }
    return DeviceAddress(value: key.address)
  }

  /// Meets a peer's address of random type.
  mutating func meet(
    _ address: DeviceAddress, resolve: (@Sendable (DeviceAddress) -> DeviceAddress?)?
  ) {
    guard address.isResolvablePrivate, known[address] == nil,
      known.count + unresolved.count < PrivateAddresses.limit
    else { return }
    let found =
      resolve?(address)
      ?? keys.first { $0.resolves(address.value) }.map { DeviceAddress(value: $0.address) }
    if let found { known[address] = found } else { unresolved.insert(address) }
  }

  /// Learns a key from a pairing; gives the addresses that it resolves.
  ///
  /// The key comes in the byte order of the Security Manager, least significant byte first.
  mutating func learn(
    _ key: [UInt8], of identity: DeviceAddress, usedBy address: DeviceAddress?
  ) -> [DeviceAddress] {
    guard key.count == 16, keys.count < PrivateAddresses.limit else { return [] }
    let resolving = IdentityResolvingKey(
      address: identity.value, key: SecretBytes(Array(key.reversed())))
    keys.append(resolving)
    // What another capture taught is its own to tell.
    if address != nil { learntKeys.append((key, identity)) }
    var found = unresolved.filter { resolving.resolves($0.value) }
    if let address, address != identity, known[address] == nil { found.insert(address) }
    for address in found {
      unresolved.remove(address)
      known[address] = identity
    }
    return Array(found)
  }
}
