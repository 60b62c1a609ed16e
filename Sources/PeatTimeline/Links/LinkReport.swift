package import BluetoothProtocols
package import PeatDissection
package import PeatProtocol
package import WireBytes

/// One connection of a run, with what is known of the devices at its ends.
package struct LinkEntry: Sendable {
  /// The capture as the user named it.
  package var file: String
  /// What its traffic says; `facts.link.id` counts over the run.
  package var facts: LinkFacts
  /// The nodes whose own messages came from its ends.
  package var localNode: NodeID?
  package var peerNode: NodeID?
  /// All connections of the same two devices in this capture, itself too, in order of time.
  package var lives: [LinkLife] = []

  /// Handles that carried values and that nothing names.
  package var unnamed: [HandleUse] {
    facts.handles.filter { $0.uuid == nil && !$0.isDescriptor }
  }
}

/// One connection's time.
package struct LinkLife: Sendable, Equatable {
  package var link: Int
  /// Nil where it began before the capture.
  package var up: Timestamp?
  /// Nil where it was still there at the capture's end.
  package var down: Timestamp?
  package var end: Disconnection?
  /// The packets that opened and closed it.
  package var upFrame: Int
  package var downFrame: Int

  package init(_ facts: LinkFacts) {
    link = facts.link.id
    up = facts.wasSeenOpening ? facts.opened : nil
    down = facts.end == nil ? nil : facts.closed
    end = facts.end
    upFrame = facts.firstFrame
    downFrame = facts.lastFrame
  }
}

/// The connections of all captures of a run.
package struct LinkReport: Sendable {
  /// By the run's number.
  package private(set) var links: [LinkEntry] = []

  /// Starts without any.
  package init() {}

  /// Takes in a capture that was read to its end.
  ///
  /// `number` gives the run's number of a capture's own connection; `nodes` tell who is at an end
  /// of a connection, by the run's number.
  package mutating func add(
    _ capture: CaptureEnd, number: (Int) -> Int, nodes: EndNodes
  ) {
    var entries: [LinkEntry] = []
    var lives: [Pair: [LinkLife]] = [:]
    for original in capture.links {
      var facts = original
      facts.link.id = number(original.link.id)
      lives[Pair(facts), default: []].append(LinkLife(facts))
      entries.append(
        LinkEntry(
          file: capture.file, facts: facts,
          localNode: nodes.node(link: facts.link.id, isLocal: true, facts.link.local)
            ?? nodes.host(of: facts.link, file: capture.file),
          peerNode: nodes.node(
            link: facts.link.id, isLocal: false, facts.identity ?? facts.link.peer)))
    }
    for index in entries.indices {
      // A device without an address is not known again.
      entries[index].lives =
        entries[index].facts.link.peer == nil
        ? [LinkLife(entries[index].facts)] : lives[Pair(entries[index].facts)] ?? []
    }
    links += entries
    links.sort { $0.facts.link.id < $1.facts.link.id }
  }

  /// Two devices as one capture met them.
  private struct Pair: Hashable {
    var adapter: Int
    var local: DeviceAddress?
    var peer: DeviceAddress?

    init(_ facts: LinkFacts) {
      adapter = facts.link.adapter
      local = facts.link.local
      peer = facts.identity ?? facts.link.peer
    }
  }
}

