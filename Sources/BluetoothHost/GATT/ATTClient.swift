package import BluetoothProtocols
import WireBytes

/// How a client came by a value.
package enum ValueSource: Sendable, Equatable { case notification, indication, read }

/// What a client tells.
package enum ATTClientEvent: Sendable, Equatable {
  /// The server told the MTU that it takes.
  case mtuAnswered(UInt16)
  /// The characteristic was found, and notifications are on where it has any.
  case ready(FoundCharacteristic)
  /// The server has no such characteristic.
  case notFound
  /// A value of the characteristic.
  case value([UInt8], ValueSource)
  /// A write that was handed in is done, or was refused.
  case written(ATTErrorCode?)
  /// A read that was handed in was refused.
  case readRefused(ATTErrorCode)
  /// The server wants the link encrypted first.
  case encryptionNeeded
  /// The server does not answer, or not as the protocol asks: the bearer is of no more use.
  case failed(String)
}

/// One connection's client: finds one characteristic, then reads and writes it, one request at a
/// time (Core Specification Vol 3 Part F, 3.3.2; Part G, 4).
package struct ATTClient: Sendable {
  /// Time for an answer in milliseconds (Core Specification Vol 3 Part F, 3.3.3).
  package static let transactionTimeout: UInt64 = 30_000
  /// Services that are looked into at most.
  static let maximumServices = 32
  /// Answers that one discovery may take: a server that never ends is given up.
  static let maximumAnswers = 1024

  struct Service: Sendable {
    var start: UInt16
    var end: UInt16
    var uuid: BluetoothUUID
  }

  enum Request: Sendable, Equatable {
    case exchangeMTU
    case services(from: UInt16)
    case characteristics(service: Int, from: UInt16)
    case descriptors(from: UInt16)
    case subscribe
    case write
    case prepare(value: [UInt8], offset: Int)
    case execute
    case read(soFar: [UInt8])
  }

  let search: CharacteristicSearch
  let ownMTU: UInt16
  var services: [Service] = []
  var candidate: FoundCharacteristic?
  /// The characteristic, once it can be used.
  package internal(set) var found: FoundCharacteristic?
  /// The request that waits for its answer, and until when.
  private(set) var pending: (request: Request, opcode: UInt8, deadline: UInt64)?
  private var answers = 0
  var output: [[UInt8]] = []
  var events: [ATTClientEvent] = []
  var now: UInt64 = 0

  package init(search: CharacteristicSearch, ownMTU: UInt16) {
    self.search = search
    self.ownMTU = ownMTU
  }

  /// Whether no request waits.
  package var isIdle: Bool { pending == nil }
  /// When the answer must have come, in milliseconds; nil where none is waited for.
  package var deadline: UInt64? { pending?.deadline }

  package mutating func takeEvents() -> [ATTClientEvent] {
    defer { events = [] }
    return events
  }

  package mutating func takeOutput() -> [[UInt8]] {
    defer { output = [] }
    return output
  }

  /// Begins: asks for the MTU where more than the least is taken, then looks for the characteristic.
  package mutating func start(now: UInt64) {
    self.now = now
    if ownMTU > 23 {
      send(.exchangeMTU, ATTEncoder.fields(0x02, ownMTU))
    } else {
      findServices(from: 1)
    }
  }

  /// Writes the characteristic's value; false where a request waits or there is nothing to write to.
  ///
  /// A value that fits goes by one write, with response where the characteristic has it; a longer
  /// one by prepared writes. `.written` follows for all but a write without response.
  package mutating func write(_ value: [UInt8], mtu: Int, now: UInt64) -> Bool {
    self.now = now
    guard let found, isIdle else { return false }
    if value.count <= mtu - 3 {
      if found.properties.contains(.write) {
        send(.write, ATTEncoder.value(0x12, handle: found.handle, value))
      } else {
        output.append(ATTEncoder.value(0x52, handle: found.handle, value))
        events.append(.written(nil))
      }
      return true
    }
    guard found.properties.contains(.write),
      value.count <= AttributeDatabase.maximumValueLength
    else { return false }
    prepare(value, offset: 0, mtu: mtu)
    return true
  }

  /// Reads the characteristic's value, by parts where it is long; false where a request waits.
  package mutating func read(now: UInt64) -> Bool {
    self.now = now
    guard let found, isIdle, found.properties.contains(.read) else { return false }
    send(.read(soFar: []), ATTEncoder.fields(0x0A, found.handle))
    return true
  }

  /// Gives the bearer up where the server has not answered in time.
  package mutating func tick(now: UInt64) {
    self.now = now
    guard let pending, now >= pending.deadline else { return }
    fail("no answer to ATT request 0x\(Hexadecimal.upper(UInt64(pending.opcode), width: 2))")
  }

  mutating func fail(_ reason: String) {
    pending = nil
    events.append(.failed(reason))
  }

  mutating func send(_ request: Request, _ bytes: [UInt8]) {
    pending = (request, bytes.first ?? 0, now &+ ATTClient.transactionTimeout)
    output.append(bytes)
  }

  mutating func prepare(_ value: [UInt8], offset: Int, mtu: Int) {
    guard let found else { return }
    if offset >= value.count {
      send(.execute, [0x18, 0x01])
      return
    }
    let part = value[offset..<min(value.count, offset + max(1, mtu - 5))]
    send(
      .prepare(value: value, offset: offset),
      ATTEncoder.prepareWrite(
        0x16, handle: found.handle, offset: UInt16(truncatingIfNeeded: offset), part))
  }

  /// Takes the request that a response or error answers; nil for one that answers nothing.
  mutating func answered(opcode: UInt8) -> Request? {
    guard let pending, pending.opcode == opcode else { return nil }
    self.pending = nil
    answers += 1
    if found == nil, answers > ATTClient.maximumAnswers {
      fail("the server's discovery does not end")
      return nil
    }
    return pending.request
  }
}
