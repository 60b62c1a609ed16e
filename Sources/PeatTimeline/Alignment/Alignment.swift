import PeatDissection
import WireBytes

/// Several captures as one (cli.md, "Several captures"): their clocks turned into that of the
/// first, and messages that two of them recorded made one row.
package struct Alignment: Sendable {
  /// How the clocks are to be treated.
  package struct Options: Sendable {
    /// Whether offsets are estimated and applied.
    package var isEnabled = true
    /// Offsets set by hand, nanoseconds ahead of the first capture, by the file as named.
    package var offsets: [String: Int64] = [:]
    /// Clocks that are known, by the file as named.
    package var clocks: [String: ClockCorrection] = [:]
    /// Whether captures that share nothing with the first one are aligned among themselves, and
    /// nothing but clocks is asked for.
    package var isForClocks = false

    package init() {}
  }

  /// What came out for one capture.
  package enum Outcome: Sendable, Equatable {
    /// The clock that the others are aligned to.
    case reference
    /// The offset was given.
    case given(offset: Int64)
    /// Estimated from messages that both ends recorded: the offset at the first packet.
    case estimated(ClockFit, offsetAtStart: Int64)
    /// The capture's own clock is kept, for a reason.
    case kept(String)
  }

  /// Why clocks are kept that nobody wants to have aligned, or that nothing tells of.
  package static let notAsked = "as --no-align asks"
  package static let nothingShared = "no message of it was recorded at both ends"

  /// One outcome a capture, in their order.
  package private(set) var outcomes: [Outcome] = []
  /// Messages that two captures recorded.
  package private(set) var twins = 0
  /// The capture on whose clock each one is; nil where it is on its own.
  package private(set) var references: [Int?] = []

  /// Reads all captures once, and sets their clocks and what is one message.
  package init(_ streams: [CaptureStream], options: Options) {
    for stream in streams { stream.clock = options.clocks[stream.file] }
    guard streams.count > 1 || options.isForClocks else {
      outcomes = streams.map { _ in .reference }
      return
    }
    let surveys = SharedDiscovery.surveys(
      of: streams, keepsValues: !options.isForClocks)
    let table = TwinTable(surveys)
    for entry in table.all where entry.twins.isCut { streams[entry.left].isSharingCut = true }
    if options.isEnabled { chooseStretches(streams, surveys) }
    var clocks = ClockTree(
      surveys: surveys, twins: table,
      isCommon: { index, entry in
        let steps = streams[index].dissector.clockSteps
        return steps.stretch(of: Int(entry.frame)) == streams[index].commonStretch
      })
    for (index, stream) in streams.enumerated() {
      if let clock = options.clocks[stream.file] {
        clocks.set(index, clock)
        let start = stream.ownFirstTime?.nanoseconds ?? clock.origin
        outcomes.append(.given(offset: clock.offset(at: start)))
      } else if index == 0 {
        clocks.set(index, nil)
        outcomes.append(.reference)
      } else if let offset = options.offsets[stream.file] {
        let origin = stream.ownFirstTime?.nanoseconds ?? 0
        clocks.set(index, ClockCorrection(origin: origin, offset: offset))
        outcomes.append(.given(offset: offset))
      } else if !options.isEnabled {
        outcomes.append(.kept(Alignment.notAsked))
      } else if surveys[index] == nil || (surveys[0] == nil && !options.isForClocks) {
        let name = surveys[index] == nil ? stream.file : streams[0].file
        outcomes.append(
          .kept("\(name) can be read only once and holds too much to be kept in memory"))
      } else {
        outcomes.append(.kept(Alignment.nothingShared))
      }
    }
    references = outcomes.map { if case .kept = $0 { nil } else { 0 } }
    if options.isEnabled { estimate(streams, &clocks, from: 0) }
    if options.isForClocks, options.isEnabled {
      for index in streams.indices where references[index] == nil && clocks.isConnected(index) {
        guard case .kept = outcomes[index] else { continue }
        clocks.set(index, nil)
        outcomes[index] = .reference
        references[index] = index
        estimate(streams, &clocks, from: index)
      }
    }
    for (index, stream) in streams.enumerated() { stream.clock = clocks.corrections[index] }
    join(streams, surveys, table)
  }

  /// Fits the clocks of whatever shares messages with those that are known.
  private mutating func estimate(
    _ streams: [CaptureStream], _ clocks: inout ClockTree, from reference: Int
  ) {
    for (index, fit) in clocks.grow(excluding: fixed) {
      let start = streams[index].ownFirstTime?.nanoseconds ?? fit.correction.origin
      outcomes[index] = .estimated(fit, offsetAtStart: fit.correction.offset(at: start))
      references[index] = reference
    }
  }

  /// Of a clock that was put, the stretch with the most messages is the one that is aligned.
  private func chooseStretches(_ streams: [CaptureStream], _ surveys: [CaptureSurvey?]) {
    for (stream, survey) in zip(streams, surveys) {
      let steps = stream.dissector.clockSteps
      guard let survey, !steps.all.isEmpty else { continue }
      var counts: [Int: Int] = [:]
      for entry in survey.entries {
        if let stretch = steps.stretch(of: Int(entry.frame)) { counts[stretch, default: 0] += 1 }
      }
      let most = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }
      stream.commonStretch = most?.key ?? 0
      stream.takesStepsOut = true
    }
  }

  /// The captures whose clocks are not to be estimated.
  private var fixed: Set<Int> {
    Set(
      outcomes.indices.filter {
        if case .given = outcomes[$0] { true } else { false }
      })
  }

  /// Makes one row of each message that two captures recorded: the sender's.
  private mutating func join(
    _ streams: [CaptureStream], _ surveys: [CaptureSurvey?], _ table: TwinTable
  ) {
    for entry in table.all {
      guard let left = surveys[entry.left], let right = surveys[entry.right] else { continue }
      for pair in entry.twins.pairs {
        join(
          (streams[entry.left], left.entries[pair.left]),
          (streams[entry.right], right.entries[pair.right]))
      }
      for open in entry.twins.open {
        joinNearest(
          open.left.map { (streams[entry.left], left.entries[$0]) },
          open.right.map { (streams[entry.right], right.entries[$0]) })
      }
    }
  }

  private typealias Place = (stream: CaptureStream, entry: CaptureSurvey.Entry)

  private mutating func join(_ one: Place, _ other: Place) {
    // What a sniffer heard stays a row of its own.
    guard one.entry.end != .overheard, other.entry.end != .overheard else { return }
    let (sender, receiver) = one.entry.isSent ? (one, other) : (other, one)
    let place = Int(sender.entry.ordinal)
    let otherPlace = Int(receiver.entry.ordinal)
    guard sender.stream.twins[place] == nil,
      receiver.stream.passedOver.insert(otherPlace).inserted
    else { return }
    let time = Timestamp(nanoseconds: receiver.entry.time)
    sender.stream.twins[place] = Sighting(
      file: receiver.stream.file, frame: Int(receiver.entry.frame),
      time: receiver.stream.clock?.referenceTime(of: time) ?? time,
      adapter: Int(receiver.entry.adapter))
    twins += 1
  }

  /// Pairs equal messages by time, where one end has more of them than the other.
  private mutating func joinNearest(_ lefts: [Place], _ rights: [Place]) {
    // Clocks are aligned to milliseconds; a message may lie in a queue for a while.
    let earliest: Int64 = -500_000_000
    let latest: Int64 = 5_000_000_000
    var used: Set<Int> = []
    for left in lefts {
      var best: (index: Int, distance: Int64)?
      for (index, right) in rights.enumerated() where !used.contains(index) {
        let (sender, receiver) = left.entry.isSent ? (left, right) : (right, left)
        let latency = Alignment.time(receiver) &- Alignment.time(sender)
        guard latency >= earliest, latency <= latest else { continue }
        if let found = best, found.distance <= abs(latency) { continue }
        best = (index, abs(latency))
      }
      guard let best else { continue }
      used.insert(best.index)
      join(left, rights[best.index])
    }
  }

  private static func time(_ place: Place) -> Int64 {
    place.stream.clock?.referenceTime(of: place.entry.time) ?? place.entry.time
  }
}
