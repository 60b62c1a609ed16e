/// The twins of every two captures.
struct TwinTable: Sendable {
  struct Entry: Sendable {
    var left: Int
    var right: Int
    var twins: Twins
  }

  private(set) var all: [Entry] = []

  /// A message that more captures than this sent, or received, says nothing of which are of one
  /// connection: an answer that is always the same.
  private static let commonLimit = 64

  init(_ surveys: [CaptureSurvey?]) {
    let indexes = surveys.map { $0.map { Twins.Index($0) } }
    for (left, right) in TwinTable.candidates(surveys) {
      guard let one = surveys[left], let other = surveys[right], let leftIndex = indexes[left],
        let rightIndex = indexes[right]
      else { continue }
      let twins = Twins(one, other, leftIndex, rightIndex)
      if twins.pairs.isEmpty && twins.open.isEmpty { continue }
      all.append(Entry(left: left, right: right, twins: twins))
    }
  }

  /// Captures of which one sent what the other received, ascending by the later one.
  private static func candidates(_ surveys: [CaptureSurvey?]) -> [(left: Int, right: Int)] {
    var uses: [(key: UInt64, capture: Int32, end: CaptureSurvey.End)] = []
    for (capture, survey) in surveys.enumerated() {
      for entry in survey?.entries ?? [] {
        uses.append((entry.key, Int32(truncatingIfNeeded: capture), entry.end))
      }
    }
    uses.sort { ($0.key, $0.capture) < ($1.key, $1.capture) }
    var found: Set<Int64> = []
    var start = 0
    while start < uses.count {
      var end = start
      var senders: [Int32] = []
      var receivers: [Int32] = []
      while end < uses.count, uses[end].key == uses[start].key {
        let use = uses[end]
        if use.end != .received, senders.last != use.capture { senders.append(use.capture) }
        if use.end != .sent, receivers.last != use.capture { receivers.append(use.capture) }
        end += 1
      }
      start = end
      if max(senders.count, receivers.count) > commonLimit { continue }
      for sender in senders {
        for receiver in receivers where receiver != sender {
          found.insert(Int64(max(sender, receiver)) << 32 | Int64(min(sender, receiver)))
        }
      }
    }
    return found.sorted().map { (left: Int($0 & 0xFFFF_FFFF), right: Int($0 >> 32)) }
  }
}

/// Clocks that are turned into the first capture's, one after the other: a capture that shares no
/// message with the first may share some with one that does.
struct ClockTree {
  /// Nanoseconds by which two sniffers' stamps of one packet may differ.
  private static let stampError: Int64 = 100_000

  private let surveys: [CaptureSurvey?]
  private let twins: TwinTable
  /// Whether a message was recorded by the stretch of its capture's clock that is aligned.
  private let isCommon: (Int, CaptureSurvey.Entry) -> Bool
  private var known: Set<Int> = []
  /// The places in the table of each capture's twins.
  private var edges: [[Int]]
  /// Messages of each place in the table that tell of the clocks.
  private var weights: [Int]
  /// How many messages each capture shares with those whose clocks are known.
  private var scores: [Int]
  /// How each capture's clock is turned; nil keeps it.
  private(set) var corrections: [ClockCorrection?]

  init(
    surveys: [CaptureSurvey?], twins: TwinTable,
    isCommon: @escaping (Int, CaptureSurvey.Entry) -> Bool
  ) {
    self.isCommon = isCommon
    self.surveys = surveys
    self.twins = twins
    corrections = surveys.map { _ in nil }
    edges = surveys.map { _ in [] }
    scores = surveys.map { _ in 0 }
    weights = []
    for (place, entry) in twins.all.enumerated() {
      edges[entry.left].append(place)
      edges[entry.right].append(place)
      var weight = 0
      if let left = surveys[entry.left], let right = surveys[entry.right] {
        for pair in entry.twins.pairs
        where isCommon(entry.left, left.entries[pair.left])
          && isCommon(entry.right, right.entries[pair.right])
        {
          weight += 1
        }
      }
      weights.append(weight)
    }
  }

  /// Says what a capture's clock is; nil: that of the first.
  mutating func set(_ index: Int, _ correction: ClockCorrection?) {
    corrections[index] = correction
    guard known.insert(index).inserted else { return }
    for place in edges[index] {
      let entry = twins.all[place]
      scores[entry.left == index ? entry.right : entry.left] += weights[place]
    }
  }

  /// Whether a capture shares messages with any other.
  func isConnected(_ index: Int) -> Bool { edges[index].contains { weights[$0] > 0 } }

  /// Fits whatever clocks can be, the one with the most messages first.
  mutating func grow(excluding fixed: Set<Int>) -> [(index: Int, fit: ClockFit)] {
    var fits: [(index: Int, fit: ClockFit)] = []
    var passed = fixed
    while true {
      var best: Int?
      for index in surveys.indices
      where scores[index] > 0 && !known.contains(index) && !passed.contains(index) {
        if scores[index] > best.map({ scores[$0] }) ?? 0 { best = index }
      }
      guard let best else { return fits }
      guard let fit = ClockFit(pairs(of: best)) else {
        passed.insert(best)
        continue
      }
      set(best, fit.correction)
      fits.append((best, fit))
    }
  }

  /// Messages that a capture shares with those whose clocks are known, by the common clock.
  private func pairs(of index: Int) -> [ClockPair] {
    var pairs: [ClockPair] = []
    for place in edges[index] {
      let entry = twins.all[place]
      let isRight = entry.right == index
      let other = isRight ? entry.left : entry.right
      guard known.contains(other),
        let own = surveys[index], let reference = surveys[other]
      else { continue }
      for pair in entry.twins.pairs {
        let mine = own.entries[isRight ? pair.right : pair.left]
        let theirs = reference.entries[isRight ? pair.left : pair.right]
        guard isCommon(index, mine), isCommon(other, theirs) else { continue }
        let time = corrections[other]?.referenceTime(of: theirs.time) ?? theirs.time
        let isSent = theirs.end == .sent || mine.end == .received
        guard theirs.end == .overheard, mine.end == .overheard else {
          pairs.append(
            ClockPair(reference: time, other: mine.time, isSentByReference: isSent))
          continue
        }
        // Two sniffers hear a packet at one moment, but for what their stamps are off by.
        for (slack, isUpper) in [(ClockTree.stampError, true), (-ClockTree.stampError, false)] {
          pairs.append(
            ClockPair(
              reference: time, other: mine.time &+ slack, isSentByReference: isUpper))
        }
      }
    }
    return pairs
  }
}
