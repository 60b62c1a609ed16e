import PeatDissection
import PeatProtocol

/// Compares the times that nodes write with those of the capture.
///
/// An event that a node's document shows for the first time happened since its document before.
struct ClockWatch: Sendable {
  /// Nodes whose clocks are watched.
  private static let nodeLimit = 4096
  private static let tolerance: Int64 = 2_000_000_000
  /// A longer silence says nothing of when an event happened in it.
  private static let silence: Int64 = 30_000_000_000
  /// Before 2000 the capture's own clock is not set.
  private static let earliestCapture: Int64 = 946_684_800_000_000_000

  private struct Track: Sendable {
    var time: Int64
    /// What steps had put the recorder's clock ahead then.
    var shift: Int64
    var event: UInt64
    var isTold = false
  }

  private var tracks: [NodeID: Track] = [:]
  /// The latest time of an emergency of each source that any document showed.
  private var emergencies: [NodeID: UInt64] = [:]

  mutating func observe(_ facts: RowFacts, _ findings: inout [Finding]) {
    guard let decoded = facts.document, let now = facts.shownTime,
      now > ClockWatch.earliestCapture
    else { return }
    let node = decoded.document.node
    let shift = facts.row.value.clockShift
    let event = latest(decoded)
    defer { noteEmergency(decoded.document) }
    guard var track = tracks[node] else {
      guard tracks.count < ClockWatch.nodeLimit else { return }
      let isAhead = check(event, node, from: nil, to: now, &findings)
      tracks[node] = Track(time: now, shift: shift, event: event, isTold: isAhead)
      return
    }
    if event > track.event, !track.isTold {
      let (gap, overflow) = now.subtractingReportingOverflow(track.time)
      let isRecent =
        !overflow && track.shift == shift && gap >= 0 && gap <= ClockWatch.silence
      track.isTold = check(event, node, from: isRecent ? track.time : nil, to: now, &findings)
    }
    track.time = now
    track.shift = shift
    // What is older than something shown before is taken back, and no news.
    track.event = max(track.event, event)
    tracks[node] = track
  }

  /// The latest time that the node itself stamped: its event's, or its own emergency's where
  /// nobody has shown or acknowledged that before: a node takes its cleared emergency back from
  /// others (protocol.md 4.3).
  private func latest(_ decoded: DecodedDocument) -> UInt64 {
    var latest: UInt64 = 0
    let told = decoded.kotlin ?? decoded.document.peripheral
    let node = decoded.document.node
    if let event = told?.event, event.type != .none { latest = event.time }
    if let emergency = decoded.document.emergency, emergency.source == node,
      emergency.time > emergencies[node] ?? 0,
      !emergency.acks.contains(where: { $0.isAcked && $0.node != node })
    {
      latest = max(latest, emergency.time)
    }
    return latest
  }

  private mutating func noteEmergency(_ document: Document) {
    guard let emergency = document.emergency,
      emergencies[emergency.source] != nil || emergencies.count < ClockWatch.nodeLimit
    else { return }
    emergencies[emergency.source] = max(emergencies[emergency.source] ?? 0, emergency.time)
  }

  private func check(
    _ event: UInt64, _ node: NodeID, from: Int64?, to now: Int64, _ findings: inout [Finding]
  ) -> Bool {
    guard event >= Document.earliestTime, let milliseconds = Int64(exactly: event) else {
      return false
    }
    let (time, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    // Held at the limits, a time beyond them is ahead all the same.
    let stamped = overflow ? Int64.max : time
    let ahead = stamped.subtractingReportingOverflow(now)
    if !ahead.overflow, ahead.partialValue > ClockWatch.tolerance {
      var finding = Finding(
        .clockSkew,
        "node \(node)'s clock is \(ClockWatch.seconds(ahead.partialValue)) s ahead of the capture")
      finding.clockOffset = ahead.partialValue
      findings.append(finding)
      return true
    }
    guard let from else { return false }
    let behind = from.subtractingReportingOverflow(stamped)
    guard !behind.overflow, behind.partialValue > ClockWatch.tolerance else { return false }
    var finding = Finding(
      .clockSkew,
      "node \(node)'s clock is at least \(ClockWatch.seconds(behind.partialValue)) s behind the "
        + "capture")
    finding.clockOffset = -behind.partialValue
    findings.append(finding)
    return true
  }

  /// Seconds with one decimal.
  static func seconds(_ nanoseconds: Int64) -> String {
    let tenths = nanoseconds / 100_000_000
    return "\(tenths / 10).\(tenths % 10)"
  }
}
