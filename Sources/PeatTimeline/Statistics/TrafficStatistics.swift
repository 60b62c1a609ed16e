package import PeatDissection
package import PeatProtocol
import PeatReplay
import WireBytes

/// Messages with their bytes, and how many of them were of use.
package struct TrafficShare: Sendable, Equatable {
  package var messages = 0
  package var bytes = 0
  /// Messages that told their receiver something, as `Convergence` counts them.
  package var useful = 0
  package var usefulBytes = 0
  /// Messages with the same bytes as the one before on the same connection in the same direction.
  package var repeats = 0

  /// Makes one of no messages.
  package init() {}

  fileprivate mutating func add(_ other: TrafficShare) {
    messages += other.messages
    bytes += other.bytes
    useful += other.useful
    usefulBytes += other.usefulBytes
    repeats += other.repeats
  }
}

/// One connection in one direction.
package struct TrafficWay: Sendable, Hashable {
  /// The connection's number in the run; nil for what was advertised.
  package var link: Int?
  package var direction: ValueDirection
}

/// How much was sent: by node, connection, kind, and time.
package struct TrafficStatistics: Sendable {
  /// Nodes, connections in one direction, and intervals that are told apart; the totals hold all.
  package static let nodeLimit = 8192
  package static let wayLimit = 8192
  package static let intervalLimit = 100_000
  /// Nanoseconds of the intervals where none are asked for; they are joined to larger ones.
  private static let grain: Int64 = 1_000_000_000

  package private(set) var total = TrafficShare()
  /// By the node whose document or message it was; nil where the bytes name none.
  package private(set) var nodes: [NodeID?: TrafficShare] = [:]
  package private(set) var ways: [TrafficWay: TrafficShare] = [:]
  package private(set) var kinds: [MessageKind: TrafficShare] = [:]
  /// The ends of each connection, as its first message tells them.
  package private(set) var ends: [TrafficWay: Link] = [:]
  /// Who speaks in each direction: the author of the last document that came from there.
  package private(set) var speakers: [TrafficWay: NodeID] = [:]
  /// Messages that are in no node's, connection's or interval's share because of a limit.
  package private(set) var unplaced = 0
  /// Messages without a time, which are in no interval.
  package private(set) var timeless = 0

  private let width: Int64
  private let isWidthAsked: Bool
  private var slots: [Int64: TrafficShare] = [:]
  private var last: [TrafficWay: Int] = [:]

  /// - Parameter interval: nanoseconds of an interval; nil for what suits the time that passed.
  package init(interval: Int64?) {
    width = interval.map { max(1, $0) } ?? TrafficStatistics.grain
    isWidthAsked = interval != nil
  }

  /// Takes the next message.
  ///
  /// - Parameters:
  ///   - isUseful: whether it told its receiver something.
  ///   - isSelected: whether it counts; what does not still says whether the next one repeats it.
  package mutating func take(_ row: TimelineRow, isUseful: Bool, isSelected: Bool) {
    let value = row.value
    let way = TrafficWay(
      link: value.opcode == .advertisement ? nil : value.link.id, direction: value.direction)
    let hash = value.payload.contentHash
    let isRepeat = last[way] == hash
    if isRepeat || last[way] != nil || last.count < TrafficStatistics.wayLimit { last[way] = hash }
    if let decoded = row.message.dispatchedDocument, value.outcome == nil, row.cutBy != .capture,
      speakers[way] != nil || speakers.count < TrafficStatistics.wayLimit
    {
      speakers[way] = decoded.document.node
    }
    guard isSelected else { return }
    var share = TrafficShare()
    share.messages = 1
    share.bytes = value.length
    if isUseful {
      share.useful = 1
      share.usefulBytes = value.length
    }
    if isRepeat { share.repeats = 1 }
    total.add(share)
    kinds[row.message.kind, default: TrafficShare()].add(share)
    let node = row.document?.document.node ?? row.message.node
    var isPlaced = add(share, to: &nodes, node, TrafficStatistics.nodeLimit)
    if add(share, to: &ways, way, TrafficStatistics.wayLimit) {
      if ends[way] == nil { ends[way] = value.link }
    } else {
      isPlaced = false
    }
    if let elapsed = row.elapsed {
      let slot = max(0, elapsed) / width
      if !add(share, to: &slots, slot, TrafficStatistics.intervalLimit) { isPlaced = false }
    } else {
      timeless += 1
    }
    if !isPlaced { unplaced += 1 }
  }

  private func add<Key: Hashable>(
    _ share: TrafficShare, to shares: inout [Key: TrafficShare], _ key: Key, _ limit: Int
  ) -> Bool {
    guard shares[key] != nil || shares.count < limit else { return false }
    shares[key, default: TrafficShare()].add(share)
    return true
  }

  /// The intervals that hold messages, ascending, and their width in nanoseconds.
  package func intervals() -> (width: Int64, shares: [(start: Int64, share: TrafficShare)]) {
    let factor = isWidthAsked ? 1 : joined()
    var joined: [Int64: TrafficShare] = [:]
    for (slot, share) in slots { joined[slot / factor, default: TrafficShare()].add(share) }
    let step = width.multipliedReportingOverflow(by: factor)
    let size = step.overflow ? .max : step.partialValue
    return (
      size,
      joined.sorted { $0.key < $1.key }.map { slot, share in
        let start = slot.multipliedReportingOverflow(by: size)
        return (start.overflow ? .max : start.partialValue, share)
      }
    )
  }

  /// How many seconds one interval takes, for at most sixty of them: a number that clocks have.
  private func joined() -> Int64 {
    guard let first = slots.keys.min(), let last = slots.keys.max() else { return 1 }
    let span = last - first + 1
    let steps: [Int64] = [
      1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400,
    ]
    return steps.first { span / $0 <= 60 } ?? (span / 60 / 86_400 + 1) * 86_400
  }
}
