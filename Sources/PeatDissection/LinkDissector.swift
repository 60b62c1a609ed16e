import BluetoothProtocols
import CaptureFormats
import WireBytes

/// What the user wants of the link layers.
public struct DissectionOptions: Sendable {
  /// Which characteristics carry messages.
  public var characteristics = DocumentCharacteristics()
  /// Handles that the user says are the document characteristic.
  public var hints: [HandleHint] = []
  /// Whether sibling characteristics of Peat services give values too.
  public var includesSiblings = false

  /// Makes the default options.
  public init() {}
}

/// Follows the connections of one capture and finds the values of Peat characteristics.
///
/// Fed with records in file order; what it finds waits in a queue until it can be shown in file
/// order. It knows nothing of files, so that a live capture can feed it too.
struct LinkDissector {
  /// Connections open at a time; controllers have at most 16 or so.
  static let connectionLimit = 8192
  /// Handles without a name remembered in a survey; with more, a second reading is made anyhow.
  static let surveyLimit = 65_536

  let options: DissectionOptions
  var knowledge: HandleKnowledge
  var connections: [Connection] = []
  var freeSlots: [Int] = []
  var index = ConnectionIndex()
  var queue = OutputQueue()
  var notices: [Notice] = []
  /// What the reader need not lend out.
  var unwanted = UnwantedTraffic()
  var adapters: [Int: AdapterState] = [:]
  var advertisers = AdvertiserTable()
  var facts = LinkFactTable()
  var nextLinkID = 1
  /// Grows whenever a handle that was unresolved may have become known.
  var knowledgeGeneration = 0
  /// Set while values are only counted, because too many wait: a second reading will show them.
  var isSurvey = false
  /// Whether the survey passed over a value that a second reading would show.
  var surveyMissed = false
  /// Handles that the survey met without a name.
  var surveyUnresolved: Set<SurveyHandle> = []
  /// Set in the second reading, when every later discovery is known.
  var isSecondReading = false

  // The record at hand.
  var frame = 0
  var time: Timestamp?
  var lastDrops: UInt32 = 0

  struct SurveyHandle: Sendable, Hashable {
    var key: ServerKey
    var identity: ServerIdentity?
    var handle: UInt16
  }

  /// What is known of one adapter's own addresses.
  struct AdapterState: Sendable {
    var publicAddress: DeviceAddress?
    var randomAddress: DeviceAddress?
    var advertisingType: UInt8?
    var connectingType: UInt8?
  }

  init(options: DissectionOptions, knowledge: HandleKnowledge? = nil) {
    self.options = options
    self.knowledge =
      knowledge
      ?? HandleKnowledge(characteristics: options.characteristics, hints: options.hints)
  }

  /// Takes one record.
  mutating func process(_ record: borrowing RecordView) {
    frame = record.frame
    time = record.time
    if record.drops != lastDrops { noteDrops(record.drops) }
    switch record.content {
    case .acl: processACL(record)
    case .event: processEvent(record)
    case .command: processCommand(record)
    case .monitorNote: processMonitorNote(record)
    case .sco, .iso, .linkLayer251, .linkLayer256, .nordic272, .nordic157, .other: break
    }
  }

  /// No further record comes: nothing waits for an outcome any more.
  mutating func finish() {
    for slot in connections.indices where connections[slot].link.id != 0 {
      close(slot)
    }
  }

  mutating func note(_ code: Notice.Code, _ text: String) {
    notices.append(Notice(code: code, frame: frame, time: time, text: text))
  }

  private mutating func noteDrops(_ drops: UInt32) {
    // A counter that falls belongs to a new recording.
    if drops > lastDrops {
      let count = drops - lastDrops
      note(
        .droppedPackets,
        "the recorder lost \(count) packet\(count == 1 ? "" : "s") before this one")
    }
    lastDrops = drops
    unwanted.drops = drops
  }
}
