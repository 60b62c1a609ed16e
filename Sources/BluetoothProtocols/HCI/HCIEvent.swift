public import WireBytes

/// How a connection began.
public struct ConnectionOpened: Sendable, Equatable, BitwiseCopyable {
  /// The handle.
  public var handle: UInt16
  /// Whether this host is the central; nil for a BR/EDR connection.
  public var isCentral: Bool?
  /// Whether the peer's address is public or random.
  public var peerType: AddressType
  /// The peer's address, where the capture tells it.
  public var peer: DeviceAddress
  /// The address this host used on air, where the event tells it (enhanced forms).
  public var localPrivate: DeviceAddress?
  /// The private address the peer used on air, where the event tells it (enhanced forms).
  public var peerPrivate: DeviceAddress?
  /// Whether this is an LE connection; BR/EDR ones share the handle space.
  public var isLE: Bool
  /// How it runs; nil for a BR/EDR connection.
  public var pace: ConnectionPace?
}

/// How an LE connection runs (Core Specification Vol 4 Part E, 7.7.65.3).
public struct ConnectionPace: Sendable, Equatable, BitwiseCopyable {
  /// In units of 1.25 ms.
  public var interval: UInt16
  /// Events that the peripheral may pass over.
  public var latency: UInt16
  /// Supervision timeout in units of 10 ms.
  public var timeout: UInt16

  /// Makes a pace from its parts.
  public init(interval: UInt16, latency: UInt16, timeout: UInt16) {
    self.interval = interval
    self.latency = latency
    self.timeout = timeout
  }

  init(_ reader: inout ByteReader) throws(DecodeError) {
    interval = try reader.le16()
    latency = try reader.le16()
    timeout = try reader.le16()
  }
}

extension ConnectionOpened {
  /// Reads an LE (Enhanced) Connection Complete event behind its status (Vol 4 Part E, 7.7.65.1,
  /// 7.7.65.10); private addresses stand only in the enhanced forms, all zeros where there is none.
  init(_ parameters: inout ByteReader, isEnhanced: Bool) throws(DecodeError) {
    handle = try parameters.le16() & 0x0FFF
    isCentral = try parameters.u8() == 0
    peerType = AddressType(rawValue: try parameters.u8()) ?? .random
    peer = DeviceAddress(value: try parameters.le48())
    localPrivate = isEnhanced ? DeviceAddress(value: try parameters.le48()) : nil
    peerPrivate = isEnhanced ? DeviceAddress(value: try parameters.le48()) : nil
    isLE = true
    pace = try ConnectionPace(&parameters)
    try parameters.skip(1)
  }
}

/// The HCI events that an analyser follows; every other one is `other`.
///
/// Core Specification Vol 4 Part E, 7.7. The event's own length is its end: bytes behind the known
/// parameters belong to a newer version and are passed over.
public enum HCIEvent: ~Escapable {
  case connected(ConnectionOpened)
  case disconnected(handle: UInt16, reason: UInt8)
  case encryptionChanged(handle: UInt16, isOn: Bool)
  /// Read BD_ADDR was answered.
  case publicAddress(DeviceAddress)
  case advertising(AdvertisingReports)
  case paceChanged(handle: UInt16, ConnectionPace)
  /// 1 for LE 1M, 2 for LE 2M, 3 for LE Coded.
  case phyChanged(handle: UInt16, sent: UInt8, received: UInt8)
  /// Read RSSI was answered; in dBm.
  case signal(handle: UInt16, rssi: Int8)
  /// A note of the host that recorded its own traffic.
  case served(ServedValues)
  case other

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
    case 0x03: self = try HCIEvent.classicConnection(&parameters)
    case 0x05:
      let status = try parameters.u8()
      let handle = try parameters.le16() & 0x0FFF
      let reason = try parameters.u8()
      self = status == 0 ? .disconnected(handle: handle, reason: reason) : .other
    case 0x08, 0x59:
      let status = try parameters.u8()
      let handle = try parameters.le16() & 0x0FFF
      let mode = try parameters.u8()
      self = status == 0 ? .encryptionChanged(handle: handle, isOn: mode != 0) : .other
    case 0x0E: self = try HCIEvent.commandComplete(&parameters)
    case 0x3E: self = try HCIEvent.lowEnergy(&parameters)
    case ServedValues.code:
      guard let note = ServedValues(&parameters) else {
        self = .other
        return
      }
      self = .served(note)
    default: self = .other
    }
  }

  @_lifetime(immortal)
  private static func classicConnection(
    _ parameters: inout ByteReader
  ) throws(DecodeError) -> HCIEvent {
    let status = try parameters.u8()
    let handle = try parameters.le16() & 0x0FFF
    let peer = DeviceAddress(value: try parameters.le48())
    try parameters.skip(2)
    guard status == 0 else { return .other }
    return .connected(
      ConnectionOpened(
        handle: handle, isCentral: nil, peerType: .public, peer: peer, isLE: false))
  }

  @_lifetime(immortal)
  private static func commandComplete(
    _ parameters: inout ByteReader
  ) throws(DecodeError) -> HCIEvent {
    try parameters.skip(1)
    let opcode = try parameters.le16()
    switch opcode {
    case 0x1009:
      guard try parameters.u8() == 0 else { return .other }
      return .publicAddress(DeviceAddress(value: try parameters.le48()))
    case 0x1405:
      guard try parameters.u8() == 0 else { return .other }
      let handle = try parameters.le16() & 0x0FFF
      return .signal(handle: handle, rssi: Int8(bitPattern: try parameters.u8()))
    default: return .other
    }
  }

  @_lifetime(copy parameters)
  private static func lowEnergy(_ parameters: inout ByteReader) throws(DecodeError) -> HCIEvent {
    switch try parameters.u8() {
    case 0x01: return try connection(&parameters, isEnhanced: false)
    case 0x0A, 0x29: return try connection(&parameters, isEnhanced: true)
    case 0x02: return .advertising(try AdvertisingReports(&parameters, isExtended: false))
    case 0x0D: return .advertising(try AdvertisingReports(&parameters, isExtended: true))
    case 0x03:
      guard try parameters.u8() == 0 else { return .other }
      let handle = try parameters.le16() & 0x0FFF
      return .paceChanged(handle: handle, try ConnectionPace(&parameters))
    case 0x0C:
      guard try parameters.u8() == 0 else { return .other }
      let handle = try parameters.le16() & 0x0FFF
      return .phyChanged(
        handle: handle, sent: try parameters.u8(), received: try parameters.u8())
    default: return .other
    }
  }

  @_lifetime(immortal)
  private static func connection(
    _ parameters: inout ByteReader, isEnhanced: Bool
  ) throws(DecodeError) -> HCIEvent {
    guard try parameters.u8() == 0 else { return .other }
    var opened = try ConnectionOpened(&parameters, isEnhanced: isEnhanced)
    // All zeros stand for none.
    if opened.localPrivate?.value == 0 { opened.localPrivate = nil }
    if opened.peerPrivate?.value == 0 { opened.peerPrivate = nil }
    return .connected(opened)
  }
}
