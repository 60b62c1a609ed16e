public import WireBytes

/// The HCI commands from which this host's own address, and its ending a connection, can be told;
/// every other one is `other`.
///
/// Core Specification Vol 4 Part E, 7.1.6 and 7.8.
public enum HCICommand: Sendable, Equatable, BitwiseCopyable {
  case reset
  /// LE Set Random Address.
  case setRandomAddress(DeviceAddress)
  /// LE Set Advertising Set Random Address.
  case setAdvertisingSetAddress(DeviceAddress)
  /// The own address type with which this host advertises.
  case advertise(ownType: UInt8)
  /// The own address type with which this host connects.
  case connect(ownType: UInt8)
  /// Disconnect: this host ends a connection.
  case disconnect(handle: UInt16, reason: UInt8)
  case other

  /// Reads a command packet (without a packet type byte).
  public init(_ reader: inout ByteReader) throws(DecodeError) {
    let opcode = try reader.le16()
    try reader.skip(1)
    switch opcode {
    case 0x0C03: self = .reset
    case 0x2005: self = .setRandomAddress(DeviceAddress(value: try reader.le48()))
    case 0x2035:
      try reader.skip(1)
      self = .setAdvertisingSetAddress(DeviceAddress(value: try reader.le48()))
    case 0x2006:
      try reader.skip(5)
      self = .advertise(ownType: try reader.u8())
    case 0x2036:
      // set, properties, two 3-byte intervals, channels
      try reader.skip(1 + 2 + 3 + 3 + 1)
      self = .advertise(ownType: try reader.u8())
    case 0x200D:
      // two scan values, filter policy, peer type, peer
      try reader.skip(2 + 2 + 1 + 1 + 6)
      self = .connect(ownType: try reader.u8())
    case 0x2043:
      try reader.skip(1)
      self = .connect(ownType: try reader.u8())
    case 0x0406:
      let handle = try reader.le16() & 0x0FFF
      self = .disconnect(handle: handle, reason: try reader.u8())
    default: self = .other
    }
  }
}
