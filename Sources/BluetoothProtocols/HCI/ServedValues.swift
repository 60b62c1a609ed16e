import WireBytes

/// The characteristics that a host serves, as it notes them in a recording of its own traffic, so
/// that values on their handles have names where a client knew the handles from before and asked for
/// none (formats.md 8).
///
/// The note is a vendor-specific event that no controller sends: the text `peat-inspect`, 01, and for
/// each value u16 handle, 16 bytes characteristic, 16 bytes service, least significant byte first.
public struct ServedValues: Sendable, Equatable {
  /// A value that is served.
  public struct Value: Sendable, Equatable {
    /// Its handle.
    public var handle: UInt16
    /// The type of its characteristic.
    public var characteristic: BluetoothUUID
    /// The type of the service that it belongs to.
    public var service: BluetoothUUID

    /// Makes a value from its parts.
    public init(handle: UInt16, characteristic: BluetoothUUID, service: BluetoothUUID) {
      self.handle = handle
      self.characteristic = characteristic
      self.service = service
    }
  }

  /// Vendor-specific events have this code (Core Specification Vol 4 Part E, 5.4.4).
  static let code: UInt8 = 0xFF
  /// `peat-inspect`, and what kind of note follows.
  private static let mark: [UInt8] = Array("peat-inspect".utf8) + [1]
  /// As many values as an event has room for.
  private static let limit = (255 - mark.count) / 34

  /// The values, in the order of the note.
  public var values: [Value]

  /// Makes a note of values, of which the first seven are kept.
  public init(_ values: [Value]) { self.values = Array(values.prefix(ServedValues.limit)) }

  /// The event as a packet.
  public var packet: HCIPacket {
    var writer = ByteWriter()
    for value in values {
      writer.le16(value.handle)
      for uuid in [value.characteristic, value.service] {
        writer.le64(uuid.low)
        writer.le64(uuid.high)
      }
    }
    let parameters = ServedValues.mark + writer.bytes
    return HCIPacket(.event, [ServedValues.code, UInt8(clamping: parameters.count)] + parameters)
  }

  /// Reads the parameters of a vendor-specific event; nil where it is no such note.
  init?(_ parameters: inout ByteReader) {
    for byte in ServedValues.mark {
      guard let found = try? parameters.u8(), found == byte else { return nil }
    }
    values = []
    while values.count < ServedValues.limit, let handle = try? parameters.le16(),
      let characteristic = try? BluetoothUUID(&parameters, size: 16),
      let service = try? BluetoothUUID(&parameters, size: 16)
    {
      values.append(Value(handle: handle, characteristic: characteristic, service: service))
    }
  }
}
