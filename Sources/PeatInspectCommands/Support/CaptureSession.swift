import CaptureFormats
import CommandLineOptions
import FirmwareUpgrades
import MeshDissection
import PeatDissection
import PeatProtocol
import PeatReplay
import PeatSecurity
import PeatTimeline
import SystemIO
import WireBytes

/// One reading of the captures of a command line: what every reading command does around its rows.
///
/// It opens the captures, sets their clocks, says on stderr what is wrong with each and what is not
/// shown, keeps results from being written over an input, and knows the exit status. A command is:
///
///     let session = try CaptureSession(configuration)  // checks options, reads the keys
///     guard try session.open(engine: FindingEngine()) else { return session.status }
///     let target = try session.output()
///     while let row = session.next() where session.selects(row) { ... }
///     session.conclude()                               // what is said of each capture as a whole
///     try target.sink.append(answer)
///     return try session.finish(target)
///
/// A capture that cannot be opened or read on is told with its status, and the others go on.
/// `session.streams` hold the dissectors with their facts, `session.state` the replayed mesh.
/// What a command answers belongs to the command, not in here.
final class CaptureSession {
  let configuration: InspectConfiguration
  let keyring: Keyring
  private let meshes: MeshKeys
  var diagnostics: Diagnostics
  private(set) var streams: [CaptureStream] = []
  private var timeline: Timeline<Keyring>
  private var alignment: CaptureAlignment
  private let cache: BondCache?
  private var progress: Progress
  private var rowCount = 0
  private var selection: RowSelection?
  /// Who belongs to the mesh that alone is wanted, where one is.
  private(set) var members: MeshMembers?
  /// Values that captures cut, by file.
  private var cuts: [String: CutValues] = [:]
  /// The first cut discovery answer of each file.
  private var cutDiscoveries: [String: Notice] = [:]
  private var pipe: FollowedPipe?
  private var keepsNotices = false
  private var notices: [(notice: Notice, file: String)] = []
  /// What is noted for the closing records, where they are asked for.
  private(set) var log = FactsLog()

  /// Checks what the options say of captures and reads the keys; `open()` opens the captures.
  init(_ configuration: InspectConfiguration) throws {
    self.configuration = configuration
    alignment = try CaptureAlignment(configuration)
    try alignment.readClocks()
    let keys = try KeyLoading(configuration.raw)
    keyring = keys.keyring
    meshes = keys.meshes
    cache = try configuration.raw.bondCache.map { try BondCache(path: $0) }
    diagnostics = Diagnostics(isQuiet: configuration.raw.isQuiet, style: configuration.style)
    if !configuration.raw.fleet.isWorker {
      for warning in keys.warnings { diagnostics.warn(warning) }
    }
    progress = Progress(configuration.raw.progress)
    timeline = Timeline(streams: [], opener: keyring)
  }

  /// The exit status so far: the highest of all captures.
  var status: ExitStatus { diagnostics.status }

  /// The first packet of the earliest capture, once the first row was asked for.
  var start: Timestamp? { timeline.startTime }

  /// Nanoseconds from the start to the last packet, without what steps of clocks add.
  var elapsed: Int64? {
    start.flatMap { start in streams.compactMap { $0.elapsed(since: start) }.max() }
  }

  /// What came out of the captures' clocks, where that is all that was asked for.
  private(set) var foundClocks: Alignment?

  /// The captures' clocks, to tell how long something took.
  var clocks: [ClockSpans.Capture] { streams.map(\.clockSpans) }

  /// The last packet of all captures, of what was read.
  var last: Timestamp? { streams.compactMap(\.lastTime).max() }

  /// The state that the rows so far make.
  var state: MeshState { timeline.state }

  /// What looks for what is wrong with the mesh, where the command asked for it.
  var engine: FindingEngine? { timeline.engine }

  /// The number that rows bear, or would, for a capture's own connection number.
  func assignLinkNumber(_ link: Int, stream: Int) -> Int {
    timeline.assignNumber(link, stream: stream)
  }

  /// The firmware upgrades of all captures, once they were read, and what only their whole shows.
  func concludeUpgrades() -> (sessions: [UpgradeSession], story: SMPStory) {
    var story = timeline.upgrades
    guard story.messages > 0 || story.hasValues else { return ([], story) }
    var lives: [Int: SMPLinkLife] = [:]
    for (index, stream) in streams.enumerated() {
      for facts in stream.dissector.linkFacts {
        let number = assignLinkNumber(facts.link.id, stream: index)
        lives[number] = SMPLinkLife(
          facts, file: stream.file, link: number, closed: stream.corrected(facts.closed))
      }
    }
    return (story.conclude { lives[$0] }, story)
  }

  /// Whether the options' window holds a time.
  func windowContains(_ time: Timestamp?) -> Bool {
    let active = selection ?? makeSelection()
    selection = active
    return active.contains(time)
  }

