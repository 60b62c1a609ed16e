public import BluetoothProtocols
public import CaptureFormats
public import WireBytes

/// Finds the values of Peat characteristics in one capture, in file order.
///
/// Where discovery names handles after their first values, the values wait in memory. Where too
/// many wait, a file is read twice: the first reading learns the tables, the second shows the
/// values. From a pipe, the oldest waiting value is given up instead.
public struct CaptureDissector: ~Copyable {
  private var reader: CaptureReader
  private var dissector: LinkDissector
  private var hasEnded = false
  /// Told now and then how many bytes are read, and of how many where that is known.
  public var onProgress: ((Int, Int?) -> Void)?
  /// What to do where a capture that grows has no more for now (`--follow`).
  public enum CaughtUp: Sendable {
    /// Look again.
    case again
    /// Look again; nothing has come for a while, so that nothing should be held back for order.
    case idle
    /// Go on with another file that took the place of this one, once this one is read to its end.
    case rotated
    /// The capture ends here, though its writer may go on.
    case end
    /// Nothing more comes: what is cut now stays cut.
    case finished
  }

  /// Asked where a growing capture has no more for now; it waits as long as it likes.
  public var onCaughtUp: ((_ readBytes: Int) -> CaughtUp)?
  /// Opens the file that took the place of one that was rotated; nil where there is none.
  public var onRotation: (() -> CaptureReader?)?
  /// Packets that another capture has too and shows (see `CaptureOverlap`): they teach what they
  /// teach, and nothing of them is given or counted here.
  public var repeated: ClosedRange<Int>? {
    didSet { dissector.leftOut = repeated }
  }
  /// Nanoseconds since 1970 behind which nothing is read; nil reads to the end.
  public var until: Int64?
  /// Why the input could not be read on; thrown once what was read before is given.
  private var failure: CaptureError?
  private var isIdle = false
  private static let progressInterval = 1 << 14
  private var given = GivenValues()
  private var viewpoints = Viewpoints()
  private var firstTimestamp: Timestamp?

  /// Makes a dissector that reads to the end of `reader`.
  public init(reader: consuming CaptureReader, options: DissectionOptions) {
    self.reader = reader
    dissector = LinkDissector(options: options)
    dissector.isReadOnce = !self.reader.isSeekable
  }

  private var clock = ClockFollower()
  private var clockNotices: [Notice] = []
  private var isSecondReading = false

  /// The steps of the recorder's clock, as far as the reading is.
  public var clockSteps: ClockSteps { clock.steps }
  /// Time of the first packet that has one.
  public var firstTime: Timestamp? { firstTimestamp }
  /// Time of the last packet read that has one.
  public private(set) var lastTime: Timestamp?
  /// Packets read.
  public var frameCount: Int {
    guard let repeated else { return reader.frameCount }
    let passed = min(reader.frameCount, repeated.upperBound) - repeated.lowerBound + 1
    return reader.frameCount - max(0, passed)
  }
  /// LE connections met.
  public var connectionCount: Int {
    dissector.nextLinkID - 1 - dissector.facts.all.count { isRepeated($0) }
  }
  /// Who was heard advertising.
  public var advertisers: AdvertiserTable { dissector.advertisers }
  /// What was heard on the air, in a sniffer's capture.
  public var airStatistics: AirStatistics { dissector.air.statistics }
  /// What was met of each LE connection, ascending; the first 512.
  public var connectionReports: [ConnectionReport] { dissector.collector.reports }
  /// Adapters with their public addresses, ascending by index.
  public var adapters: [(index: Int, address: DeviceAddress?)] {
    dissector.adapters.sorted { $0.key < $1.key }
      .map { ($0.key, $0.value.publicAddress ?? $0.value.randomAddress) }
  }
  /// What the capture leaves out of the packets that it holds.
  public var cuts: CutCounts { dissector.cuts }
  /// Packets by what they are.
  public var traffic: TrafficCounts {
    var traffic = dissector.traffic
    let passed = dissector.gate.counts
    traffic.control += passed.control
    traffic.data += passed.data
    traffic.synchronous += passed.synchronous
    traffic.isochronous += passed.isochronous
    return traffic
  }
  /// Packets that the recorder lost, and at how many places.
  public var losses: (packets: Int, places: Int) {
    (dissector.losses.packets, dissector.losses.places)
  }
  /// Connections of which nothing is remembered, as there were too many.
  public var connectionsLeftOut: Int {
    let remembered = dissector.linkFacts.count
    return remembered < LinkFactTable.limit ? 0 : dissector.nextLinkID - 1 - remembered
  }
  /// Tables of attributes that were forgotten, or not remembered, for want of room.
  public var forgottenTables: Int { dissector.knowledge.forgottenCount }
  /// The document characteristics that discovery found, for a bond cache.
  public var rememberedHandles: [RememberedHandle] { dissector.knowledge.rememberedHandles }
  /// The types of characteristics that discovery found; whole at the end.
  public var discoveredTypes: [DiscoveredType] { dissector.knowledge.discovered }
  /// Whether a handle of a bond cache holds no longer, by what the capture told.
  public func isOutdated(_ handle: RememberedHandle) -> Bool {
    dissector.knowledge.isOutdated(handle)
  }
  /// Records of kinds that are not read here.
  public var skippedRecordCount: Int { reader.skippedRecordCount }
  /// The container.
  public var format: CaptureFormat { reader.format }
  /// Members of an archive that are read.
  public var members: [String] { reader.members }
  /// Members of an archive that hold captures and are not read.
  public var otherMembers: [String] { reader.otherMembers }
  /// What is known of each connection besides its values; whole once the end is reached.
  public var linkFacts: [LinkFacts] {
    repeated == nil ? dissector.linkFacts : dissector.linkFacts.filter { !isRepeated($0) }
  }
  /// Events of connections that found no room.
  public var lostLinkEvents: Int { dissector.story.lost }
  /// The container's name and link types.
  public var summary: String { reader.summary }
  /// What was damaged, at most 16 places.
  public var damages: [CaptureError] { reader.damages }
  /// How many places were damaged.
  public var damageCount: Int { reader.damageCount }
  /// What is odd about the container.
  public var containerNotes: [String] { reader.notes }
  /// Bytes read, and of how many where that is known.
  public var progress: (done: Int, total: Int?) { (reader.bytesConsumed, reader.totalBytes) }

