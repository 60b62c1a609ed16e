public import WireBytes

/// The signalling commands on an LE link that open and close credit-based channels.
///
/// Core Specification Vol 3 Part A, 4. One command a frame on LE (channel 0x0005).
public enum SignallingCommand: Sendable, Equatable {
  /// The protocol multiplexer of the attribute protocol over BR/EDR (Vol 3 Part G, 5.1).
  public static let classicATT: UInt16 = 0x001F
  /// The protocol multiplexer of the enhanced attribute protocol (Vol 3 Part F, 3.2.11).
  public static let enhancedATT: UInt16 = 0x0027

  case disconnectionRequest(identifier: UInt8, destination: UInt16, source: UInt16)
  /// LE and enhanced credit-based connection requests; the older one names one source.
  case connectionRequest(
    identifier: UInt8, multiplexer: UInt16, mtu: UInt16, sources: [UInt16])
  /// Their responses; destinations stand in the order of the request's sources, 0 if refused.
  case connectionResponse(identifier: UInt8, mtu: UInt16, destinations: [UInt16])
  /// Connection, configuration: channels of BR/EDR, each opened for one protocol (Vol 3 Part A, 4.2
  /// to 4.5). A result of 1 says that another response follows.
  case classicConnectionRequest(identifier: UInt8, multiplexer: UInt16, source: UInt16)
  case classicConnectionResponse(
    identifier: UInt8, destination: UInt16, source: UInt16, result: UInt16)
  /// The sender's largest SDU; nil where the request leaves it as it is.
  case configurationRequest(identifier: UInt8, destination: UInt16, mtu: UInt16?)
  case reconfigurationRequest(identifier: UInt8, mtu: UInt16, destinations: [UInt16])
  case other(code: UInt8)

  /// Reads one command.
  public init(_ reader: inout ByteReader) throws(DecodeError) {
    let code = try reader.u8()
    let identifier = try reader.u8()
    let length = Int(try reader.le16())
    var data = try reader.split(length, layer: .l2cap)
    switch code {
    case 0x02:
      let multiplexer = try data.le16()
      self = .classicConnectionRequest(
        identifier: identifier, multiplexer: multiplexer, source: try data.le16())
    case 0x03:
      let destination = try data.le16()
      let source = try data.le16()
      self = .classicConnectionResponse(
        identifier: identifier, destination: destination, source: source, result: try data.le16())
    case 0x04:
      let destination = try data.le16()
      try data.skip(2)
      self = .configurationRequest(
        identifier: identifier, destination: destination,
        mtu: try SignallingCommand.mtuOption(&data))
    case 0x06:
      self = .disconnectionRequest(
        identifier: identifier, destination: try data.le16(), source: try data.le16())
    case 0x14:
      let multiplexer = try data.le16()
      let source = try data.le16()
      self = .connectionRequest(
        identifier: identifier, multiplexer: multiplexer, mtu: try data.le16(),
        sources: [source])
    case 0x15:
      let destination = try data.le16()
      let mtu = try data.le16()
      try data.skip(4)
      let result = try data.le16()
      self = .connectionResponse(
        identifier: identifier, mtu: mtu, destinations: [result == 0 ? destination : 0])
    case 0x17:
      let multiplexer = try data.le16()
      let mtu = try data.le16()
      try data.skip(4)
      self = .connectionRequest(
        identifier: identifier, multiplexer: multiplexer, mtu: mtu,
        sources: try SignallingCommand.channels(&data))
    case 0x18:
      let mtu = try data.le16()
      try data.skip(6)
      self = .connectionResponse(
        identifier: identifier, mtu: mtu, destinations: try SignallingCommand.channels(&data))
    case 0x19:
      let mtu = try data.le16()
      try data.skip(2)
      self = .reconfigurationRequest(
        identifier: identifier, mtu: mtu, destinations: try SignallingCommand.channels(&data))
    default: self = .other(code: code)
    }
  }

  /// The MTU among configuration options; each has a type, whose high bit says that it may be passed
  /// over, and a length (Vol 3 Part A, 5).
  private static func mtuOption(_ options: inout ByteReader) throws(DecodeError) -> UInt16? {
    while options.remaining >= 2 {
      let type = try options.u8() & 0x7F
      let length = Int(try options.u8())
      guard options.remaining >= length else { return nil }
      if type == 0x01, length == 2 { return try options.le16() }
      try options.skip(length)
    }
    return nil
  }

  /// Up to five channels, as many as an enhanced request may name.
  private static func channels(_ data: inout ByteReader) throws(DecodeError) -> [UInt16] {
    var channels: [UInt16] = []
    while data.remaining >= 2 && channels.count < 5 { channels.append(try data.le16()) }
    return channels
  }
}