  /// Opens the captures and puts them on one clock; false where none could be opened.
  ///
  /// - Parameters:
  ///   - engine: what looks for findings, for rows that have them.
  ///   - appliesDeltas: whether delta documents are joined into the state.
  ///   - givesRepeats: whether of a message that two captures recorded the receiver's row is given
  ///     too, marked as a repeat.
  ///   - keepsNotices: whether `takeNotices()` is going to be called.
  ///   - resolvesTimesLater: whether times before the end are asked for only behind the last row.
  ///   - findsClocksOnly: whether nothing but `clocks` is asked for behind this.
  /// - Throws: `UsageError` where the output is an input, or a time before the end is asked for
  ///   of what can be read only once.
  func open(
    engine: FindingEngine? = nil, appliesDeltas: Bool = false, givesRepeats: Bool = false,
    keepsNotices: Bool = false,
    resolvesTimesLater: Bool = false, findsClocksOnly: Bool = false
  ) throws(UsageError) -> Bool {
    try OutputGuard(configuration).check(configuration.output, option: "--output")
    self.keepsNotices = keepsNotices
    guard openPipe() else { return false }
    OpenFiles.raiseLimit(for: configuration.files.count)
    streams = CaptureOpening(
      configuration: configuration, keyring: keyring, remembered: cache?.handles ?? [],
      pipe: pipe,
      onInput: configuration.raw.fleet.hasFacts
        ? { [log] in log.input.add(Array($0), count: $0.count) } : nil
    ).streams(&diagnostics)
    if configuration.raw.fleet.namesMessages {
      for stream in streams { stream.identifier = MessageIdentifier() }
    }
    for stream in streams {
      stream.onProgress = { [unowned self] done, total in
        progress.update(done: done, total: total, messages: rowCount)
      }
    }
    if let only = streams.first, streams.count == 1, !configuration.raw.peers.isEmpty,
      !configuration.raw.follows
    {
      SharedDiscovery.learnOwnKeys(of: only)
    }
    if findsClocksOnly {
      foundClocks = alignment.clocks(of: streams)
      return !streams.isEmpty
    }
    alignment.align(streams, diagnostics)
    if !resolvesTimesLater { try refuseTimesBeforeUnknownEnd() }
    timeline = Timeline(
      streams: streams, opener: keyring, appliesDeltas: appliesDeltas, engine: engine,
      givesRepeats: givesRepeats, meshes: meshes)
    if configuration.raw.follows { timeline.hurry() }
    if !streams.isEmpty { members = try meshMembers() }
    timeline.members = members
    return !streams.isEmpty
  }

  /// Waits for a pipe that is to be followed; false where a signal came before its capture.
  private func openPipe() -> Bool {
    guard configuration.raw.follows, let file = configuration.files.first else { return true }
    // What cannot be opened is told where captures are opened.
    pipe = try? FollowedPipe(path: file)
    return pipe?.waitForCapture() ?? (Interrupts.received == nil)
  }

  /// Where the results go.
  func output() throws(Errno) -> OutputTarget {
    try OutputTarget(path: configuration.output, configuration.format, configuration.style)
  }

  /// The next row of Peat, with everything told that came up until then; nil at the end of all
  /// captures, or where the next one is behind `moment`.
  func next(until moment: Int64? = nil) -> TimelineRow? {
    while let item = nextItem(until: moment) {
      if case .peat(let row) = item { return row }
    }
    return nil
  }

  /// The next row of any protocol that the captures are read for.
  func nextItem(until moment: Int64? = nil) -> TimelineItem? {
    let item = timeline.nextItem(until: moment)
    if let item {
      if case .peat(let row) = item {
        if !row.isRepeat { rowCount += 1 }
        if configuration.raw.fleet.hasFacts, !row.isRepeat { log.note(row) }
        if row.cutBy == .capture { cuts[row.file, default: CutValues(first: row)].count += 1 }
      } else {
        rowCount += 1
      }
    }
    let tellsNotes = configuration.raw.verbosity > 0
    for stream in streams where tellsNotes || stream.hasNews { report(stream) }
    return item
  }

  /// Whether the options select a message of any protocol.
  func selects(_ item: TimelineItem) -> Bool {
    let active = selection ?? makeSelection()
    selection = active
    return active.contains(item)
  }

  /// What the captures tell of Bluetooth meshes so far.
  var meshOverview: MeshOverview { timeline.meshOverview }
  /// The names that the databases of meshes give.
  var meshNames: MeshNames { timeline.meshNames }

  /// Takes the findings on meshes that belong to no row.
  func takeMeshFindings() -> [PlacedMeshFinding] { timeline.takeMeshFindings() }

  /// Whether the options select a row.
  func selects(_ row: TimelineRow) -> Bool {
    let active = selection ?? makeSelection()
    selection = active
    return active.contains(row)
  }

  /// Takes the notices of the layers below the messages since the last call, with their files.
  func takeNotices() -> [(notice: Notice, file: String)] {
    defer { notices.removeAll(keepingCapacity: true) }
    return notices
  }

