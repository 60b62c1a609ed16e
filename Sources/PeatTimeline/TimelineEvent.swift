package import PeatDissection
package import PeatProtocol
import WireBytes

/// Something that happened to a connection, as a row of the timeline (cli.md, event rows).
package struct TimelineEvent: Sendable {
  /// The capture as the user named it.
  package var file: String
  /// What happened; its link's id counts over the run, its time is of the common clock.
  package var event: LinkEvent
  /// Nanoseconds from the first packet of the earliest capture.
  package var elapsed: Int64?
  /// The nodes at the connection's ends, as far as they are known by then.
  package var localNode: NodeID?
  package var peerNode: NodeID?

  package init(file: String, event: LinkEvent, elapsed: Int64?) {
    self.file = file
    self.event = event
    self.elapsed = elapsed
  }
}

/// Puts events between the rows of a timeline, where they belong by file order and time.
package struct EventQueue: Sendable {
  private var waiting: [(stream: Int, event: TimelineEvent)] = []

  /// Starts empty.
  package init() {}

  /// Takes in what a capture told since the last time.
  package mutating func add(_ events: [TimelineEvent], stream: Int) {
    waiting += events.map { (stream, $0) }
  }

  /// Takes what comes before a row of a capture; without one, all that is left.
  package mutating func take(before row: CarriedValue?, stream: Int) -> [TimelineEvent] {
    guard !waiting.isEmpty else { return [] }
    var due: [TimelineEvent] = []
    var later: [(stream: Int, event: TimelineEvent)] = []
    for entry in waiting {
      if let row, !EventQueue.isBefore(entry, row, stream) {
        later.append(entry)
      } else {
        due.append(entry.event)
      }
    }
    waiting = later
    return due.enumerated().sorted { left, right in
      let times = (
        left.element.event.time?.nanoseconds ?? .min, right.element.event.time?.nanoseconds ?? .min
      )
      return times.0 != times.1 && left.element.file != right.element.file
        ? times.0 < times.1 : left.offset < right.offset
    }.map(\.element)
  }

  private static func isBefore(
    _ entry: (stream: Int, event: TimelineEvent), _ row: CarriedValue, _ stream: Int
  ) -> Bool {
    if entry.stream == stream { return entry.event.event.frame <= row.value.frame }
    guard let time = entry.event.event.time, let now = row.value.time else { return true }
    return time <= now
  }
}
