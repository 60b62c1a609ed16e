package import BluetoothProtocols
import WireBytes

/// How a client came by a value.
package enum ValueSource: Sendable, Equatable { case notification, indication, read }

/// What a client tells.
package enum ATTClientEvent: Sendable, Equatable {
  /// The server told the MTU that it takes.
  case mtuAnswered(UInt16)
  /// What is wanted was found, and notifications are on where there are any.
  case ready([FoundCharacteristic])
  /// The server has nothing of what is wanted.
  case notFound
  /// A value of the characteristic with a handle.
  case value([UInt8], ValueSource, handle: UInt16)
  /// A write that was handed in is done, or was refused.
  case written(ATTErrorCode?)
  /// A read that was handed in was refused.
  case readRefused(ATTErrorCode)
  /// The server wants the link encrypted first.
  case encryptionNeeded
  /// The server does not answer, or not as the protocol asks: the bearer is of no more use.
  case failed(String)
}

/// One connection's client: finds the characteristics of one service that hold the server's value
/// and take this client's, then reads and writes them, one request at a time
/// (Core Specification Vol 3 Part F, 3.3.2; Part G, 4).
package struct ATTClient: Sendable {
  /// Time for an answer in milliseconds (Core Specification Vol 3 Part F, 3.3.3).
  package static let transactionTimeout: UInt64 = 30_000
  /// Services that are looked into at most.
  static let maximumServices = 32
  /// Characteristics of a service that are used at most.
  static let maximumCandidates = 8
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
    case descriptors(candidate: Int, from: UInt16)
    case subscribe(candidate: Int)
    case write
    case prepare(value: [UInt8], offset: Int)
    case execute
    case read(handle: UInt16, soFar: [UInt8])
  }

  let search: CharacteristicSearch
  let ownMTU: UInt16
  var services: [Service] = []
  /// What the service at hand has of what is wanted, ascending by handle.
  var candidates: [FoundCharacteristic] = []
  /// The characteristics, once they can be used.
  package internal(set) var found: [FoundCharacteristic] = []
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

  /// What values are written to.
  var sink: FoundCharacteristic? { found.first(where: \.isWritten) }

  /// Whether the server tells nothing by itself, so that its value has to be read again and again.
  package var mustPoll: Bool {
    found.contains { $0.use.contains(.polled) && $0.isRead }
      || !found.contains(where: \.isSubscribed)
  }

  /// Begins: asks for the MTU where more than the least is taken, then looks for what is wanted.
  package mutating func start(now: UInt64) {
    self.now = now
    if ownMTU > 23 {
      send(.exchangeMTU, ATTEncoder.fields(0x02, ownMTU))
    } else {
      findServices(from: 1)
    }
  }

  /// Writes a value; false where a request waits or there is nothing to write to.
  ///
  /// A value that fits goes by one write, with response where the characteristic has it; a longer
  /// one by prepared writes. `.written` follows for all but a write without response.
  package mutating func write(_ value: [UInt8], mtu: Int, now: UInt64) -> Bool {
    self.now = now
    guard let sink, isIdle else { return false }
    if value.count <= mtu - 3 {
      if sink.properties.contains(.write) {
        send(.write, ATTEncoder.value(0x12, handle: sink.handle, value))
      } else {
        output.append(ATTEncoder.value(0x52, handle: sink.handle, value))
        events.append(.written(nil))
      }
      return true
    }
    guard sink.properties.contains(.write),
      value.count <= AttributeDatabase.maximumValueLength
    else { return false }
    prepare(value, offset: 0, mtu: mtu)
    return true
  }

  /// Reads the server's value, by parts where it is long; false where a request waits.
  ///
  /// - Parameter handle: which of several to read; nil for the one that tells nothing by itself, or
  ///   else the first.
  package mutating func read(_ handle: UInt16? = nil, now: UInt64) -> Bool {
    self.now = now
    let readable = found.filter(\.isRead)
    let wanted =
      readable.first { handle == $0.handle || (handle == nil && $0.use.contains(.polled)) }
      ?? readable.first
    guard let wanted, isIdle else { return false }
    send(.read(handle: wanted.handle, soFar: []), ATTEncoder.fields(0x0A, wanted.handle))
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
    guard let sink else { return }
    if offset >= value.count {
      send(.execute, [0x18, 0x01])
      return
    }
    let part = value[offset..<min(value.count, offset + max(1, mtu - 5))]
    send(
      .prepare(value: value, offset: offset),
      ATTEncoder.prepareWrite(
        0x16, handle: sink.handle, offset: UInt16(truncatingIfNeeded: offset), part))
  }

  /// Takes the request that a response or error answers; nil for one that answers nothing.
  mutating func answered(opcode: UInt8) -> Request? {
    guard let pending, pending.opcode == opcode else { return nil }
    self.pending = nil
    answers += 1
    if found.isEmpty, answers > ATTClient.maximumAnswers {
      fail("the server's discovery does not end")
      return nil
    }
    return pending.request
  }
}
