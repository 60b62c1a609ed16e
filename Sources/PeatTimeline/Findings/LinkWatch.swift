import BluetoothProtocols
import PeatDissection
import PeatProtocol

/// Follows who talks on which connection, how often, and whether the other end takes it in.
struct LinkWatch: Sendable {
  /// Connections, and adapters, that are watched.
  private static let linkLimit = 4096
  private static let adapterLimit = 64
  /// Documents, and nanoseconds, in which a neighbour's should show what was counted.
  private static let chances = 5
  private static let patience: Int64 = 15_000_000_000
  /// Nanoseconds in which two connections must both carry documents to be doubled.
  private static let overlap: Int64 = 30_000_000_000

  /// One end of a connection.
  private struct End: Sendable {
    var node: NodeID
    var rhythm = Rhythm()
    /// When its documents first showed a count of its own, and whether the other end's show it.
    var counted: Int64?
    var countedFrame = 0
    var isTaken = false
    var lacking = 0
  }

  private struct Track: Sendable {
    var local: End?
    var peer: End?
    var isEchoTold = false
  }

  /// The connections on which a peer was heard last, the later one first.
  private struct Place: Sendable {
    var link: Int
    var time: Int64
    var other: Int?
    var otherTime: Int64 = 0
    var isTold = false
  }

  private var links: [Int: Track] = [:]
  private var places: [Seat: Place] = [:]
  private var own: [Host: NodeID] = [:]

  /// Who is at this end: one recorder, or one central of several on the air.
  private struct Host: Hashable, Sendable {
    var adapter: Int
    var address: DeviceAddress?
  }

  /// A node as the peer of a host.
  private struct Seat: Hashable, Sendable {
    var host: Host
    var node: NodeID
  }

  mutating func observe(_ facts: RowFacts, _ findings: inout [Finding]) {
    guard let document = facts.document?.document else { return }
    let link = facts.row.value.link
    guard links[link.id] != nil || links.count < LinkWatch.linkLimit else { return }
    var track = links.removeValue(forKey: link.id) ?? Track()
    defer { links[link.id] = track }
    let host = Host(adapter: link.adapter, address: link.local)
    if facts.isFromLocal {
      if own.count < LinkWatch.adapterLimit, own[host] == nil, !facts.isRelayed {
        own[host] = document.node
      }
    } else if own[host] == document.node {
      if !track.isEchoTold {
        findings.append(
          Finding(.selfTalk, "node \(document.node) is sent its own document"))
      }
      track.isEchoTold = true
      return
    }
    if facts.isRelayed { return }
    // The first who speaks at an end is its node; others' documents are passed on.
    var end = (facts.isFromLocal ? track.local : track.peer) ?? End(node: document.node)
    guard end.node == document.node else { return }
    if let time = facts.time {
      if let gap = end.rhythm.beat(at: time) {
        findings.append(
          Finding(
            .silentGap,
            "node \(document.node) was silent for \(ClockWatch.seconds(gap.length)) s, its period "
              + "is \(ClockWatch.seconds(gap.period)) s"))
      }
      count(&end, document, time, facts.frame)
      if !facts.isFromLocal {
        double(Seat(host: host, node: document.node), link.id, time, &findings)
      }
      if facts.isFromLocal {
        hear(&track.peer, document, time, &findings)
      } else {
        hear(&track.local, document, time, &findings)
      }
    }
    if facts.isFromLocal { track.local = end } else { track.peer = end }
  }

  private func count(_ end: inout End, _ document: Document, _ time: Int64, _ frame: Int) {
    if end.counted == nil, document.counter[end.node] > 0 {
      end.counted = time
      end.countedFrame = frame
    }
  }

  /// Whether a document of the other end shows what this end has counted.
  private func hear(
    _ end: inout End?, _ document: Document, _ time: Int64, _ findings: inout [Finding]
  ) {
    guard var heard = end, !heard.isTaken, let counted = heard.counted else { return }
    if document.counter.contains(heard.node) {
      heard.isTaken = true
    } else {
      heard.lacking += 1
      let (age, overflow) = time.subtractingReportingOverflow(counted)
      if heard.lacking >= LinkWatch.chances, !overflow, age > LinkWatch.patience {
        heard.isTaken = true
        findings.append(
          Finding(
            .neverHeard,
            "node \(document.node)'s documents never show what node \(heard.node) counted",
            otherFrames: [heard.countedFrame]))
      }
    }
    end = heard
  }

  private mutating func double(
    _ seat: Seat, _ link: Int, _ time: Int64, _ findings: inout [Finding]
  ) {
    guard var place = places[seat] else {
      if places.count < LinkWatch.linkLimit { places[seat] = Place(link: link, time: time) }
      return
    }
    if place.link != link {
      if place.other == link, !place.isTold, time &- place.otherTime < LinkWatch.overlap,
        time &- place.time < LinkWatch.overlap
      {
        place.isTold = true
        findings.append(
          Finding(
            .redundantLink,
            "node \(seat.node) sends on connections \(place.link) and \(link) at once"))
      }
      place.other = place.link
      place.otherTime = place.time
      place.link = link
    }
    place.time = time
    places[seat] = place
  }
}

/// The intervals at which a node's documents come.
///
/// News is sent at once, between the documents of the period: so the longest of the latest
/// intervals tells the period, and not their middle.
struct Rhythm: Sendable {
  private static let memory = 16
  /// Intervals that tell a period.
  private static let enough = 6
  /// Nanoseconds that are no gap whatever the period.
  private static let tolerance: Int64 = 2_000_000_000

  private var last: Int64?
  private var intervals: [Int64] = []
  private var next = 0

  /// Takes a document's time; gives the gap in front of it, if there was one.
  mutating func beat(at time: Int64) -> (length: Int64, period: Int64)? {
    guard let before = last else {
      last = time
      return nil
    }
    last = time
    let (interval, overflow) = time.subtractingReportingOverflow(before)
    guard !overflow, interval >= 0 else { return nil }
    if interval > Rhythm.tolerance, intervals.count >= Rhythm.enough,
      let period = intervals.max()
    {
      let (limit, isTooLong) = period.multipliedReportingOverflow(by: 2)
      if !isTooLong, interval > limit, interval - limit > Rhythm.tolerance {
        return (interval, period)
      }
    }
    if intervals.count < Rhythm.memory {
      intervals.append(interval)
    } else {
      intervals[next] = interval
      next = (next + 1) % Rhythm.memory
    }
    return nil
  }
}