  /// Values that are not shown, because nothing names their handles; whole at the end.
  public var unresolvedCount: Int { dissector.unnamed.count }
  /// The same by handle, ascending by connection; the first 4096.
  public var unnamedHandles: [UnnamedHandle] { dissector.unnamed.handles }
  /// Takes in what other captures tell of devices.
  public mutating func teach(_ taught: TaughtDevices) { dissector.teach(taught) }

  /// What it tells of devices, for other captures; whole once the end is reached.
  public var lesson: DeviceLesson { dissector.lesson }

  /// Whether a connection began and ended in packets that another capture shows.
  private func isRepeated(_ facts: LinkFacts) -> Bool {
    guard let repeated else { return false }
    return facts.end != nil && repeated.contains(facts.firstFrame)
      && repeated.contains(facts.lastFrame)
  }

  /// Whether something went wrong below the messages since it was last taken.
  public var hasNotices: Bool { !(clockNotices.isEmpty && dissector.notices.isEmpty) }

  /// Takes what went wrong below the messages since the last call.
  public mutating func takeNotices() -> NoticeBatch {
    defer { dissector.notices = NoticeBatch() }
    for notice in clockNotices { dissector.notices.append(notice) }
    clockNotices = []
    return dissector.notices
  }

  /// Takes what happened to connections since the last call.
  public mutating func takeLinkEvents() -> [LinkEvent] { dissector.story.take() }

  /// Takes the notes of a monitor file since the last call, and how many found no room.
  public mutating func takeMonitorNotes() -> (notes: [MonitorNote], lost: Int) {
    defer {
      dissector.monitorNotes.removeAll()
      dissector.lostMonitorNotes = 0
    }
    return (dissector.monitorNotes, dissector.lostMonitorNotes)
  }

  /// The next value, or nil at the end.
  ///
  /// - Throws: `CaptureError` where the input cannot be read on.
  public mutating func next() throws(CaptureError) -> CapturedValue? {
    guard var value = try nextValue() else { return nil }
    clock.note(value)
    let found = clock.takeFound()
    if !found.isEmpty {
      value.clockSteps = found
      noteSteps(found)
    }
    return value
  }

  private mutating func noteSteps(_ steps: [ClockStep]) {
    for step in steps where clockNotices.count < ClockSteps.limit {
      clockNotices.append(
        Notice(code: .clockStep, frame: step.frame, time: step.after, text: step.text))
      guard dissector.options.tellsLinkEvents else { continue }
      dissector.story.add(
        LinkEvent(kind: .clockStep(step.size), frame: step.frame, time: step.after, link: nil))
    }
  }

