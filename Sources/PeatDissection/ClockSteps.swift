public import WireBytes

/// A step of a recorder's clock: it was put while it recorded, or its times leap.
public struct ClockStep: Sendable, Equatable {
  /// The first packet behind it, counted in its file from 1.
  public var frame: Int
  /// The latest time that the clock had shown until then.
  public var before: Timestamp
  /// What it shows from then on.
  public var after: Timestamp

  /// Nanoseconds that the clock went forward, negative where it went back.
  public var size: Int64 { after.nanoseconds(since: before) }

  /// One clause for a person, with the size.
  public var text: String {
    let tenths = (size.magnitude + 50_000_000) / 100_000_000
    let seconds = "\(tenths / 10).\(tenths % 10) s"
    return size < 0
      ? "the recorder's clock goes back by \(seconds)"
      : "the recorder's clock leaps ahead by \(seconds)"
  }
}

/// The steps of one capture's clock: between two of them, times tell how long something took, and
/// across one they do not.
public struct ClockSteps: Sendable {
  /// Steps that are kept; behind more, no time is compared with another.
  public static let limit = 4096

  /// The steps, ascending by frame.
  public private(set) var all: [ClockStep] = []
  // What the clock shows too much from each step on.
  private var shifts: [Int64] = []
  private var lastFrame = Int.max

  /// Makes a clock that was never put.
  public init() {}

  /// Which stretch between steps a packet lies in, from 0; nil behind more steps than are kept.
  public func stretch(of frame: Int) -> Int? {
    if all.isEmpty { return 0 }
    return frame >= lastFrame ? nil : count(upTo: frame)
  }

  /// Nanoseconds that the steps before a packet have put the clock ahead.
  public func shift(at frame: Int) -> Int64 {
    if all.isEmpty { return 0 }
    let place = count(upTo: frame)
    return place == 0 ? 0 : shifts[place - 1]
  }

  /// Nanoseconds that the steps before a stretch have put the clock ahead.
  public func shift(ofStretch stretch: Int) -> Int64 {
    shifts.indices.contains(stretch - 1) ? shifts[stretch - 1] : 0
  }

