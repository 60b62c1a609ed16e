/// The protocol layer in which a decoder stood when it failed.
public enum Layer: UInt8, Sendable, BitwiseCopyable, CustomStringConvertible {
  case capture, hci, acl, l2cap, att, gap, linkLayer, peat, mesh, smp, cbor, json

  /// The layer's name as the field spells it.
  public var description: String {
    switch self {
    case .capture: "capture"
    case .hci: "HCI"
    case .acl: "ACL"
    case .l2cap: "L2CAP"
    case .att: "ATT"
    case .gap: "advertising data"
    case .linkLayer: "link layer"
    case .peat: "Peat"
    case .mesh: "Bluetooth Mesh"
    case .smp: "SMP"
    case .cbor: "CBOR"
    case .json: "JSON"
    }
  }
}

/// A fault in wire bytes: where it is, what was needed and what was there.
public struct DecodeError: Error, Equatable, Sendable, BitwiseCopyable {
  /// What is wrong with the bytes.
  public enum Kind: UInt8, Sendable, BitwiseCopyable {
    case truncated, lengthMismatch, unsupportedVersion, invalidValue, checksum
  }

  /// What is wrong.
  public var kind: Kind
  /// The layer whose bytes they are.
  public var layer: Layer
  /// Offset of the first byte that could not be read, from the base the reader was given.
  public var offset: Int
  /// Bytes needed, or the smallest acceptable value for `invalidValue`.
  public var needed: Int
  /// Bytes present, or the value found for `invalidValue`.
  public var available: Int

  /// Makes an error from its parts.
  public init(kind: Kind, layer: Layer, offset: Int, needed: Int, available: Int) {
    self.kind = kind
    self.layer = layer
    self.offset = offset
    self.needed = needed
    self.available = available
  }
}

extension DecodeError: CustomStringConvertible {
  /// One clause for a message: "ATT at byte 0x1a2f3: 5 bytes needed, 3 left".
  public var description: String {
    let place = "\(layer) at byte 0x\(String(offset, radix: 16))"
    return switch kind {
    case .truncated: "\(place): \(needed) bytes needed, \(available) left"
    case .lengthMismatch: "\(place): length says \(needed) bytes, \(available) present"
    case .unsupportedVersion: "\(place): version \(available) is not supported"
    case .invalidValue: "\(place): value \(available) is not valid"
    case .checksum: "\(place): checksum does not match"
    }
  }
}
