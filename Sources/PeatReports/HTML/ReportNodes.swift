import PeatProtocol
import PeatReplay
import PeatTimeline

/// The nodes of a page in the order of their lanes: those that were heard, then those that only
/// others tell of.
struct ReportNodes {
  /// Nodes that a page lists; of more, the last are left out.
  private static let limit = 400

  private(set) var ids: [NodeID] = []
  private(set) var heard = 0
  /// Nodes that found no room.
  private(set) var leftOut = 0
  private var places: [NodeID: Int] = [:]

  init(_ input: ReportInput) {
    // Who sent most stands for the mesh where there are too many.
    let counts = input.timeline.counts
    let speaking = Set(input.heard).union(counts.keys)
    let chosen = speaking.sorted { left, right in
      let a = counts[left] ?? 0
      let b = counts[right] ?? 0
      return a != b ? a > b : left < right
    }.prefix(ReportNodes.limit).sorted()
    for node in chosen { add(node) }
    heard = ids.count
    leftOut = speaking.count - heard
    var others: Set<NodeID> = []
    for entry in input.view.state.counter.entries { others.insert(entry.node) }
    for story in input.stories { for node in story.nodes { others.insert(node.node) } }
    for link in input.links {
      if let node = link.localNode { others.insert(node) }
      if let node = link.peerNode { others.insert(node) }
    }
    others.subtract(speaking)
    for node in others.sorted() {
      if ids.count < ReportNodes.limit { add(node) } else { leftOut += 1 }
    }
  }

  private mutating func add(_ node: NodeID) {
    guard places[node] == nil else { return }
    places[node] = ids.count
    ids.append(node)
  }

  /// The place of a node, -1 for none.
  subscript(node: NodeID?) -> Int { node.flatMap { places[$0] } ?? -1 }
}
