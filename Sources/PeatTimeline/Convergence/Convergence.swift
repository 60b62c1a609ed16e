package import BluetoothProtocols
import PeatDissection
package import PeatProtocol
package import PeatReplay
import WireBytes

/// One end of a connection.
package enum LinkEnd: Hashable, Sendable {
  /// Known by its address.
  case address(DeviceAddress)
  /// The capturing host itself, where its address is not known.
  case host(capture: Int, adapter: Int)
  /// The peer of a connection that began before the capture.
  case peer(link: Int)
}

/// A connection in one direction.
package struct LinkDirection: Hashable, Sendable {
  package var from: LinkEnd
  package var to: LinkEnd
}

/// News on its way over one connection: the first message that told the receiver.
package struct Hop: Sendable {
  package var link: LinkDirection
  package var stamp: Stamp
}

/// What one connection carried in one direction.
package struct LinkTraffic: Sendable {
  package var messages = 0
  package var bytes = 0
  /// Messages that told the receiver something, as far as the captures show what it knew.
  package var useful = 0
  package var usefulBytes = 0
  /// The news that arrived here, by its place, and when.
  package var arrivals: [(place: Int32, stamp: Stamp)] = []
  /// From one end to the other, of messages that both ends recorded.
  package var latencies: [(span: Int64, one: Stamp, other: Stamp)] = []
}

/// Follows how each update spreads through a mesh.
package struct Convergence: Sendable {
  /// Most spans that are kept for the quantiles of one connection.
  private static let maximumSpans = 1 << 16
  /// Most connections in one direction that are told apart.
  private static let maximumLinks = 4096
  /// Most hops of one update.
  private static let maximumHops = 64
  private static let maximumAllHops = 1 << 17
  private static let maximumAllSpans = 1 << 18

  package private(set) var knowledge = Knowledge()
  /// By the place of the update in `knowledge.spreads`.
  package private(set) var hops: [[Hop]] = []
  package private(set) var links: [LinkDirection: LinkTraffic] = [:]
  /// Who speaks at an end: the author of the documents that come from there.
  package private(set) var speakers: [LinkEnd: NodeID] = [:]
  package private(set) var messages = 0
  package private(set) var bytes = 0
  package private(set) var redundantMessages = 0
  package private(set) var redundantBytes = 0
  package private(set) var airTime: Int64 = 0

  private var holdings: [LinkEnd: Knowledge.Holding] = [:]
  private var hopCount = 0
  private var spanCount = 0
  private var lastTimes: [Int: Timestamp] = [:]
  /// Whether spans or hops were left out because a limit was reached.
  package private(set) var isFull = false

  /// The places of the captures by their files.
  private let places: [String: Int]

  /// Makes one that has heard nothing, of captures in their order.
  package init(files: [String] = []) {
    places = Dictionary(
      files.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Takes the next row; `capture` is the place of its file among the captures.
  ///
  /// Gives whether it told its receiver something that the receiver was not seen to know.
  @discardableResult
  package mutating func take(_ row: TimelineRow, capture: Int) -> Bool {
    let value = row.value
    guard value.opcode != .advertisement else { return false }
    messages += 1
    bytes += value.length
    airTime += Int64(AirTime.microseconds(of: value))
    let direction = self.direction(of: value, capture: capture)
    let decoded =
      value.outcome == nil && row.cutBy != .capture ? row.message.dispatchedDocument : nil
    guard let decoded else {
      // What is no document tells no update: keys, chat and deltas are other traffic.
      count(
        direction, value.length, news: [], isDocument: false, row: row,
        stamp(value.time, capture: capture, frame: value.frame))
      return false
    }
    let stamp = stamp(value.time, capture: capture, frame: value.frame)
    let isWhole =
      row.cutBy == nil && !decoded.dropped.contains { $0.section == .emergency }
    knowledge.take(decoded.document, isWhole: isWhole, at: stamp)
    if row.message.kind == .document || row.message.kind == .encrypted,
      speakers[direction.from] != nil || speakers.count < Convergence.maximumLinks
    {
      speakers[direction.from] = decoded.document.node
    }
    _ = learn(decoded.document, at: direction.from)
    let news = learn(decoded.document, at: direction.to)
    note(news, direction, stamp)
    count(direction, value.length, news: news, isDocument: true, row: row, stamp)
    return !news.isEmpty
  }

  private mutating func stamp(_ time: Timestamp?, capture: Int, frame: Int) -> Stamp {
    if let time { lastTimes[capture] = time }
    return Stamp(
      time: lastTimes[capture] ?? Timestamp(nanoseconds: 0), capture: capture, frame: frame,
      isTimed: time != nil)
  }

  /// What a document tells an end.
  private mutating func learn(_ document: Document, at end: LinkEnd) -> [Int] {
    guard holdings[end] != nil || holdings.count < Convergence.maximumLinks else { return [] }
    var holding = holdings[end] ?? Knowledge.Holding()
    holdings[end] = nil
    defer { holdings[end] = holding }
    return knowledge.news(in: document, for: &holding)
  }

  private mutating func note(_ news: [Int], _ direction: LinkDirection, _ stamp: Stamp) {
    while hops.count < knowledge.spreads.count { hops.append([]) }
    for place in news where hops[place].count < Convergence.maximumHops {
      guard hopCount < Convergence.maximumAllHops else {
        isFull = true
        return
      }
      hops[place].append(Hop(link: direction, stamp: stamp))
      hopCount += 1
    }
  }

  private mutating func count(
    _ direction: LinkDirection, _ length: Int, news: [Int], isDocument: Bool, row: TimelineRow,
    _ stamp: Stamp
  ) {
    if isDocument && news.isEmpty {
      redundantMessages += 1
      redundantBytes += length
    }
    guard links[direction] != nil || links.count < Convergence.maximumLinks else { return }
    var traffic = links[direction] ?? LinkTraffic()
    links[direction] = nil
    traffic.messages += 1
    traffic.bytes += length
    if !news.isEmpty {
      traffic.useful += 1
      traffic.usefulBytes += length
    }
    for place in news where traffic.arrivals.count < Convergence.maximumSpans {
      guard hasRoom() else { break }
      traffic.arrivals.append((Int32(truncatingIfNeeded: place), stamp))
    }
    if row.value.seenIn.count > 1, traffic.latencies.count < Convergence.maximumSpans,
      let first = row.value.seenIn.first, let last = row.value.seenIn.last,
      let sent = first.time, let arrived = last.time, hasRoom()
    {
      traffic.latencies.append(
        (
          max(0, arrived.nanoseconds(since: sent)),
          Stamp(time: sent, capture: place(of: first, row, stamp), frame: first.frame),
          Stamp(time: arrived, capture: place(of: last, row, stamp), frame: last.frame)
        ))
    }
    links[direction] = traffic
  }

  private mutating func hasRoom() -> Bool {
    if spanCount >= Convergence.maximumAllSpans { isFull = true }
    spanCount += isFull ? 0 : 1
    return !isFull
  }

  private func place(of sighting: Sighting, _ row: TimelineRow, _ stamp: Stamp) -> Int {
    sighting.file == row.file ? Int(stamp.capture) : places[sighting.file] ?? Int(stamp.capture)
  }

  private func direction(of value: CapturedValue, capture: Int) -> LinkDirection {
    let link = value.link
    let local =
      link.local.map(LinkEnd.address) ?? .host(capture: capture, adapter: link.adapter)
    let peer = link.peer.map(LinkEnd.address) ?? .peer(link: link.id)
    return value.direction.isFromLocal
      ? LinkDirection(from: local, to: peer) : LinkDirection(from: peer, to: local)
  }
}
