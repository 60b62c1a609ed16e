import WireBytes

/// Tells which end sent a packet of a link, where the receiver does not say (link type 251).
///
/// Two things are known (Core Specification Vol 6 Part B, 4.5.1 and 4.5.9):
/// - On a link both sequence bits begin with 0, and each end changes them only on a valid packet.
///   So the central's packets have SN equal to NESN and the peripheral's have them differ, also
///   behind repeated packets and packets that were not heard. Two things turn this round: an end
///   that has no room for a packet and so does not acknowledge it, and a peripheral that finds the
///   check of a link's very first packet wrong.
/// - The central begins each connection event, and the ends answer each other 150 us after the end
///   of the last packet.
///
/// The bits decide. A packet that comes an inter frame space after another one is the other end's:
/// when its bits say otherwise, their meaning is turned round from there on. So it is when packets
/// that begin an event look like the peripheral's again and again: a score counts those that do and
/// those that do not, as the central's packet of an event may not have been heard.
struct SenderGuess: Sendable {
  /// The score is believed further than it was confirmed at first, and not without end.
  private static let firstScore = 3
  private static let bestScore = 8
  private static let worstScore = -3
  /// Between connection events there is more silence than any lost packet leaves, in ns.
  private static let eventGap: Int64 = 3_000_000

  private struct Last {
    var time: Int64
    var airTime: ClosedRange<Int64>
    var sender: LinkRole
  }

  private var isCentralEqual = true
  /// Grows with each event that begins as it should, and falls with each that does not.
  private var score = SenderGuess.firstScore
  private var last: Last?
  /// Whether any packet of the link was heard with a valid check.
  private var hasHeard = false

  /// The end that sent a packet whose check is valid.
  mutating func sender(
    of header: DataPDUHeader, airTime: ClosedRange<Int64>, at time: Timestamp?
  ) -> LinkRole {
    let isEqual = header.sequence == header.expectedSequence
    hasHeard = true
    if let last, let time {
      let gap = time.nanoseconds &- last.time
      if SenderGuess.isAnswer(gap, after: last.airTime) {
        isCentralEqual = (last.sender == .peripheral) == isEqual
      } else if gap > SenderGuess.eventGap + last.airTime.upperBound * 1000 {
        score = min(score + (isEqual == isCentralEqual ? 1 : -1), SenderGuess.bestScore)
        if score == SenderGuess.worstScore {
          isCentralEqual.toggle()
          score = 0
        }
      }
    }
    let sender: LinkRole = isEqual == isCentralEqual ? .central : .peripheral
    last = time.map {
      Last(time: $0.nanoseconds, airTime: airTime, sender: sender)
    }
    return sender
  }

  /// A packet came whose check is wrong: its bits say nothing, but its time does.
  mutating func lose(airTime: ClosedRange<Int64>, at time: Timestamp?) {
    let before = last
    last = nil
    guard let time else { return }
    let sender: LinkRole
    if let before,
      SenderGuess.isAnswer(time.nanoseconds &- before.time, after: before.airTime)
    {
      sender = before.sender.other
    } else if !hasHeard && before == nil {
      // Whoever begins a link is its central. In later events its packet may not have been heard.
      sender = .central
    } else {
      return
    }
    last = Last(time: time.nanoseconds, airTime: airTime, sender: sender)
  }

  /// Whether a packet began an inter frame space of 150 us after the end of one that began `gap` ns
  /// earlier and took `airTime` microseconds.
  ///
  /// Some 50 us are allowed for the receiver's clock.
  private static func isAnswer(_ gap: Int64, after airTime: ClosedRange<Int64>) -> Bool {
    gap >= (airTime.lowerBound + 100) * 1000 && gap <= (airTime.upperBound + 210) * 1000
  }
}