  /// Follows the capture while it grows; what is ready goes to `sink` before each wait.
  func follow(_ sink: OutputSink) {
    guard let stream = streams.first else { return }
    if let pipe {
      pipe.sink = sink
      stream.follow(onCaughtUp: { _ in pipe.caughtUp() }, onRotation: { nil })
      return
    }
    let follower = CaptureFollower(
      path: configuration.files[0], isStrict: configuration.raw.isStrict, sink: sink)
    stream.follow(
      onCaughtUp: { follower.caughtUp(readBytes: $0) }, onRotation: { follower.reopen() })
  }

  /// Says what is to be said of each capture as a whole; for the end of the rows.
  ///
  /// - Parameter tellsSilence: whether a capture without messages is told here; false where the
  ///   answer itself says why, or was asked for a part of the captures.
  func conclude(tellsSilence: Bool = true) {
    let totals = streams.map { $0.dissector.progress.total }
    progress.finish(
      done: streams.reduce(0) { $0 &+ $1.dissector.progress.done },
      total: totals.contains(nil) ? nil : totals.reduce(0) { $0 &+ ($1 ?? 0) },
      messages: rowCount)
    for stream in streams {
      report(stream)
      conclude(stream, tellsSilence: tellsSilence)
    }
    diagnostics.warn(ofLimits: state)
    diagnostics.warn(
      ofSteps: clocks.map(\.steps), streams.map(\.file), configuration.raw)
    tellLimits()
  }

  /// Ends the run of what was written by its path: the file appears under its name.
  func finish(_ file: consuming AtomicOutputFile) throws(Errno) -> ExitStatus {
    diagnostics.finish()
    try file.commit()
    try updateCache()
    return diagnostics.status
  }

  /// Ends the run: the output appears, and the bond cache is brought up to date.
  func finish(_ target: consuming OutputTarget) throws(Errno) -> ExitStatus {
    diagnostics.finish()
    if configuration.raw.fleet.hasFacts { try target.sink.append(facts().slice) }
    try target.sink.append(AnonymityNote(configuration.raw).text)
    try target.finish()
    try updateCache()
    return diagnostics.status
  }

  /// Ends the run where no capture could be opened.
  func finishUnopened() throws(Errno) -> ExitStatus {
    if configuration.raw.fleet.hasFacts { return try finish(try output()) }
    return diagnostics.status
  }

  private func updateCache() throws(Errno) {
    let found = streams.flatMap { $0.dissector.rememberedHandles }
    let leftOut = try cache?.update(with: found) { handle in
      streams.contains { $0.dissector.isOutdated(handle) }
    }
    if let leftOut, leftOut > 0 { diagnostics.warn(BondCache.warning(of: leftOut)) }
  }
}

extension CaptureSession {
  /// Says what went wrong below the messages so far.
  private func report(_ stream: CaptureStream) {
    if let failure = stream.takeFailure() { diagnostics.report(failure) }
    for notice in stream.takeNotices() {
      if keepsNotices { notices.append((notice, stream.file)) }
      if notice.code == .discoveryCut { cutDiscoveries[stream.file] = notice }
      diagnostics.warn(notice, file: stream.file, start: start)
    }
    guard configuration.raw.verbosity > 0 else { return }
    let notes = stream.takeMonitorNotes()
    for note in notes.notes { diagnostics.say(note, file: stream.file, start: start) }
    if notes.lost > 0 { diagnostics.say("\(stream.file): \(counted(notes.lost, "more note"))") }
  }

  private func conclude(_ stream: CaptureStream, tellsSilence: Bool) {
    for note in stream.dissector.containerNotes { diagnostics.warn(note, file: stream.file) }
    for damage in stream.dissector.damages { diagnostics.report(damage) }
    let more = stream.dissector.damageCount - stream.dissector.damages.count
    if more > 0 {
      diagnostics.say("\(stream.file): \(counted(more, "more damaged place"))")
    }
    if let cut = cuts[stream.file] { diagnostics.report(cut, file: stream.file) }
    if let advice = CutAdvice.text(stream) {
      diagnostics.warn(advice, file: stream.file)
      // What could not even be named was needed too (cli.md, "Exit status").
      if stream.dissector.cuts.discoveryAnswers > 0, stream.dissector.unresolvedCount > 0 {
        diagnostics.report(
          "discovery was cut by the capture, so that values on handles that nothing names "
            + "are not shown", frame: cutDiscoveries[stream.file]?.frame, file: stream.file)
      }
    }
    tellWhatIsNotShown(stream, tellsSilence: tellsSilence)
    guard configuration.raw.verbosity > 0 else { return }
    for line in CaptureExplanation(stream: stream, style: configuration.style).lines {
      diagnostics.say("\(stream.file): \(line)")
    }
  }
}

/// Values of one file that the capture cut.
struct CutValues {
  var count = 0
  var frame: Int
  var offset: Int
  var captured: Int
  var length: Int

  init(first row: TimelineRow) {
    frame = row.value.frame
    offset = row.value.fileOffset
    captured = row.value.payload.count
    length = row.value.length
  }
}
