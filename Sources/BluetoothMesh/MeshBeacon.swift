public import WireBytes

/// A beacon of the mesh (Mesh Protocol 1.1, 3.10).
public enum MeshBeacon: Sendable, Equatable {
  case unprovisioned(UnprovisionedBeacon)
  case secure(SecureBeacon)
  case `private`(PrivateBeacon)

  /// Reads a beacon.
  ///
  /// - Throws: `DecodeError` where it is of another type or length.
  public init(_ reader: inout ByteReader) throws(DecodeError) {
    reader.layer = .mesh
    let offset = reader.offset
    let size = reader.remaining
    let type = try reader.u8()
    switch type {
    case 0:
      guard size == 19 || size == 23 else { throw .meshLength(offset, needed: 19, found: size) }
      self = .unprovisioned(try UnprovisionedBeacon(&reader))
    case 1:
      guard size == 22 else { throw .meshLength(offset, needed: 22, found: size) }
      self = .secure(try SecureBeacon(&reader))
    case 2:
      guard size == 27 else { throw .meshLength(offset, needed: 27, found: size) }
      self = .private(
        PrivateBeacon(
          random: try reader.array(13), obfuscated: try reader.array(5), code: try reader.array(8)))
    default: throw .mesh(offset, found: Int(type), needed: 2)
    }
  }
}

/// A device that waits to be provisioned (3.10.2).
public struct UnprovisionedBeacon: Sendable, Equatable {
  /// The device UUID.
  public let uuid: [UInt8]
  /// Where data for it are to be found out of band.
  public let outOfBand: UInt16
  /// The hash of a URI, where it advertises one.
  public let uriHash: UInt32?

  /// Reads the fields, also of the service data of PB-GATT (7.1.2.2.1), which has no hash.
  public init(_ reader: inout ByteReader) throws(DecodeError) {
    uuid = try reader.array(16)
    outOfBand = try reader.be16()
    uriHash = reader.isAtEnd ? nil : try reader.be32()
  }
}

/// What a beacon says of its network.
public struct BeaconState: Sendable, Equatable, BitwiseCopyable {
  /// Whether new keys are in use (phase 2 of a refresh).
  public let isRefreshingKeys: Bool
  /// Whether the IV index is being updated: senders still use the one before.
  public let isUpdatingIV: Bool
  /// The IV index.
  public let ivIndex: UInt32

  /// Reads flags and IV index.
  public init(_ reader: inout ByteReader) throws(DecodeError) {
    let flags = try reader.u8()
    isRefreshingKeys = flags & 1 != 0
    isUpdatingIV = flags & 2 != 0
    ivIndex = try reader.be32()
  }

  /// Makes a state.
  public init(isRefreshingKeys: Bool, isUpdatingIV: Bool, ivIndex: UInt32) {
    self.isRefreshingKeys = isRefreshingKeys
    self.isUpdatingIV = isUpdatingIV
    self.ivIndex = ivIndex
  }

  /// The two flags as they are sent.
  public var flags: UInt8 { (isRefreshingKeys ? 1 : 0) | (isUpdatingIV ? 2 : 0) }
  /// Flags and IV index as they are sent.
  public var encoded: [UInt8] { [flags] + bigEndian(ivIndex) }
}

/// A secure network beacon (3.10.3); whether it is authentic, a key has to say.
public struct SecureBeacon: Sendable, Equatable {
  /// What it says.
  public let state: BeaconState
  /// Which network it is of.
  public let networkID: [UInt8]
  /// The first eight bytes of the authentication.
  public let code: [UInt8]

  init(_ reader: inout ByteReader) throws(DecodeError) {
    let flags = try reader.u8()
    networkID = try reader.array(8)
    state = BeaconState(
      isRefreshingKeys: flags & 1 != 0, isUpdatingIV: flags & 2 != 0, ivIndex: try reader.be32())
    code = try reader.array(8)
    signedFlags = flags
  }

  private let signedFlags: UInt8

  /// What the authentication is over.
  public var signed: [UInt8] { [signedFlags] + networkID + bigEndian(state.ivIndex) }
}

/// A private beacon (3.10.4), which only a key opens.
public struct PrivateBeacon: Sendable, Equatable {
  /// What the obfuscation is made of.
  public let random: [UInt8]
  /// Flags and IV index.
  public let obfuscated: [UInt8]
  /// The authentication.
  public let code: [UInt8]
}

/// What the service data of a proxy say (7.2.2.2).
public enum ProxyIdentity: Sendable, Equatable {
  case network(id: [UInt8])
  case node(hash: [UInt8], random: [UInt8])
  case privateNetwork(hash: [UInt8], random: [UInt8])
  case privateNode(hash: [UInt8], random: [UInt8])

  /// Reads service data for 0x1828, behind the UUID.
  ///
  /// - Throws: `DecodeError` for another type or length.
  public init(_ reader: inout ByteReader) throws(DecodeError) {
    reader.layer = .mesh
    let offset = reader.offset
    let type = try reader.u8()
    let size = type == 0 ? 8 : 16
    guard type <= 3 else { throw .mesh(offset, found: Int(type), needed: 3) }
    guard reader.remaining == size else {
      throw .meshLength(offset, needed: size + 1, found: reader.remaining + 1)
    }
    let first = try reader.array(8)
    switch type {
    case 0: self = .network(id: first)
    case 1: self = .node(hash: first, random: try reader.array(8))
    case 2: self = .privateNetwork(hash: first, random: try reader.array(8))
    default: self = .privateNode(hash: first, random: try reader.array(8))
    }
  }
}