/// Who sends from the ends of connections: the node whose messages came most from there, since
/// others' are passed on too (protocol.md 7.2).
package struct EndNodes: Sendable {
  /// Connections of a report.
  private static let limit = 65_536

  private struct End: Hashable, Sendable {
    var link: Int
    var isLocal: Bool
  }

  /// Documents from one end.
  struct Traffic: Sendable {
    var documents = 0
    var first: Sighted
    var last: Sighted
  }

  /// The nodes whose messages came from one place, and how many of each.
  private struct Speakers: Sendable {
    /// Nodes that are counted at one end.
    private static let limit = 8
    private var counts: [(node: NodeID, messages: Int)] = []

    func has(_ node: NodeID) -> Bool { counts.contains { $0.node == node } }

    /// The first of those of whom the most came, rather one that nothing speaks against.
    func most(doubting isDoubtful: (NodeID) -> Bool) -> NodeID? {
      func first(_ some: [(node: NodeID, messages: Int)]) -> NodeID? {
        let most = some.map(\.messages).max()
        return some.first { $0.messages == most }?.node
      }
      return first(counts.filter { !isDoubtful($0.node) }) ?? first(counts)
    }

    mutating func note(_ node: NodeID) {
      if let place = counts.firstIndex(where: { $0.node == node }) {
        counts[place].messages += 1
      } else if counts.count < Speakers.limit {
        counts.append((node, 1))
      }
    }
  }

  /// This host as one adapter of a capture shows it, whose address need not be known.
  private struct Host: Hashable, Sendable {
    var file: String
    var adapter: Int
  }

  private var traffic: [End: Traffic] = [:]
  /// Nil where several nodes spoke from it.
  private var hosts: [Host: NodeID?] = [:]
  private var ends: [End: Speakers] = [:]
  private var addresses: [DeviceAddress: Speakers] = [:]
  /// Nodes that advertisers name by their address.
  private var announced: [DeviceAddress: NodeID] = [:]

  /// Starts without having heard anybody.
  package init() {}

  /// Takes a row in: a message that was not relayed came from its author's own device.
  package mutating func note(_ row: TimelineRow) {
    guard let node = row.message.node, row.value.advertisement == nil,
      row.message.kind != .relay
    else { return }
    let link = row.value.link
    let isLocal = row.value.direction.isFromLocal
    let end = End(link: link.id, isLocal: isLocal)
    let sighted = Sighted(row, author: node)
    if traffic[end] != nil {
      traffic[end]?.documents += 1
      traffic[end]?.last = sighted
    } else if traffic.count < EndNodes.limit {
      traffic[end] = Traffic(documents: 1, first: sighted, last: sighted)
    }
    if ends[end] != nil || ends.count < EndNodes.limit { ends[end, default: Speakers()].note(node) }
    if isLocal && !link.isFromAir {
      let host = Host(file: row.file, adapter: link.adapter)
      if let known = hosts[host] {
        if known != node { hosts[host] = .some(nil) }
      } else if hosts.count < EndNodes.limit {
        hosts[host] = node
      }
    }
    let address = isLocal ? link.local : link.identity ?? link.peer
    if let address, addresses[address] != nil || addresses.count < EndNodes.limit {
      addresses[address, default: Speakers()].note(node)
    }
  }

  /// Takes an advertiser in whose data names its node.
  package mutating func note(_ reading: AdvertiserReading) {
    guard let node = reading.node, announced.count < EndNodes.limit else { return }
    if announced[reading.advertiser.address] == nil { announced[reading.advertiser.address] = node }
  }

  /// Documents from one end of a connection.
  func traffic(link: Int, isLocal: Bool) -> Traffic? { traffic[End(link: link, isLocal: isLocal)] }

  /// The node that this host is, where only one spoke from it.
  func host(of link: Link, file: String) -> NodeID? {
    link.isFromAir ? nil : hosts[Host(file: file, adapter: link.adapter)] ?? nil
  }

  /// The node at one end of a connection, by what came from there, else by its address.
  package func node(link: Int, isLocal: Bool, _ address: DeviceAddress?) -> NodeID? {
    let speakers = ends[End(link: link, isLocal: isLocal)]
    let named = address.flatMap { announced[$0] }
    if let named, speakers?.has(named) ?? true { return named }
    // Who is heard from both ends is passed on by one of them at least.
    let others = ends[End(link: link, isLocal: !isLocal)]
    return speakers?.most { others?.has($0) ?? false }
      ?? address.flatMap { addresses[$0]?.most { _ in false } } ?? named
  }
}