  private func count(upTo frame: Int) -> Int {
    var low = 0
    var high = all.count
    while low < high {
      let middle = (low + high) / 2
      if all[middle].frame <= frame { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Adds a step; `shift` is what the clock shows too much from then on.
  mutating func add(_ step: ClockStep, shift: Int64) {
    guard all.count < ClockSteps.limit else {
      lastFrame = min(lastFrame, step.frame)
      return
    }
    let place = count(upTo: step.frame)
    let before = place == 0 ? 0 : shifts[place - 1]
    let (change, overflow) = shift.subtractingReportingOverflow(before)
    all.insert(step, at: place)
    shifts.insert(shift, at: place)
    guard place + 1 < all.count, !overflow else { return }
    for index in (place + 1)..<all.count { shifts[index] = shifts[index] &+ change }
  }

  /// What the clock shows too much at the end.
  public var lastShift: Int64 { shifts.last ?? 0 }
}

/// Finds the steps of a recorder's clock from the times of its packets.
///
/// A clock that goes back was put: records of merged captures change places within a second. A leap
/// ahead may be silence; it is a step where the clock was not set before it, where it makes up for
/// a step back or is undone by one, or where two ends that both sent steadily fall silent and go on
/// together.
struct ClockFollower: Sendable {
  private static let second: Int64 = 1_000_000_000
  /// Changes of places are no step up to this.
  private static let tolerance = second
  /// A clock is unset before 1990.
  private static let earliest: Int64 = 631_152_000 * second
  private static let year: Int64 = 366 * 86_400 * second
  private static let pendingLimit = 16
  private static let beatLimit = 1024
  /// Values in one direction that make a steady sender, and a silence that is none of its own.
  private static let steady = 3
  private static let silence: Int64 = 60 * second

  /// A leap ahead of which it is not known whether it is a step.
  private struct Leap: Sendable {
    var step: ClockStep
    /// The direction of a connection that had been steady before and goes on behind it.
    var witnesses: [Beat.Key] = []
  }

  private struct Beat: Sendable {
    struct Key: Hashable, Sendable {
      var link: Int
      var isFromLocal: Bool
    }
    var last: Int64
    var frame: Int
    var count = 1
    var longest: Int64 = 0
  }

  private(set) var steps = ClockSteps()
  private var latest: Timestamp?
  private var leaps: [Leap] = []
  /// The last step back that nothing has made up for.
  private var fall: ClockStep?
  private var beats: [Beat.Key: Beat] = [:]
  /// Steps that were not taken yet.
  private var found: [ClockStep] = []

  /// Takes the steps that were found since the last call.
  mutating func takeFound() -> [ClockStep] {
    if found.isEmpty { return [] }
    defer { found = [] }
    return found
  }

  /// Takes a packet's time.
  mutating func note(_ time: Timestamp, frame: Int) {
    guard let before = latest else {
      latest = time
      return
    }
    let change = time.nanoseconds(since: before)
    if change.magnitude <= ClockFollower.tolerance.magnitude {
      if change > 0 { latest = time }
      return
    }
    let step = ClockStep(frame: frame, before: before, after: time)
    if change < 0 { goBack(step) } else { leap(step) }
    latest = time
  }

  /// Takes the time of the last of packets that lie within a second of each other.
  mutating func pass(_ time: Timestamp) {
    if latest.map({ time > $0 }) ?? true { latest = time }
  }

  private mutating func goBack(_ step: ClockStep) {
    let undone = leaps.last { ClockFollower.isAlike($0.step.size, step.size) }
    if let undone {
      // Only now it is known that the leap was one.
      let base = steps.lastShift
      add(undone.step, shift: ClockFollower.sum(base, undone.step.size))
      add(step, shift: base)
      fall = nil
    } else {
      add(step, shift: ClockFollower.sum(steps.lastShift, step.size))
      fall = step
    }
    leaps = []
  }

  private mutating func leap(_ step: ClockStep) {
    if let fallen = fall, ClockFollower.isAlike(step.size, fallen.size) {
      add(step, shift: ClockFollower.sum(steps.lastShift, ClockFollower.negative(fallen.size)))
      fall = nil
    } else if step.size > ClockFollower.year
      || (step.before.nanoseconds < ClockFollower.earliest
        && step.after.nanoseconds >= ClockFollower.earliest)
    {
      add(step, shift: ClockFollower.sum(steps.lastShift, step.size))
    } else {
      if leaps.count == ClockFollower.pendingLimit { leaps.removeFirst() }
      leaps.append(Leap(step: step))
    }
  }

  /// Takes a value of a document's characteristic.
  mutating func note(_ value: CapturedValue) {
    guard let time = value.time?.nanoseconds else { return }
    let key = Beat.Key(link: value.link.id, isFromLocal: value.direction.isFromLocal)
    guard var beat = beats[key] else {
      if beats.count < ClockFollower.beatLimit { beats[key] = Beat(last: time, frame: value.frame) }
      return
    }
    let (gap, overflow) = time.subtractingReportingOverflow(beat.last)
    let place = leaps.firstIndex { $0.step.frame > beat.frame && $0.step.frame <= value.frame }
    if let place, beat.count >= ClockFollower.steady,
      leaps[place].step.size > ClockFollower.silence,
      leaps[place].step.size / 10 > beat.longest
    {
      witness(key, of: place)
    } else if !overflow, gap > 0 {
      beat.longest = max(beat.longest, gap)
    }
    beat.last = time
    beat.frame = value.frame
    beat.count += 1
    beats[key] = beat
  }

  private mutating func witness(_ key: Beat.Key, of place: Int) {
    let other = Beat.Key(link: key.link, isFromLocal: !key.isFromLocal)
    guard leaps[place].witnesses.contains(other) else {
      if leaps[place].witnesses.count < ClockFollower.pendingLimit {
        leaps[place].witnesses.append(key)
      }
      return
    }
    let step = leaps.remove(at: place).step
    add(step, shift: ClockFollower.sum(steps.shift(at: step.frame), step.size))
  }

  private mutating func add(_ step: ClockStep, shift: Int64) {
    steps.add(step, shift: shift)
    if found.count < ClockSteps.limit { found.append(step) }
  }

  /// Whether one step makes up for another, but for what time has passed meanwhile.
  private static func isAlike(_ one: Int64, _ other: Int64) -> Bool {
    let (left, right) = (one.magnitude, other.magnitude)
    let difference = left > right ? left - right : right - left
    return difference <= max(2 * UInt64(second), max(left, right) / 20)
  }

  private static func sum(_ one: Int64, _ other: Int64) -> Int64 {
    let (sum, overflow) = one.addingReportingOverflow(other)
    return overflow ? (other < 0 ? -.max : .max) : sum
  }

  private static func negative(_ value: Int64) -> Int64 { value == .min ? .max : -value }
}
