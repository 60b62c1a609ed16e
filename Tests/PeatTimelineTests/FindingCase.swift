import CaptureFormats
import PeatDissection
import PeatProtocol
import PeatTestSupport
import PeatTimeline
import WireBytes

/// A finding with a capture that shows it and a nearly equal one that does not.
struct FindingCase: Sendable, CustomStringConvertible {
  let code: FindingCode
  let shows: @Sendable (inout CaptureBuilder) -> Void
  let hides: @Sendable (inout CaptureBuilder) -> Void

  init(
    _ code: FindingCode, shows: @escaping @Sendable (inout CaptureBuilder) -> Void,
    hides: @escaping @Sendable (inout CaptureBuilder) -> Void
  ) {
    self.code = code
    self.shows = shows
    self.hides = hides
  }

  var description: String { code.rawValue }

  /// Every case, by family.
  static let all = dropCases + stateCases + secrecyCases + linkCases + lowCases
}

/// What the finding engine says of a capture.
struct FindingRun {
  var rows: [TimelineRow] = []
  var report: FindingReport

  init(_ build: (inout CaptureBuilder) -> Void) throws {
    var builder = CaptureBuilder()
    build(&builder)
    let stream = CaptureStream(
      file: "x.btsnoop", reader: try CaptureReader(bytes: builder.bytes, name: "x.btsnoop"),
      options: DissectionOptions())
    var timeline = Timeline(
      streams: [stream], opener: NonceOpener(), engine: FindingEngine())
    report = FindingReport(start: nil)
    while let row = timeline.next() {
      rows.append(row)
      report.add(row)
    }
    for notice in stream.takeNotices() { report.add(notice, file: stream.file) }
    let end = CaptureEnd(
      file: stream.file, lastTime: stream.dissector.lastTime,
      links: stream.dissector.linkFacts, advertisers: stream.dissector.advertisers)
    for finding in timeline.engine?.conclude(end) ?? [] {
      report.add(finding, file: stream.file)
    }
  }

  var codes: [FindingCode] { report.items.map(\.code) }
}

/// Opens encrypted frames by the first byte of their nonce: 0 holds the text in clear, 1 is of
/// another key, 2 was changed, 3 is of an unknown sort.
struct NonceOpener: MessageOpener {
  func open(_ frame: EncryptedFrame) -> OpenOutcome {
    switch frame.nonce.first {
    case 0: .opened(plaintext: frame.ciphertext, key: "mesh:TEST")
    case 1: .unopened(.noKeyOpens)
    case 2: .unopened(.tagMismatch)
    default: .unopened(.noKey)
    }
  }

  func open(_ message: PeerMessage) -> OpenOutcome {
    .opened(plaintext: message.ciphertext, key: "session:TEST")
  }

  func open(beacon: [UInt8]) -> BeaconOutcome { .unopened(.noKey) }

  func observe(_ exchange: KeyExchange) {}

  func check(signature: [UInt8], over signed: [UInt8], by node: NodeID) -> SignatureCheck {
    .unchecked
  }
}

let alpha = NodeID(rawValue: 0xA1A1_A1A1)
let bravo = NodeID(rawValue: 0xB2B2_B2B2)
let charlie = NodeID(rawValue: 0xC3C3_C3C3)

/// A document's bytes.
func document(
  _ node: NodeID, _ version: UInt32, _ counts: [NodeID: UInt64] = [:],
  peripheral: Peripheral? = nil, emergency: EmergencyEvent? = nil
) -> [UInt8] {
  Document(
    version: version, node: node,
    counter: GCounter(counts.map { GCounter.Entry(node: $0.key, count: $0.value) }),
    peripheral: peripheral, emergency: emergency
  ).encoded()
}

/// A peripheral of a node, sound unless told otherwise.
func peripheral(
  _ node: NodeID, health: Health = Health(battery: 80), event: PeripheralEvent? = nil,
  location: Location? = nil, time: UInt64 = 0
) -> Peripheral {
  Peripheral(
    id: node, parent: NodeID(rawValue: 0), type: PeripheralType(rawValue: 1),
    callsign: Callsign("TEST"), health: health, event: event, location: location, time: time)
}

/// An emergency of a node with acks.
func emergency(
  _ source: NodeID, _ time: UInt64 = CaptureBuilder.start, _ acks: [NodeID: Bool] = [:]
) -> EmergencyEvent {
  EmergencyEvent(
    source: source, time: time,
    acks: acks.map { EmergencyEvent.Ack(node: $0.key, isAcked: $0.value) })
}

/// An encrypted frame that ``NonceOpener`` knows; `number` makes its nonce one of its own.
func encrypted(_ plaintext: [UInt8], sort: UInt8 = 0, number: UInt8 = 1) -> [UInt8] {
  EncryptedFrame(
    nonce: [sort, number] + [UInt8](repeating: 7, count: 10), ciphertext: plaintext,
    tag: [UInt8](repeating: 9, count: 16)
  ).encoded()
}

/// A relay envelope.
func relay(
  _ payload: [UInt8], origin: NodeID, id: UInt64 = 1, hops: UInt8 = 0, of maximum: UInt8 = 7
) -> [UInt8] {
  var envelope = RelayEnvelope(
    origin: origin, messageID: RelayMessageID(low: id, high: 0), payload: payload,
    maximumHops: maximum)
  envelope.hopCount = hops
  return envelope.encoded
}
