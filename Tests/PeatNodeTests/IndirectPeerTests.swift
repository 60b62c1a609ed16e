import PeatNode
import PeatProtocol
import Testing

/// Relayed messages against what the node knows of their origin already (protocol.md 7.1, 8.4).
@Suite struct IndirectPeerTests {
  private static let own = NodeID(rawValue: 0x1234_5678)
  private static let origin = NodeID(rawValue: 0xA1B2_C3D4)
  private static let neighbour = NodeID(rawValue: 0x0000_00AA)
  private static let name = "PEAT_DEMO-A1B2C3D4"

  private func node() -> MeshNode {
    var configuration = MeshConfiguration(
      node: IndirectPeerTests.own, meshID: "DEMO", callsign: Callsign("ALPHA"))
    configuration.relays = true
    var node = MeshNode(configuration)
    node.incoming(identifier: "near", node: IndirectPeerTests.neighbour, now: 0)
    return node
  }

  private func envelope(
    of origin: NodeID = IndirectPeerTests.origin, id: UInt64 = 1, hops: UInt8 = 1,
    maximum: UInt8 = 7
  ) -> [UInt8] {
    var document = Document(version: 3, node: origin)
    document.counter = GCounter([GCounter.Entry(node: origin, count: 2)])
    var envelope = RelayEnvelope(
      origin: origin, messageID: RelayMessageID(low: id, high: 9), payload: document.encoded(),
      maximumHops: maximum)
    envelope.hopCount = hops
    return envelope.encoded
  }

  private func indirect(_ node: MeshNode) -> [NodeID] { node.graph.indirectPeers.map(\.node) }

  /// The entries that enter an origin: by node, by a name that is known, and the plain call.
  private func entries() -> [(MeshNode, (inout MeshNode, [UInt8], UInt64) -> ReceivedReport?)] {
    [
      (node(), { $0.receive($1, from: IndirectPeerTests.neighbour, now: $2) }),
      (node(), { $0.receive($1, fromAny: "near", now: $2) }),
      (
        node(),
        { node, bytes, now in
          _ = node.takeEnvelope(bytes, from: IndirectPeerTests.neighbour, now: now)
          return nil
        }
      ),
    ]
  }

  @Test("an origin that was never met is an indirect peer up to three hops")
  func stranger() {
    for (start, receive) in entries() {
      var node = start
      _ = receive(&node, envelope(id: 1, hops: 4), 10)
      #expect(indirect(node) == [])
      _ = receive(&node, envelope(id: 2, hops: 3), 10)
      #expect(indirect(node) == [IndirectPeerTests.origin])
    }
  }

  @Test("an origin that was discovered, linked, or met under another name is no indirect peer")
  func known() {
    let meetings: [(inout MeshNode) -> Void] = [
      {
        $0.discovered(
          identifier: "far", name: IndirectPeerTests.name, rssi: -60, meshID: "DEMO", now: 5)
      },
      { $0.incoming(identifier: "far", node: IndirectPeerTests.origin, now: 5) },
      {
        $0.incoming(identifier: "far", node: IndirectPeerTests.origin, now: 5)
        $0.disconnected(identifier: "far", reason: .linkLoss, now: 6)
      },
      {
        $0.incoming(identifier: "far", node: IndirectPeerTests.origin, now: 5)
        $0.discovered(
          identifier: "other", name: IndirectPeerTests.name, rssi: -60, meshID: "DEMO", now: 6)
      },
    ]
    for meet in meetings {
      for (start, receive) in entries() {
        var node = start
        meet(&node)
        _ = receive(&node, envelope(), 10)
        #expect(indirect(node) == [])
      }
    }
  }

  @Test("an origin whose link ended 45 seconds ago is forgotten, and an indirect peer then")
  func forgotten() {
    var node = node()
    node.incoming(identifier: "far", node: IndirectPeerTests.origin, now: 1_000)
    node.disconnected(identifier: "far", reason: .linkLoss, now: 2_000)
    _ = node.tick(now: 40_000)
    _ = node.receive(envelope(id: 1), from: IndirectPeerTests.neighbour, now: 40_001)
    #expect(indirect(node) == [])
    _ = node.tick(now: 51_000)
    _ = node.receive(envelope(id: 2), from: IndirectPeerTests.neighbour, now: 51_001)
    #expect(indirect(node) == [IndirectPeerTests.origin])
  }

