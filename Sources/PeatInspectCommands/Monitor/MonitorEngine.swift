import BluetoothProtocols
import CaptureFormats
import PeatDissection
import PeatReports
import PeatSecurity
import PeatTimeline
import WireBytes

/// Turns packets into rows as they come; does no input or output.
///
/// Moments are those of the input: of the machine's clock, or of a replayed capture.
struct MonitorEngine {
  /// The input as the user named it; of several, all.
  let file: String
  /// The names of several inputs; empty where there is one.
  private let sources: [String]
  /// Which of them packets come from.
  var source = 0
  private var numbers = AdapterNumbers()
  private var dissector: LiveDissector
  private(set) var timeline: Timeline<Keyring>
  /// Writes every record as it comes, before anything is made of it.
  var recorder: RecordEncoder?
  /// Packets on their way to the recorder, where messages are told in it.
  var held: HeldRecords?
  private var rows: [TimelineRow] = []
  private(set) var first: Timestamp?
  private(set) var last: Timestamp?
  /// The moment of the last record or of the last look.
  private(set) var now: UInt64 = 0
  /// The moment at which `last` came.
  private var lastMoment: UInt64 = 0
  private(set) var frames = 0
  /// Bytes of the records, as far as they were captured.
  private(set) var bytes = 0
  /// Packets lost before they came here, as their recorder counts them.
  private(set) var drops = 0
  /// Each recorder's count, which begins anew where a device or file does.
  private var countedDrops: [UInt32]
  private var framesOfSources: [Int]

  init(
    file: String, sources: [String] = [], options: DissectionOptions, keyring: Keyring,
    outcomePatience: UInt64 = LiveDissector.outcomePatience
  ) {
    self.file = file
    self.sources = sources
    countedDrops = Array(repeating: 0, count: max(1, sources.count))
    framesOfSources = Array(repeating: 0, count: max(1, sources.count))
    dissector = LiveDissector(options: options, outcomePatience: outcomePatience)
    timeline = Timeline(streams: [], opener: keyring, engine: FindingEngine())
  }

  /// Takes a record that came at `moment`.
  mutating func take(_ record: borrowing RecordView, at moment: UInt64) {
    guard sources.count > 1 else { return takeOne(record, at: moment) }
    let number = numbers.number(of: record.adapter &+ firstAdapter, input: source)
    let own = record.onAdapter(number)
    takeOne(own, at: moment)
  }

  /// libpcap's bluetoothN is adapter N, though its packets do not say so.
  private var firstAdapter: Int {
    let name = sources[source]
    guard name.hasPrefix("bluetooth") else { return 0 }
    return UInt16(name.dropFirst("bluetooth".count)).map { Int($0) } ?? 0
  }

  /// Packets of the present source.
  var sourceFrames: Int { framesOfSources[source] }

  private mutating func takeOne(_ record: borrowing RecordView, at moment: UInt64) {
    if held != nil {
      held?.take(StoredRecord(record), at: moment)
    } else {
      recorder?.append(record)
    }
    // What is overdue is shown as it was before this record could change it.
    advance(to: moment)
    frames &+= 1
    bytes &+= record.payload.byteCount
    framesOfSources[source] &+= 1
    if record.drops < countedDrops[source] { countedDrops[source] = 0 }
    drops &+= Int(record.drops - countedDrops[source])
    countedDrops[source] = record.drops
    if let time = record.time {
      first = first ?? time
      last = time
      lastMoment = now
    }
    dissector.process(record, at: now)
    collect()
  }

  /// Lets time pass: what waited long enough becomes a row.
  mutating func advance(to moment: UInt64) {
    now = max(now, moment)
    collect()
  }

  /// The input has ended: nothing waits any more.
  mutating func finish() {
    dissector.finish()
    collect()
  }

  /// Hands held packets to the recorder, at the end all of them.
  mutating func releaseHeld(isEnd: Bool = false) {
    guard var encoder = recorder else { return }
    let (now, waits) = (now, !isEnd && deadline != nil)
    recorder = nil
    held?.release(into: &encoder, at: now, waits: waits)
    recorder = encoder
  }

  /// When something that waits becomes due, though no record comes.
  var deadline: UInt64? { dissector.deadline }

  /// Whether rows are ready: an input takes no further record then, so that the state is that of
  /// the row which is shown.
  var hasRows: Bool { !rows.isEmpty }

  /// Takes the rows that are ready.
  mutating func takeRows() -> [TimelineRow] {
    defer { rows.removeAll() }
    return rows
  }

  /// Takes what went wrong below the messages since the last call.
  mutating func takeNotices() -> NoticeBatch { dissector.takeNotices() }

  /// The input's own time now: that of its last packet, and what passed since.
  var presentTime: Timestamp? {
    guard var time = last else { return nil }
    time.nanoseconds &+= Int64(clamping: now &- lastMoment)
    return time
  }

  /// The signal of the last advertisement from an address, in dBm.
  func rssi(of address: DeviceAddress) -> Int? { dissector.advertisers[address]?.lastRSSI }

  /// Packets that came and could not be recorded.
  var unrecorded: Int { recorder?.unwritable ?? 0 }

  /// What is known of each connection, in the order of their beginning.
  var links: [LinkFacts] { dissector.links }

  /// The document handles that discovery found, for a bond cache.
  var rememberedHandles: [RememberedHandle] { dissector.rememberedHandles }

  /// Whether a handle of a bond cache holds no longer.
  func isOutdated(_ handle: RememberedHandle) -> Bool { dissector.isOutdated(handle) }

  /// What is told of the input as a whole.
  var facts: CaptureFacts {
    var facts = CaptureFacts()
    facts.frames = frames
    facts.connections = dissector.connectionCount
    facts.unresolved = dissector.unresolvedCount
    facts.first = first
    facts.last = last
    facts.peatAdvertisers = dissector.advertisers.all.count { $0.isPeat }
    return facts
  }

  private mutating func collect() {
    while let value = dissector.next(at: now) {
      guard sources.count > 1 else {
        rows.append(timeline.row(of: value, file: file, since: first))
        continue
      }
      var value = value
      for index in value.seenIn.indices {
        value.seenIn[index].file = name(of: value.seenIn[index].adapter)
      }
      rows.append(timeline.row(of: value, file: name(of: value.link.adapter), since: first))
    }
  }

  /// The input that an adapter belongs to.
  private func name(of adapter: Int) -> String {
    numbers.input(of: adapter).map { sources[$0] } ?? file
  }
}