  private mutating func nextValue() throws(CaptureError) -> CapturedValue? {
    while true {
      if !viewpoints.isEmpty {
        // Values that still wait in the queue may be counterparts, however far the reading is.
        let now = dissector.queue.isEmpty ? lastTime : viewpoints.lastTime
        if let value = viewpoints.next(at: now, isEnd: false) { return value }
      }
      if !dissector.queue.isEmpty, let value = dissector.nextValue() {
        if isSecondReading {
          if given.wasGiven(value) { continue }
        } else if canReadAgain {
          given.note(value)
        }
        if let repeated, repeated.contains(value.frame) { continue }
        let adapters = dissector.connectedAdapters.count
        if adapters < 2 || !dissector.options.joinsViewpoints { return value }
        viewpoints.add(value, adapters: adapters)
        continue
      }
      if isIdle, let value = viewpoints.next(at: nil, isEnd: true) { return value }
      if hasEnded {
        if let value = viewpoints.next(at: lastTime, isEnd: true) { return value }
        defer { failure = nil }
        if let failure { throw failure }
        return nil
      }
      do throws(CaptureError) {
        try readOn()
      } catch {
        // What waits was read all the same: this is the end, and told behind it.
        failure = error
        conclude()
      }
    }
  }

  /// Reads records until a value may be ready, or to the end.
  private mutating func readOn() throws(CaptureError) {
    while try step() {
      if dissector.frame & (CaptureDissector.progressInterval - 1) == 0, let onProgress {
        onProgress(reader.bytesConsumed, reader.totalBytes)
      }
      if dissector.needsAttention {
        let limit = canReadAgain ? OutputQueue.surveyLimit : OutputQueue.byteLimit
        if dissector.queue.heldBytes > limit { try giveWay() }
        return
      }
    }
    guard reader.isGrowing, let onCaughtUp else { return try finish() }
    // What the values say so far settles their handles: nobody waits for an end to come.
    if dissector.knowledge.settleByContent() { return }
    switch onCaughtUp(reader.bytesConsumed) {
    case .again: isIdle = false
    case .idle:
      isIdle = true
      dissector.giveUpUnresolved(keepsCandidates: true)
      dissector.noteUnreadableLinks(all: true)
    case .rotated: try rotate()
    case .end: try finish()
    case .finished:
      reader.isGrowing = false
      while try step() {}
      try finish()
    }
  }

  /// A capture that grows is read once: its second reading would show what has come meanwhile.
  private var canReadAgain: Bool { reader.isSeekable && !reader.isGrowing }

  private mutating func rotate() throws(CaptureError) {
    // What was written to the old file until it was moved away.
    while try step() {}
    guard let next = onRotation?() else { return }
    reader = next
    reader.isGrowing = true
  }

  /// Reads one record; false at the end.
  @inline(__always)
  private mutating func step() throws(CaptureError) -> Bool {
    if let time = reader.passOver(&dissector.gate, until: until) {
      lastTime = time
      dissector.notePassed(frame: reader.frameCount, time: time)
      if !isSecondReading { clock.pass(time) }
    }
    guard let record = try reader.next() else { return false }
    if let time = record.time {
      if let until, time.nanoseconds > until { return false }
      if time.isHeldAtLimit {
        if !isSecondReading, clockNotices.count < ClockSteps.limit {
          clockNotices.append(CaptureDissector.impossibleTime(frame: record.frame))
        }
      } else {
        lastTime = time
        if firstTimestamp == nil { firstTimestamp = time }
        if !isSecondReading { clock.note(time, frame: record.frame) }
      }
    }
    // Who was heard counts where the packet is shown.
    if let repeated, repeated.contains(record.frame), record.isAdvertisingReport { return true }
    dissector.process(record)
    return true
  }

  private static func impossibleTime(frame: Int) -> Notice {
    Notice(
      code: .clockStep, frame: frame, time: nil,
      text: "the record's time cannot be: it lies outside the years 1678 to 2261")
  }

  /// Too much waits.
  private mutating func giveWay() throws(CaptureError) {
    // What waits for an outcome alone, or is ready, is shown now: no reading would name it.
    guard dissector.isHeldUpByName() else { return }
    if canReadAgain && !dissector.isSecondReading {
      dissector.startSurvey()
    } else {
      dissector.giveUpOldest()
    }
  }

  private mutating func finish() throws(CaptureError) {
    dissector.finish()
    if dissector.isSurvey, dissector.surveyNamesValues, try reader.rewind() {
      dissector = dissector.secondReading()
      isSecondReading = true
      given.rewind()
      return
    }
    end()
  }

  /// The input failed: no second reading would come further.
  private mutating func conclude() {
    dissector.finish()
    end()
  }

  private mutating func end() {
    hasEnded = true
    noteSteps(clock.takeFound())
    dissector.reviewUnnamed()
    dissector.giveUpUnresolved()
  }
}

extension RecordView {
  /// Whether this is an LE Meta event with advertising reports (Core Specification Vol 4 Part E
  /// 7.7.65.2 and 7.7.65.13).
  fileprivate var isAdvertisingReport: Bool {
    guard content == .event, payload.byteCount >= 3 else { return false }
    let reader = ByteReader(payload, layer: .hci)
    return reader.peek(0) == 0x3E && (reader.peek(2) == 0x02 || reader.peek(2) == 0x0D)
  }
}