  @Test("a device that is discovered under another name goes by both")
  func secondName() {
    var node = node()
    node.incoming(identifier: "far", node: IndirectPeerTests.origin, now: 1)
    node.discovered(
      identifier: "other", name: IndirectPeerTests.name, rssi: -60, meshID: "DEMO", now: 2)
    #expect(node.connected(identifier: "other", now: 3) == IndirectPeerTests.origin)
    #expect(node.connected(identifier: "far", now: 4) == IndirectPeerTests.origin)
    #expect(node.peers[IndirectPeerTests.origin]?.identifier == "far")
    var document = Document(version: 3, node: IndirectPeerTests.origin)
    document.counter = GCounter([GCounter.Entry(node: IndirectPeerTests.origin, count: 1)])
    #expect(node.receive(document.encoded(), fromKnown: "other", now: 5) != nil)
  }

  @Test("an envelope of the node's own is taken once, and a repetition when it comes again")
  func ownEnvelope() {
    let calls: [(inout MeshNode, [UInt8]) -> ReceivedReport?] = [
      { $0.receive($1, from: IndirectPeerTests.neighbour, now: 10) },
      { $0.receive($1, fromAny: "near", now: 10) },
      { $0.receive($1, fromKnown: "near", now: 10) },
    ]
    for call in calls {
      var node = node()
      let bytes = envelope(of: IndirectPeerTests.own)
      #expect(call(&node, bytes) == nil)
      _ = node.takeEvents()
      #expect(call(&node, bytes) == nil)
      #expect(
        node.takeEvents() == [.duplicateDropped(origin: IndirectPeerTests.own, sightings: 2)])
      #expect(indirect(node) == [])
    }
    // The anonymous call knows no envelopes (protocol.md 9.4): it sees no repetition.
    var node = node()
    let bytes = envelope(of: IndirectPeerTests.own)
    _ = node.receive(bytes, fromAnonymous: "near", now: 10)
    _ = node.receive(bytes, fromAnonymous: "near", now: 10)
    #expect(
      !node.takeEvents().contains(.duplicateDropped(origin: IndirectPeerTests.own, sightings: 2)))
  }

  @Test("the last hop is taken and not passed on; the copy of a copy counts one hop more")
  func hops() throws {
    var node = node()
    let last = node.receive(envelope(id: 1, hops: 7), from: IndirectPeerTests.neighbour, now: 1)
    #expect(last != nil && last?.relayed == nil)
    #expect(
      node.takeEvents().contains(.hopsExpired(origin: IndirectPeerTests.origin, hopCount: 7)))
    let middle = node.receive(envelope(id: 2, hops: 5), from: IndirectPeerTests.neighbour, now: 2)
    let copy = try RelayEnvelope(bytes: try #require(middle?.relayed))
    #expect(copy.hopCount == 6)
    #expect(copy.canRelay)
    var next = self.node()
    let again = next.receive(copy.encoded, from: IndirectPeerTests.neighbour, now: 3)
    #expect(try RelayEnvelope(bytes: try #require(again?.relayed)).hopCount == 7)
  }

  @Test("strangers cannot keep a peer that is linked from being known as met")
  func bounded() {
    var node = node()
    for id in 1...UInt32(3_000) {
      let stranger = NodeID(rawValue: 0xF000_0000 + id)
      node.incoming(identifier: "s", node: stranger, now: UInt64(id))
      node.disconnected(identifier: "s", reason: .linkLoss, now: UInt64(id))
    }
    node.incoming(identifier: "far", node: IndirectPeerTests.origin, now: 4_000)
    _ = node.receive(envelope(), from: IndirectPeerTests.neighbour, now: 4_001)
    #expect(indirect(node) == [])
  }
}
