public import WireBytes

/// A PDU of provisioning (Mesh Protocol 1.1, 5.4.1).
public enum ProvisioningPDU: Sendable, Equatable {
  case invite(attention: UInt8)
  case capabilities(ProvisioningCapabilities)
  case start(ProvisioningStart)
  /// X and Y on P-256.
  case publicKey([UInt8])
  case inputComplete
  case confirmation([UInt8])
  case random([UInt8])
  /// The data for the new node, sealed.
  case data([UInt8])
  case complete
  case failed(reason: UInt8)
  /// One of the records of 1.1.
  case record(type: UInt8, parameters: [UInt8])

  /// Reads a PDU.
  ///
  /// - Throws: `DecodeError` where its type is reserved or its length another.
  public init(_ reader: inout ByteReader) throws(DecodeError) {
    reader.layer = .mesh
    let offset = reader.offset
    let type = try reader.u8()
    let sizes: [Int] =
      switch type {
      case 0, 9: [1]
      case 1: [11]
      case 2: [5]
      case 3: [64]
      case 4, 8: [0]
      case 5, 6: [16, 32]
      case 7: [33]
      case 0x0A...0x0D:
        []
      default: throw .mesh(offset, found: Int(type), needed: 0x0D)
      }
    guard sizes.isEmpty || sizes.contains(reader.remaining) else {
      throw .meshLength(offset, needed: sizes[0] + 1, found: reader.remaining + 1)
    }
    switch type {
    case 0: self = .invite(attention: try reader.u8())
    case 1: self = .capabilities(try ProvisioningCapabilities(&reader))
    case 2: self = .start(try ProvisioningStart(&reader))
    case 3: self = .publicKey(reader.rest())
    case 4: self = .inputComplete
    case 5: self = .confirmation(reader.rest())
    case 6: self = .random(reader.rest())
    case 7: self = .data(reader.rest())
    case 8: self = .complete
    case 9: self = .failed(reason: try reader.u8())
    default: self = .record(type: type, parameters: reader.rest())
    }
  }

  /// Why provisioning failed (5.4.4).
  public static func words(reason: UInt8) -> String? {
    switch reason {
    case 1: "prohibited"
    case 2: "invalid PDU"
    case 3: "invalid format"
    case 4: "unexpected PDU"
    case 5: "confirmation failed"
    case 6: "out of resources"
    case 7: "decryption failed"
    case 8: "unexpected error"
    case 9: "cannot assign addresses"
    default: nil
    }
  }
}

/// What a device can do (5.4.1.2).
public struct ProvisioningCapabilities: Sendable, Equatable, BitwiseCopyable {
  /// Its elements.
  public let elements: UInt8
  /// Bit 0: CMAC and CCM; bit 1: HMAC-SHA256 and CCM.
  public let algorithms: UInt16
  /// Bit 0: its public key is to be had out of band.
  public let publicKeyTypes: UInt8
  /// Bit 0: static data; bit 1: only with them.
  public let outOfBandTypes: UInt8
  /// Digits that it can put out.
  public let outputSize: UInt8
  /// The ways that it can.
  public let outputActions: UInt16
  /// Digits that it can take in.
  public let inputSize: UInt8
  /// The ways that it can.
  public let inputActions: UInt16

  init(_ reader: inout ByteReader) throws(DecodeError) {
    elements = try reader.u8()
    algorithms = try reader.be16()
    publicKeyTypes = try reader.u8()
    outOfBandTypes = try reader.u8()
    outputSize = try reader.u8()
    outputActions = try reader.be16()
    inputSize = try reader.u8()
    inputActions = try reader.be16()
  }
}

/// How the provisioner wants it done (5.4.1.3).
public struct ProvisioningStart: Sendable, Equatable, BitwiseCopyable {
  /// 0: CMAC; 1: HMAC-SHA256.
  public let algorithm: UInt8
  /// 1: the device's public key came out of band.
  public let publicKey: UInt8
  /// 0: none; 1: static; 2: output; 3: input.
  public let method: UInt8
  /// The way of output or input.
  public let action: UInt8
  /// Digits.
  public let size: UInt8

  init(_ reader: inout ByteReader) throws(DecodeError) {
    algorithm = try reader.u8()
    publicKey = try reader.u8()
    method = try reader.u8()
    action = try reader.u8()
    size = try reader.u8()
  }
}

/// What a new node is given (5.4.2.5); its net key stays with whoever opened it.
public struct ProvisioningData: Sendable, Equatable, BitwiseCopyable {
  /// Bytes of the whole, the net key in front.
  public static let size = 25
  /// The index of the net key.
  public let keyIndex: UInt16
  /// Flags and IV index of the network.
  public let state: BeaconState
  /// The first element's address.
  public let address: MeshAddress

  /// Reads what follows the net key.
  public init(behindKey reader: inout ByteReader) throws(DecodeError) {
    keyIndex = try reader.be16()
    state = try BeaconState(&reader)
    address = MeshAddress(try reader.be16())
  }
}
