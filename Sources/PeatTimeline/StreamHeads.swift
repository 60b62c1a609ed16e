import PeatDissection
import WireBytes

/// Which of many captures has the earliest next value: a heap, so that a capture more costs nothing
/// for the values of the others.
///
/// Of values at one time the first capture's comes first, and a value without a time before all.
struct StreamHeads {
  private struct Head {
    var time: Int64
    var stream: Int

    static func precedes(_ left: Head, _ right: Head) -> Bool {
      left.time != right.time ? left.time < right.time : left.stream < right.stream
    }
  }

  private var heads: [Head] = []
  /// The capture whose value was taken last and whose next one is still to be told.
  private(set) var taken: Int?

  /// No captures.
  init() {}

  /// The next value of each capture, nil of those that have none.
  init(_ values: [CapturedValue?]) {
    for (stream, value) in values.enumerated() {
      if let value { heads.append(Head(time: StreamHeads.time(value), stream: stream)) }
    }
    for place in stride(from: heads.count / 2 - 1, through: 0, by: -1) { sink(place) }
  }

  private static func time(_ value: CapturedValue) -> Int64 { value.time?.nanoseconds ?? .min }

  /// The capture with the earliest value; nil where none has one.
  var first: Int? { heads.first?.stream }

  /// The first capture's value was taken: its next one is told by `replaceTaken`.
  mutating func noteTaken() { taken = heads.first?.stream }

  /// Tells the next value of the capture that was taken from.
  mutating func replaceTaken(_ value: CapturedValue?) {
    guard let taken, !heads.isEmpty else { return }
    self.taken = nil
    if let value {
      heads[0] = Head(time: StreamHeads.time(value), stream: taken)
    } else {
      heads.swapAt(0, heads.count - 1)
      heads.removeLast()
    }
    sink(0)
  }

  private mutating func sink(_ start: Int) {
    var place = start
    while true {
      var first = place
      for child in (2 * place + 1)..<(2 * place + 3)
      where child < heads.count && Head.precedes(heads[child], heads[first]) { first = child }
      if first == place { return }
      heads.swapAt(first, place)
      place = first
    }
  }
}
