public import BluetoothProtocols
import CaptureFormats
import WireBytes

/// What the user wants of the link layers.
public struct DissectionOptions: Sendable {
  /// Which characteristics carry messages.
  public var characteristics = DocumentCharacteristics()
  /// Protocols beside Peat whose values are wanted too.
  public var wanted: WantedProtocols = []
  /// Handles that the user says are the document characteristic.
  public var hints: [HandleHint] = []
  /// Whether sibling characteristics of Peat services give values too.
  public var includesSiblings = false
  /// Handles found in earlier captures, from a bond cache.
  public var remembered: [RememberedHandle] = []
  /// The identity address behind a resolvable private one, where the user has its key.
  public var resolveAddress: (@Sendable (DeviceAddress) -> DeviceAddress?)?
  /// Whether a key of the user's opens a wrapped frame.
  public var opensFrame: (@Sendable ([UInt8]) -> Bool)?
  /// Whether what happens to connections is told.
  public var tellsLinkEvents = false
  /// Whether every value is counted by its handle; nothing is passed over then.
  public var countsHandles = false
  /// Whether what several adapters of one file saw of a value becomes one value.
  public var joinsViewpoints = true
  /// Whether the notes of monitor files are wanted.
  public var collectsMonitorNotes = false

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
  var notices = NoticeBatch()
  /// What the reader need not lend out.
  var gate = TrafficGate()
  /// The value without a name at the front of the queue, so that it is not asked for in vain.
  var blocked: Block?
  /// Gaps before the last packet that was lent out.
  var gateMark = 0
  var adapters: [Int: AdapterState] = [:]
  var advertisers = AdvertiserTable()
  var addresses = PrivateAddresses()
  var facts = LinkFactTable()
  var story = LinkStory()
  var nextLinkID = 1
  var air = AirState()
  /// Entries of the tables of open connections.
  var openEntryCount = 0
  /// Bytes that wait in open connections for the rest of a packet, an SDU or a long write.
  var pendingBytes = 0
  /// Channels that carry ATT, on all connections.
  var enhancedBearerCount = 0
  /// The slots of open connections by adapter.
  var openSlots: [Int: Set<Int>] = [:]
  /// Grows whenever a handle that was unresolved may have become known.
  var knowledgeGeneration = 0
  /// Set while values are only counted, because too many wait: a second reading will show them.
  var isSurvey = false
  /// Whether the survey passed over a value that a second reading would show.
  var surveyMissed = false
  /// Handles that the survey met without a name, and in which packets first and last.
  var surveyUnresolved: [SurveyHandle: ClosedRange<Int>] = [:]
  /// Indications that may have been Service Changed.
  var strayIndications = StrayIndications()
  /// Values that are not shown, because nothing names their handles.
  var unnamed = UnnamedValues()
  /// Whether the capture cannot be read a second time, as one from a pipe.
  var isReadOnce = false
  /// Set in the second reading, when every later discovery is known.
  var isSecondReading = false

  // The record at hand.
  var frame = 0
  var fileOffset = 0
  var time: Timestamp?
  var lastDrops: UInt32 = 0
  /// Damaged places of the container before this record.
  var damageMark = 0
  private var damageFrame = 0
  /// Packets whose values another capture shows.
  var leftOut: ClosedRange<Int>?
  /// Gaps that values told of so far.
  private var toldGaps = 0
  /// Places where packets were lost.
  private(set) var losses = Losses()
  var cuts = CutCounts()
  var traffic = TrafficCounts()
  var collector = ReportCollector()
  var monitorNotes: [MonitorNote] = []
  /// Notes that found no room since the last were taken.
  var lostMonitorNotes = 0
  /// Adapters that had LE connections.
  var connectedAdapters: Set<Int> = []

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
    self.knowledge = knowledge ?? HandleKnowledge(options: options)
  }

  /// Takes one record.
  mutating func process(_ record: borrowing RecordView) {
    frame = record.frame
    time = record.time.flatMap { $0.isHeldAtLimit ? nil : $0 }
    // One record may hold several packets.
    if record.followsDamage, record.frame != damageFrame {
      damageMark += 1
      damageFrame = record.frame
    }
    fileOffset = record.fileOffset
    if record.drops != lastDrops { noteDrops(record.drops) }
    switch record.content {
    case .acl:
      traffic.data += 1
      processACL(record)
      gateMark = lossMark
    case .event:
      traffic.control += 1
      processEvent(record)
    case .command:
      traffic.control += 1
      processCommand(record)
    case .monitorNote: processMonitorNote(record)
    case .linkLayer251, .linkLayer256, .nordic272, .nordic157:
      traffic.air += 1
      processAir(record)
    case .sco: traffic.synchronous += 1
    case .iso: traffic.isochronous += 1
    case .other: traffic.unknown += 1
    }
  }

  /// No further record comes: nothing waits for an outcome any more.
  mutating func finish() {
    for slot in connections.indices where connections[slot].link.id != 0 {
      close(slot)
    }
    concludeAir()
    _ = knowledge.settleByContent()
    if let notice = losses.notice { notices.append(notice) }
    if let notice = cuts.notice { notices.append(notice) }
  }

  /// The last packet passed over: what ends with the capture ended there.
  mutating func notePassed(frame: Int, time: Timestamp) {
    self.frame = frame
    self.time = time.isHeldAtLimit ? nil : time
  }

  mutating func note(_ code: Notice.Code, _ text: String) {
    notices.append(Notice(code: code, frame: frame, time: time, text: text))
  }

  /// Gaps before this record: where packets were lost, and damaged places.
  var lossMark: Int { losses.places &+ damageMark }

  /// The first value behind a gap says so.
  mutating func tellGap(_ value: inout CapturedValue) {
    value.followsLoss = value.gaps > toldGaps
    toldGaps = max(toldGaps, value.gaps)
  }

  /// Takes in what other captures of the same run tell of devices.
  mutating func teach(_ taught: TaughtDevices) {
    for (key, identity) in taught.keys { _ = addresses.learn(key, of: identity, usedBy: nil) }
    // A capture may have met a device by a private address, and another one tell its key.
    var taught = taught
    taught.rename { addresses.resolved($0) }
    knowledge.teach(taught)
    knowMore()
  }

  private mutating func noteDrops(_ drops: UInt32) {
    // A counter that falls belongs to a new recording.
    if drops > lastDrops {
      losses.add(Int(drops - lastDrops), frame: frame, time: time)
      tell(.lost(Int(drops - lastDrops)))
    }
    lastDrops = drops
    gate.drops = drops
  }
}

/// Packets that the recorder says it lost.
struct Losses: Sendable {
  private var first: (frame: Int, time: Timestamp?)?
  private(set) var packets = 0
  private(set) var places = 0

  mutating func add(_ count: Int, frame: Int, time: Timestamp?) {
    if first == nil { first = (frame, time) }
    packets += count
    places += 1
  }

  /// One warning a file, however often packets were lost.
  var notice: Notice? {
    guard let first else { return nil }
    let lost = "the recorder lost \(packets) packet\(packets == 1 ? "" : "s")"
    return Notice(
      code: .droppedPackets, frame: first.frame, time: first.time,
      text: places == 1
        ? "\(lost) before this one" : "\(lost) at \(places) places, the first before this one")
  }
}
