package import BluetoothProtocols
import WireBytes

/// What a client did to this host's attributes.
package enum ATTServerEvent: Sendable, Equatable {
  /// A value was written, whole: by one write, or by prepared ones that were executed.
  case written(handle: UInt16, value: [UInt8], isLong: Bool)
  /// A value was read from its beginning.
  case read(handle: UInt16)
  /// The client chose notifications (bit 0) or indications (bit 1) of a value.
  case configured(handle: UInt16, bits: UInt16)
  /// The client told the MTU that it takes.
  case mtuRequested(UInt16)
  /// The client confirmed an indication.
  case confirmed
  /// Something was refused.
  case refused(request: UInt8, handle: UInt16, ATTErrorCode)
}

/// One connection's side of an attribute server: answers each request, keeps what belongs to the
/// connection (Core Specification Vol 3 Part F, 3.4).
///
/// Memory is bounded: prepared writes hold at most `maximumPreparedBytes`.
package struct ATTServer: Sendable {
  /// Prepared writes that are held at most.
  package static let maximumPrepared = 128
  /// Bytes of prepared writes that are held at most.
  package static let maximumPreparedBytes = 2 * AttributeDatabase.maximumValueLength

  struct Prepared: Sendable {
    var handle: UInt16
    var offset: Int
    var part: [UInt8]
  }

  /// The MTU that this host takes.
  let ownMTU: UInt16
  private(set) var configurations: [UInt16: UInt16] = [:]
  var prepared: [Prepared] = []
  var preparedBytes = 0
  /// The value that a long read began with, so that all its parts are of one value.
  var snapshot: (handle: UInt16, value: [UInt8])?
  var events: [ATTServerEvent] = []

  package init(ownMTU: UInt16) { self.ownMTU = ownMTU }

  /// What the client chose for the value with a handle.
  package func configuration(of handle: UInt16) -> UInt16 { configurations[handle] ?? 0 }

  /// Takes what happened since the last call.
  package mutating func takeEvents() -> [ATTServerEvent] {
    defer { events = [] }
    return events
  }

  /// Takes a PDU of the client; gives the answer, nil where none is due.
  package mutating func answer(
    _ bytes: [UInt8], mtu: Int, database: AttributeDatabase
  ) -> [UInt8]? {
    guard let opcode = bytes.first else { return nil }
    let isCommand = opcode & 0x40 != 0
    do throws(Refusal) {
      return try respond(bytes, opcode, mtu: mtu, database)
    } catch {
      events.append(.refused(request: opcode, handle: error.handle, error.code))
      if isCommand || opcode == 0x1E { return nil }
      return ATTEncoder.error(request: opcode, handle: error.handle, error.code)
    }
  }

  /// Why a request is refused, and on which handle.
  struct Refusal: Error {
    var code: ATTErrorCode
    var handle: UInt16 = 0
  }

  private mutating func respond(
    _ bytes: [UInt8], _ opcode: UInt8, mtu: Int, _ database: AttributeDatabase
  ) throws(Refusal) -> [UInt8]? {
    guard bytes.count <= mtu else { throw Refusal(code: .invalidPDU) }
    var reader = ByteReader(bytes.rawBytes, layer: .att)
    let pdu: ATTPDU
    do throws(DecodeError) {
      pdu = try ATTPDU(&reader)
    } catch {
      throw Refusal(code: .invalidPDU)
    }
    switch pdu {
    case .exchangeMTURequest(let client):
      events.append(.mtuRequested(client))
      return ATTEncoder.fields(0x03, ownMTU)
    case .findInformationRequest(let start, let end):
      return try findInformation(start, end, mtu: mtu, database)
    case .findByTypeValueRequest(let start, let end, let type, let value):
      return try findByTypeValue(
        start, end, BluetoothUUID(type), [UInt8](value), mtu: mtu, database)
    case .readByTypeRequest(let start, let end, let type):
      return try readByType(start, end, type, mtu: mtu, database)
    case .readByGroupTypeRequest(let start, let end, let type):
      return try readByGroupType(start, end, type, mtu: mtu, database)
    case .readRequest(let handle):
      let value = try read(handle, database)
      snapshot = (handle, value)
      if case .value? = database[handle]?.kind { events.append(.read(handle: handle)) }
      return [0x0B] + value.prefix(mtu - 1)
    case .readBlobRequest(let handle, let offset):
      return try readBlob(handle, Int(offset), mtu: mtu, database)
    case .readMultipleRequest(var handles):
      return try readMultiple(&handles, opcode: 0x0F, mtu: mtu, database)
    case .readMultipleVariableRequest(var handles):
      return try readMultiple(&handles, opcode: 0x21, mtu: mtu, database)
    case .writeRequest(let handle, let value):
      try write(handle, [UInt8](value), .write, database)
      return [0x13]
    case .writeCommand(let handle, let value):
      try write(handle, [UInt8](value), .writeCommand, database)
      return nil
    case .prepareWriteRequest(let handle, let offset, let part):
      return try prepare(handle, Int(offset), [UInt8](part), database)
    case .executeWriteRequest(let isWrite):
      try execute(isWrite: isWrite)
      return [0x19]
    case .confirmation:
      events.append(.confirmed)
      return nil
    case .signedWriteCommand:
      // Without a bond there is no key that could verify the signature.
      return nil
    default:
      // An unknown command is passed over (Core Specification Vol 3 Part F, 3.3).
      if opcode & 0x40 != 0 { return nil }
      throw Refusal(code: .requestNotSupported)
    }
  }

  mutating func write(
    _ handle: UInt16, _ value: [UInt8], _ how: CharacteristicProperties,
    _ database: AttributeDatabase
  ) throws(Refusal) {
    guard let attribute = database[handle] else {
      throw Refusal(code: .invalidHandle, handle: handle)
    }
    switch attribute.kind {
    case .declaration: throw Refusal(code: .writeNotPermitted, handle: handle)
    case .clientConfiguration(let subject):
      guard value.count == 2 else { throw Refusal(code: .invalidValueLength, handle: handle) }
      let bits = UInt16(value[0]) | UInt16(value[1]) << 8
      guard bits <= 3 else { throw Refusal(code: .outOfRange, handle: handle) }
      configurations[subject] = bits == 0 ? nil : bits
      events.append(.configured(handle: subject, bits: bits))
    case .value(let properties):
      guard properties.contains(how) else {
        throw Refusal(code: .writeNotPermitted, handle: handle)
      }
      guard value.count <= AttributeDatabase.maximumValueLength else {
        throw Refusal(code: .invalidValueLength, handle: handle)
      }
      events.append(.written(handle: handle, value: value, isLong: false))
    }
  }
}
