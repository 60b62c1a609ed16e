package import PeatDissection
package import PeatReplay
import WireBytes

/// How long something took, as far as the captures' clocks can tell: no span crosses a step of a
/// clock, and none is negative.
package struct ClockSpans: Sendable {
  /// What is known of one capture's clock.
  package struct Capture: Sendable {
    package var steps: ClockSteps
    /// The stretch between steps whose clock was turned into the common one.
    package var common: Int

    /// Describes a capture's clock.
    package init(steps: ClockSteps, common: Int = 0) {
      self.steps = steps
      self.common = common
    }
  }

  private let captures: [Capture]

  /// Describes the clocks of captures, in their order; without any, all times are comparable.
  package init(_ captures: [Capture] = []) { self.captures = captures }

  /// Nanoseconds from one stamp to a later one; nil where the clocks do not tell.
  package func nanoseconds(from start: Stamp, to end: Stamp) -> Int64? {
    guard start.isTimed, end.isTimed, let one = stretch(of: start), let other = stretch(of: end)
    else { return nil }
    if start.capture == end.capture {
      guard one == other else { return nil }
    } else if one != common(start) || other != common(end) {
      return nil
    }
    return max(0, end.time.nanoseconds(since: start.time))
  }

  /// Whether the times of a stamp are those of the common clock.
  func isCommon(_ stamp: Stamp) -> Bool { stretch(of: stamp) == common(stamp) }

  private func stretch(of stamp: Stamp) -> Int? {
    let place = Int(stamp.capture)
    return captures.indices.contains(place)
      ? captures[place].steps.stretch(of: Int(stamp.frame)) : 0
  }

  private func common(_ stamp: Stamp) -> Int {
    let place = Int(stamp.capture)
    return captures.indices.contains(place) ? captures[place].common : 0
  }
}
