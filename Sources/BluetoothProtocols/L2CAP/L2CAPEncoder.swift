import WireBytes

/// The fixed channels of an LE link (Core Specification Vol 3 Part A, 2.1).
public enum L2CAPChannel {
  /// The attribute protocol.
  public static let attribute: UInt16 = 0x0004
  /// Signalling.
  public static let signalling: UInt16 = 0x0005
  /// The security manager.
  public static let security: UInt16 = 0x0006
}

/// Builds L2CAP frames (Core Specification Vol 3 Part A, 3 and 4).
public enum L2CAPEncoder {
  /// A frame on a channel: length, channel, payload.
  public static func frame(channel: UInt16, _ payload: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(capacity: 4 + payload.count)
    writer.le16(UInt16(clamping: payload.count))
    writer.le16(channel)
    writer.append(payload.prefix(Int(UInt16.max)))
    return writer.bytes
  }

  /// A signalling command: code, identifier, length, data.
  public static func signal(code: UInt8, identifier: UInt8, _ data: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(capacity: 4 + data.count)
    writer.u8(code)
    writer.u8(identifier)
    writer.le16(UInt16(clamping: data.count))
    writer.append(data)
    return writer.bytes
  }
}
