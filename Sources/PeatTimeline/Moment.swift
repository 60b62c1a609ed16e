import PeatDissection
package import PeatProtocol
package import PeatReplay
package import WireBytes

/// The state of a mesh, and of each node, at one moment.
package struct MomentState: Sendable {
  /// The join of all documents until then.
  package private(set) var mesh = MeshState()
  /// The join of the documents that each node has sent: what it is known to know.
  package private(set) var knowledge: [NodeID: MeshState] = [:]

  /// The state before anything was heard.
  package init() {}

  /// Takes a document in; tells whether it was news to the mesh or of what its author knows.
  @discardableResult
  package mutating func join(_ document: DecodedDocument, at time: Timestamp) -> Bool {
    let node = document.document.node
    var isNews = false
    if knowledge[node] != nil || knowledge.count < MeshState.maximumNodes {
      // The entry leaves the table so that it is changed in place.
      var own = knowledge.removeValue(forKey: node) ?? MeshState()
      let effect = own.join(document, at: time)
      isNews = effect.isChanged || !effect.firstSeen.isEmpty
      knowledge[node] = own
    }
    let effect = mesh.join(document, at: time)
    return isNews || effect.isChanged || !effect.firstSeen.isEmpty
  }
}

/// The state at any moment of the captures, after one reading.
///
/// Snapshots are taken now and then, and documents kept between them. Documents that brought news
/// are all kept; of the others, which a long capture is full of, a fixed number at most: beyond it
/// every other one of a node is let go, so that what they tell (version, position, when a node
/// was heard last) is as of a document a little earlier. So memory is bounded by nodes and news.
package struct MomentIndex: Sendable {
  /// Most documents without news that are kept.
  private let maximumRepetitions: Int
  /// Most documents with news that are kept whatever comes; later ones count as without.
  private static let maximumNews = 1 << 17
  /// Most snapshots; when there are more, every other one goes.
  private static let maximumSnapshots = 64
  /// Fewest documents between two snapshots.
  private static let minimumSpacing = 256

  private struct Snapshot: Sendable {
    var sequence: Int
    var state: MomentState
  }

  private struct Step: Sendable {
    var sequence: Int
    /// When, by a clock that never goes back.
    var moment: Int64
    var time: Timestamp
    var document: DecodedDocument
    var isNews: Bool
  }

  /// The state at the end.
  package private(set) var end = MomentState()
  /// Whether documents without news were let go.
  package private(set) var isCoarse = false

  private var steps: [Step] = []
  private var snapshots: [Snapshot] = []
  private var sequence = 0
  private var spacing = minimumSpacing
  private var repetitions = 0
  private var news = 0
  private var entries = 0

  /// Makes the index of captures of which nothing was read.
  package init(maximumRepetitions: Int = 1 << 16) {
    self.maximumRepetitions = max(2, maximumRepetitions)
  }

  /// Takes the next row; what was refused, cancelled or cut tells nothing.
  package mutating func add(_ row: TimelineRow) {
    guard row.value.outcome == nil, row.cutBy != .capture,
      let document = row.message.dispatchedDocument
    else { return }
    add(document, at: row.value.time ?? steps.last?.time ?? Timestamp(nanoseconds: 0))
  }

  /// Takes the next document.
  package mutating func add(_ document: DecodedDocument, at time: Timestamp) {
    let isNews = end.join(document, at: time) && news < MomentIndex.maximumNews
    let moment = max(time.nanoseconds, steps.last?.moment ?? .min)
    sequence += 1
    entries += isNews ? document.document.counter.entries.count : 0
    steps.append(
      Step(
        sequence: sequence, moment: moment, time: time, document: document, isNews: isNews))
    if isNews { news += 1 } else { repetitions += 1 }
    if repetitions > maximumRepetitions { thinSteps() }
    // A snapshot costs what the state holds, so that larger ones lie further apart.
    if sequence - (snapshots.last?.sequence ?? 0)
      >= max(spacing, entries / 4, end.knowledge.count / 2)
    {
      snapshots.append(Snapshot(sequence: sequence, state: end))
      if snapshots.count > MomentIndex.maximumSnapshots { thinSnapshots() }
    }
  }

  /// The state when everything up to a time was heard, that time included.
  package func state(at time: Timestamp) -> MomentState {
    let past = count { $0.moment <= time.nanoseconds }
    guard past > 0 else { return MomentState() }
    let last = steps[past - 1].sequence
    let snapshot = snapshots.last { $0.sequence <= last }
    var state = snapshot?.state ?? MomentState()
    let first = count { $0.sequence <= (snapshot?.sequence ?? 0) }
    for step in steps[first..<past] { state.join(step.document, at: step.time) }
    return state
  }

  /// How many steps at the front fulfil a condition that no later one does.
  private func count(where holds: (Step) -> Bool) -> Int {
    var low = 0
    var high = steps.count
    while low < high {
      let middle = (low + high) / 2
      if holds(steps[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private mutating func thinSteps() {
    var isOdd: [NodeID: Bool] = [:]
    steps.removeAll { step in
      if step.isNews { return false }
      let node = step.document.document.node
      isOdd[node, default: false].toggle()
      return isOdd[node] == true
    }
    repetitions = steps.count { !$0.isNews }
    isCoarse = true
  }

  private mutating func thinSnapshots() {
    var isKept = false
    snapshots.removeAll { _ in
      isKept.toggle()
      return isKept
    }
    spacing *= 2
  }
}
