package import PeatProtocol

/// Which node had shown which news when: its own documents tell what it knows.
///
/// Memory is bounded by nodes and news, not by messages: of more than the limits, the first count.
package struct Knowledge: Sendable {
  /// Most pieces of news that are followed.
  package static let maximumSpreads = 1 << 16
  /// Most authors whose knowledge is followed.
  package static let maximumNodes = 8_192
  /// Most entries of who knew what, and of who holds which counter.
  package static let maximumEntries = 1 << 19

  /// What somebody holds of the news.
  package struct Holding: Sendable {
    /// How many of a node's counter steps are known, by the place of the node.
    fileprivate var steps: [NodeID: Int32] = [:]
    /// Emergencies, acks and undone clears, by their places.
    fileprivate var others: Set<Int32> = []

    /// Makes the holding of one that knows nothing.
    package init() {}
  }

  private struct Identity: Hashable {
    var source: NodeID
    var time: UInt64
  }

  private struct Steps {
    var values: [UInt64] = []
    var places: [Int32] = []
  }

  private struct EmergencyTrack {
    var place: Int32?
    var acks: [NodeID: Int32] = [:]
    var undone: [Int32] = []
    var entries: Set<NodeID> = []
  }

  private struct Author {
    var holding = Holding()
    var shown: Identity?
    var cleared: Identity?
  }

  /// Everything that spread, in the order of first appearance.
  package private(set) var spreads: [Spread] = []
  /// The authors of documents in the order of first appearance.
  package private(set) var nodes: [NodeID] = []
  /// Whether something was left out because a limit was reached.
  package private(set) var isFull = false

  private var authors: [NodeID: Author] = [:]
  private var steps: [NodeID: Steps] = [:]
  private var emergencies: [Identity: EmergencyTrack] = [:]
  private var entries = 0

  /// Makes the knowledge of one who has heard nothing.
  package init() {}

  /// Everybody that an emergency's documents name, ascending.
  package func participants(source: NodeID, time: UInt64) -> [NodeID] {
    (emergencies[Identity(source: source, time: time)]?.entries ?? []).sorted()
  }

  /// Takes a document in.
  ///
  /// - Parameter isWhole: whether the absence of an emergency means that the author has none.
  /// - Returns: the places in `spreads` of news of others that its author is now seen to know.
  @discardableResult
  package mutating func take(_ document: Document, isWhole: Bool, at stamp: Stamp) -> [Int] {
    guard authors[document.node] != nil || authors.count < Knowledge.maximumNodes else {
      isFull = true
      return []
    }
    var learnt: [Int] = []
    var author = authors[document.node] ?? Author()
    if authors[document.node] == nil { nodes.append(document.node) }
    authors[document.node] = nil
    discover(document, author: &author, isWhole: isWhole, at: stamp)
    for place in news(in: document, for: &author.holding)
    where spreads[place].news.origin != document.node {
      guard entries < Knowledge.maximumEntries else {
        isFull = true
        break
      }
      entries += 1
      spreads[place].knowers.append(Spread.Knower(node: document.node, stamp: stamp))
      learnt.append(place)
    }
    authors[document.node] = author
    return learnt
  }

  /// The places in `spreads` of what a document tells somebody who holds something already.
  package mutating func news(in document: Document, for holding: inout Holding) -> [Int] {
    var places: [Int] = []
    for entry in document.counter.entries where entry.count > 0 {
      guard let track = steps[entry.node] else { continue }
      let known = Int(holding.steps[entry.node] ?? 0)
      let end = track.values.partitioningIndex { $0 > entry.count }
      guard end > known else { continue }
      if known == 0 {
        guard entries < Knowledge.maximumEntries else {
          isFull = true
          continue
        }
        entries += 1
      }
      holding.steps[entry.node] = Int32(end)
      places += track.places[known..<end].map(Int.init)
    }
    if let emergency = document.emergency,
      let track = emergencies[Identity(source: emergency.source, time: emergency.time)]
    {
      if let place = track.place { learn(place, &holding, &places) }
      for ack in emergency.acks where ack.isAcked {
        if let place = track.acks[ack.node] { learn(place, &holding, &places) }
      }
      for place in track.undone { learn(place, &holding, &places) }
    }
    return places
  }

  private mutating func learn(
    _ place: Int32, _ holding: inout Holding, _ places: inout [Int]
  ) {
    guard !holding.others.contains(place) else { return }
    guard entries < Knowledge.maximumEntries else {
      isFull = true
      return
    }
    entries += 1
    holding.others.insert(place)
    places.append(Int(place))
  }

  /// Notes what no earlier document had shown.
  private mutating func discover(
    _ document: Document, author: inout Author, isWhole: Bool, at stamp: Stamp
  ) {
    for entry in document.counter.entries where entry.count > steps[entry.node]?.values.last ?? 0 {
      guard steps[entry.node] != nil || steps.count < MeshState.maximumNodes,
        let place = add(.counter(entry.node, entry.count), document, stamp)
      else {
        isFull = true
        continue
      }
      steps[entry.node, default: Steps()].values.append(entry.count)
      steps[entry.node, default: Steps()].places.append(place)
    }
    guard let emergency = document.emergency else {
      if isWhole, let shown = author.shown {
        author.cleared = shown
        author.shown = nil
      }
      return
    }
    let identity = Identity(source: emergency.source, time: emergency.time)
    var track = emergencies[identity] ?? EmergencyTrack()
    emergencies[identity] = nil
    if track.place == nil {
      track.place = add(
        .emergency(emergency.source, time: emergency.time), document, stamp)
    }
    for ack in emergency.acks where track.entries.count < JoinedEmergency.maximumAcks {
      if !track.entries.contains(ack.node) {
        guard entries < Knowledge.maximumEntries else {
          isFull = true
          break
        }
        entries += 1
        track.entries.insert(ack.node)
      }
      guard ack.isAcked, track.acks[ack.node] == nil else { continue }
      track.acks[ack.node] = add(
        .ack(ack.node, source: emergency.source, time: emergency.time), document, stamp)
    }
    if author.cleared == identity,
      let place = add(
        .undoneClear(document.node, source: emergency.source, time: emergency.time), document,
        stamp)
    {
      track.undone.append(place)
    }
    if track.place != nil { emergencies[identity] = track }
    author.cleared = nil
    author.shown = identity
  }

  private mutating func add(_ news: News, _ document: Document, _ stamp: Stamp) -> Int32? {
    guard spreads.count < Knowledge.maximumSpreads else {
      isFull = true
      return nil
    }
    spreads.append(
      Spread(news: news, first: stamp, author: document.node, nodesThen: nodes.count))
    return Int32(spreads.count - 1)
  }
}

extension [UInt64] {
  /// The first place of an ascending list from which a condition holds.
  fileprivate func partitioningIndex(where holds: (UInt64) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
