public import WireBytes

/// The parameters with which a connection runs (Core Specification Vol 4 Part E, 7.8.18).
public struct ConnectionParameters: Sendable, Equatable, BitwiseCopyable {
  /// Shortest interval in 1.25 ms.
  public var intervalMinimum: UInt16
  /// Longest interval in 1.25 ms.
  public var intervalMaximum: UInt16
  /// Events that the peripheral may pass over.
  public var latency: UInt16
  /// Supervision timeout in 10 ms.
  public var timeout: UInt16

  /// Makes parameters from their parts.
  public init(
    intervalMinimum: UInt16, intervalMaximum: UInt16, latency: UInt16, timeout: UInt16
  ) {
    self.intervalMinimum = intervalMinimum
    self.intervalMaximum = intervalMaximum
    self.latency = latency
    self.timeout = timeout
  }

  /// Reads the four values in the order of every message that carries them.
  public init(_ reader: inout ByteReader) throws(DecodeError) {
    intervalMinimum = try reader.le16()
    intervalMaximum = try reader.le16()
    latency = try reader.le16()
    timeout = try reader.le16()
  }

  /// Appends the four values.
  public func encode(into writer: inout ByteWriter) {
    writer.le16(intervalMinimum)
    writer.le16(intervalMaximum)
    writer.le16(latency)
    writer.le16(timeout)
  }

  /// Whether the values lie in their ranges and fit together (formats.md 9).
  public var isValid: Bool {
    guard (6...3200).contains(intervalMinimum), (6...3200).contains(intervalMaximum),
      intervalMinimum <= intervalMaximum, latency <= 499, (10...3200).contains(timeout)
    else { return false }
    // timeout * 10 ms > (1 + latency) * interval * 1.25 ms * 2
    return UInt32(timeout) * 4 > (1 + UInt32(latency)) * UInt32(intervalMaximum)
  }
}

/// The HCI events that a host acts on; every other one is `other`.
///
/// Core Specification Vol 4 Part E, 7.7. Bytes behind the known parameters are passed over.
public enum ControllerEvent: ~Escapable {
  case commandComplete(credits: UInt8, opcode: HCIOpcode, result: RawSpan)
  case commandStatus(status: UInt8, credits: UInt8, opcode: HCIOpcode)
  case connectionComplete(status: UInt8, ConnectionOpened)
  case disconnectionComplete(status: UInt8, handle: UInt16, reason: UInt8)
  case completedPackets(entries: ByteReader)
  case advertising(AdvertisingReports)
  /// `random` and `diversifier` are both 0 for a key of this connection's own pairing.
  case longTermKeyRequest(handle: UInt16, random: UInt64, diversifier: UInt16)
  case encryptionChanged(status: UInt8, handle: UInt16, isOn: Bool)
  /// Bit n is feature n of Vol 6 Part B, 4.6.
  case remoteFeatures(status: UInt8, handle: UInt16, UInt64)
  /// Longest payload that is sent and received, in bytes.
  case dataLengthChanged(handle: UInt16, sent: UInt16, received: UInt16)
  case phyUpdated(status: UInt8, handle: UInt16, sent: UInt8, received: UInt8)
  case connectionParameterRequest(handle: UInt16, ConnectionParameters)
  case advertisingSetTerminated(status: UInt8)
  case hardwareError(UInt8)
  case other(code: UInt8)

  /// Reads an event packet (without a packet type byte).
  ///
  /// - Throws: `DecodeError` where the event is shorter than its own length says, or shorter than
  ///   its parameters need.
  @_lifetime(copy reader)
  public init(_ reader: inout ByteReader) throws(DecodeError) {
    let code = try reader.u8()
    let length = Int(try reader.u8())
    var parameters = try reader.split(length, layer: .hci)
    switch code {
    case 0x05:
      self = .disconnectionComplete(
        status: try parameters.u8(), handle: try parameters.le16() & 0x0FFF,
        reason: try parameters.u8())
    case 0x08:
      self = .encryptionChanged(
        status: try parameters.u8(), handle: try parameters.le16() & 0x0FFF,
        isOn: try parameters.u8() != 0)
    case 0x0E:
      self = .commandComplete(
        credits: try parameters.u8(), opcode: HCIOpcode(rawValue: try parameters.le16()),
        result: parameters.bytes)
    case 0x0F:
      self = .commandStatus(
        status: try parameters.u8(), credits: try parameters.u8(),
        opcode: HCIOpcode(rawValue: try parameters.le16()))
    case 0x10: self = .hardwareError(try parameters.u8())
    case 0x13:
      try parameters.skip(1)
      self = .completedPackets(entries: parameters)
    case 0x3E: self = try ControllerEvent.lowEnergy(&parameters)
    default: self = .other(code: code)
    }
  }

  @_lifetime(copy parameters)
  private static func lowEnergy(
    _ parameters: inout ByteReader
  ) throws(DecodeError) -> ControllerEvent {
    switch try parameters.u8() {
    case 0x01: return try connection(&parameters, isEnhanced: false)
    case 0x0A, 0x29: return try connection(&parameters, isEnhanced: true)
    case 0x02: return .advertising(try AdvertisingReports(&parameters, isExtended: false))
    case 0x0D: return .advertising(try AdvertisingReports(&parameters, isExtended: true))
    case 0x04:
      return .remoteFeatures(
        status: try parameters.u8(), handle: try parameters.le16() & 0x0FFF,
        try parameters.le64())
    case 0x05:
      return .longTermKeyRequest(
        handle: try parameters.le16() & 0x0FFF, random: try parameters.le64(),
        diversifier: try parameters.le16())
    case 0x06:
      return .connectionParameterRequest(
        handle: try parameters.le16() & 0x0FFF, try ConnectionParameters(&parameters))
    case 0x07: return try dataLength(&parameters)
    case 0x0C:
      return .phyUpdated(
        status: try parameters.u8(), handle: try parameters.le16() & 0x0FFF,
        sent: try parameters.u8(), received: try parameters.u8())
    case 0x12: return .advertisingSetTerminated(status: try parameters.u8())
    default: return .other(code: 0x3E)
    }
  }

  @_lifetime(immortal)
  private static func dataLength(
    _ parameters: inout ByteReader
  ) throws(DecodeError) -> ControllerEvent {
    let handle = try parameters.le16() & 0x0FFF
    let sent = try parameters.le16()
    try parameters.skip(2)
    return .dataLengthChanged(handle: handle, sent: sent, received: try parameters.le16())
  }

  @_lifetime(immortal)
  private static func connection(
    _ parameters: inout ByteReader, isEnhanced: Bool
  ) throws(DecodeError) -> ControllerEvent {
    let status = try parameters.u8()
    return .connectionComplete(
      status: status, try ConnectionOpened(&parameters, isEnhanced: isEnhanced))
  }
}
