import BluetoothProtocols
import PeatDissection

/// The messages that two captures recorded at the two ends of one connection.
///
/// First the connections are paired: those that share the most messages, sent at one end and
/// received at the other. Within a pair, messages of equal bytes are paired in their order.
struct Twins: Sendable {
  /// Places in the two surveys' entries.
  struct Pair: Sendable {
    var left: Int
    var right: Int
  }

  /// Equal messages of which one end has more than the other; time must tell which are which.
  struct Open: Sendable {
    var left: [Int]
    var right: [Int]
  }

  private(set) var pairs: [Pair] = []
  private(set) var open: [Open] = []

  private struct Key: Hashable {
    var value: UInt64
    var isSentByLeft: Bool
  }

  private struct LinkPair: Hashable {
    var left: Int32
    var right: Int32
  }

  private struct Score {
    var sent = 0
    var received = 0
    var total: Int { sent + received }
  }

  /// Whether more connections had an equal message than are compared.
  private(set) var isCut = false

  /// One capture's messages by what they are, for what another one sent and for what it received.
  struct Index: Sendable {
    fileprivate var sent: [UInt64: [Int]] = [:]
    fileprivate var received: [UInt64: [Int]] = [:]

    init(_ survey: CaptureSurvey) {
      for (place, entry) in survey.entries.enumerated() {
        if entry.end != .received { sent[entry.key, default: []].append(place) }
        if entry.end != .sent { received[entry.key, default: []].append(place) }
      }
    }

    fileprivate func places(_ isSent: Bool) -> [UInt64: [Int]] { isSent ? sent : received }
  }

  private typealias Shared = (key: Key, left: [Int], right: [Int])

  init(_ left: CaptureSurvey, _ right: CaptureSurvey, _ leftIndex: Index, _ rightIndex: Index) {
    var shared: [Shared] = []
    for isSentByLeft in [true, false] {
      let others = rightIndex.places(!isSentByLeft)
      for (key, places) in leftIndex.places(isSentByLeft) {
        guard let others = others[key] else { continue }
        shared.append((Key(value: key, isSentByLeft: isSentByLeft), places, others))
      }
    }
    let partners = Twins.partners(left, right, shared, isCut: &isCut)
    for (_, places, others) in shared {
      var byLink: [Int32: (left: [Int], right: [Int])] = [:]
      for place in places where partners[left.entries[place].link] != nil {
        byLink[left.entries[place].link, default: ([], [])].left.append(place)
      }
      for link in Array(byLink.keys) {
        let partner = partners[link]
        byLink[link]?.right = others.filter { right.entries[$0].link == partner }
      }
      for (lefts, rights) in byLink.values where !rights.isEmpty {
        if lefts.count == rights.count {
          for (one, other) in zip(lefts, rights) { pairs.append(Pair(left: one, right: other)) }
        } else {
          open.append(Open(left: lefts, right: rights))
        }
      }
    }
    pairs.sort { ($0.left, $0.right) < ($1.left, $1.right) }
  }

  /// The right capture's connection for each of the left one's.
  private static func partners(
    _ left: CaptureSurvey, _ right: CaptureSurvey, _ shared: [Shared], isCut: inout Bool
  ) -> [Int32: Int32] {
    var scores: [LinkPair: Score] = [:]
    for (key, places, others) in shared {
      let lefts = connections(places, left, isCut: &isCut)
      let rights = connections(others, right, isCut: &isCut)
      for one in lefts {
        for other in rights {
          if key.isSentByLeft {
            scores[LinkPair(left: one, right: other), default: Score()].sent += 1
          } else {
            scores[LinkPair(left: one, right: other), default: Score()].received += 1
          }
        }
      }
    }
    let ranked = scores.compactMap { pair, score -> (pair: LinkPair, rank: Int, total: Int)? in
      guard let one = left.links[pair.left], let other = right.links[pair.right],
        let rank = rank(one, other, score)
      else { return nil }
      return (pair, rank, score.total)
    }.sorted {
      ($1.rank, $1.total, $0.pair.left, $0.pair.right)
        < ($0.rank, $0.total, $1.pair.left, $1.pair.right)
    }
    var partners: [Int32: Int32] = [:]
    var taken: Set<Int32> = []
    for candidate in ranked
    where partners[candidate.pair.left] == nil && !taken.contains(candidate.pair.right) {
      partners[candidate.pair.left] = candidate.pair.right
      taken.insert(candidate.pair.right)
    }
    return partners
  }

  /// The connections that messages are of, the first ones.
  private static func connections(
    _ places: [Int], _ survey: CaptureSurvey, isCut: inout Bool
  ) -> Set<Int32> {
    var found: Set<Int32> = []
    for place in places {
      let link = survey.entries[place].link
      if found.count < CaptureStream.sharingLimit || found.contains(link) {
        found.insert(link)
      } else {
        isCut = true
      }
    }
    return found
  }

  /// How well two connections fit as the two ends of one; nil where they cannot be.
  private static func rank(_ left: Link, _ right: Link, _ score: Score) -> Int? {
    if let role = left.role, role == right.role { return nil }
    if left.isFromAir || right.isFromAir { return overheardRank(left, right, score) }
    var agreeing = 0
    var contradicting = 0
    for (one, other) in [(left.local, right.peer), (left.peer, right.local)] {
      guard let one, let other else { continue }
      if one == other { agreeing += 1 } else { contradicting += 1 }
    }
    if contradicting == 0 { return agreeing }
    // A private address looks different from the two ends; then both directions must agree.
    return min(score.sent, score.received) >= 2 ? 0 : nil
  }

  /// A sniffer names the central first whatever end the other capture is of.
  private static func overheardRank(_ left: Link, _ right: Link, _ score: Score) -> Int? {
    let ends = Set([left.local, left.peer].compactMap { $0?.value })
    let others = Set([right.local, right.peer].compactMap { $0?.value })
    let common = ends.intersection(others).count
    if ends == others || common == min(ends.count, others.count), common > 0 { return common }
    // Heard at one place are both directions; behind a private address both must agree.
    return min(score.sent, score.received) >= 2 ? 0 : nil
  }
}
