/// The twins of every two captures.
struct TwinTable: Sendable {
  struct Entry: Sendable {
    var left: Int
    var right: Int
    var twins: Twins
  }

  private(set) var all: [Entry] = []

  init(_ surveys: [CaptureSurvey?]) {
    for right in surveys.indices {
      for left in 0..<right {
        guard let one = surveys[left], let other = surveys[right] else { continue }
        let twins = Twins(one, other)
        if twins.pairs.isEmpty && twins.open.isEmpty { continue }
        all.append(Entry(left: left, right: right, twins: twins))
      }
    }
  }
}

/// Clocks that are turned into the first capture's, one after the other: a capture that shares no
/// message with the first may share some with one that does.
struct ClockTree {
  private let surveys: [CaptureSurvey?]
  private let twins: TwinTable
  /// Whether a message was recorded by the stretch of its capture's clock that is aligned.
  private let isCommon: (Int, CaptureSurvey.Entry) -> Bool
  private var known: Set<Int> = []
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
  }

  /// Says what a capture's clock is; nil: that of the first.
  mutating func set(_ index: Int, _ correction: ClockCorrection?) {
    corrections[index] = correction
    known.insert(index)
  }

  /// Fits whatever clocks can be, the one with the most messages first.
  mutating func grow(excluding fixed: Set<Int>) -> [(index: Int, fit: ClockFit)] {
    var fits: [(index: Int, fit: ClockFit)] = []
    while true {
      var best: (index: Int, pairs: [ClockPair])?
      for index in surveys.indices where !known.contains(index) && !fixed.contains(index) {
        let pairs = pairs(of: index)
        if pairs.count > (best?.pairs.count ?? 0) { best = (index, pairs) }
      }
      guard let best, let fit = ClockFit(best.pairs) else { return fits }
      set(best.index, fit.correction)
      fits.append((best.index, fit))
    }
  }

  /// Messages that a capture shares with those whose clocks are known, by the common clock.
  private func pairs(of index: Int) -> [ClockPair] {
    var pairs: [ClockPair] = []
    for entry in twins.all {
      let isRight = entry.right == index
      let other = isRight ? entry.left : entry.right
      guard isRight || entry.left == index, known.contains(other),
        let own = surveys[index], let reference = surveys[other]
      else { continue }
      for pair in entry.twins.pairs {
        let mine = own.entries[isRight ? pair.right : pair.left]
        let theirs = reference.entries[isRight ? pair.left : pair.right]
        guard isCommon(index, mine), isCommon(other, theirs) else { continue }
        let time = corrections[other]?.referenceTime(of: theirs.time) ?? theirs.time
        pairs.append(
          ClockPair(reference: time, other: mine.time, isSentByReference: theirs.isSent))
      }
    }
    return pairs
  }
}
