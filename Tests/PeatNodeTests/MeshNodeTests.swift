import PeatNode
import PeatProtocol
import PeatSecurity
import Testing

@Suite struct MeshNodeTests {
  private let own = NodeID(rawValue: 0x1234_5678)
  private let other = NodeID(rawValue: 0xA1B2_C3D4)

  private var configuration: MeshConfiguration {
    MeshConfiguration(node: own, meshID: "DEMO", callsign: Callsign("ALPHA"))
  }

  private func randomness(nonce: [UInt8], index: Int = 0) -> MeshRandomness {
    MeshRandomness(
      nonce: { nonce }, messageID: { RelayMessageID(low: 1, high: 2) }, index: { _ in index })
  }

  @Test("a peer whose link ended is lost after 30 seconds, and once more when it was silent for 45")
  func lossAfterDisconnect() {
    var node = MeshNode(configuration)
    node.incoming(identifier: "b", node: other, now: 1_000)
    node.disconnected(identifier: "b", reason: .linkLoss, now: 20_000)
    _ = node.takeEvents()
    // 20 000 + 30 000 is not past the limit yet; checks are 10 000 apart.
    #expect(node.tick(now: 50_000) == nil)
    #expect(node.takeEvents() == [.peerLost(other), .stateChanged(peers: 0, connected: 0)])
    #expect(node.tick(now: 60_000) == nil)
    #expect(node.takeEvents() == [.peerLost(other), .stateChanged(peers: 0, connected: 0)])
    #expect(node.tick(now: 70_000) == nil)
    #expect(node.takeEvents() == [])
  }

  @Test("a frame that cannot be sealed is not sent in clear")
  func sealingFails() {
    var configuration = configuration
    configuration.encryptionSecret = SecretKey([UInt8](repeating: 7, count: 32))
    let good = MeshNode(
      configuration, randomness: randomness(nonce: [UInt8](repeating: 1, count: 12)))
    #expect(good.documentFrame()?.first == EncryptedFrame.marker)
    let bad = MeshNode(configuration, randomness: randomness(nonce: [1]))
    #expect(bad.documentFrame() == nil)
  }

  @Test("a message is passed on to two of many peers, never to the one that it came from")
  func fanOut() {
    var node = MeshNode(configuration, randomness: randomness(nonce: [], index: 9))
    for id in 1...4 {
      node.incoming(identifier: "dev-\(id)", node: NodeID(rawValue: UInt32(id)), now: 0)
    }
    let targets = node.relayTargets(excluding: NodeID(rawValue: 2))
    #expect(targets.count == 2)
    #expect(Set(targets).isSubset(of: [1, 3, 4].map { NodeID(rawValue: $0) }))
  }

  @Test("what strangers can make the node remember is bounded")
  func bounds() {
    var node = MeshNode(configuration)
    node.incoming(identifier: "peer", node: other, now: 0)
    for id in 1...UInt32(PeerTable.maximumIdentifiers + 10) {
      let document = Document(
        node: NodeID(rawValue: id),
        peripheral: Peripheral(id: NodeID(rawValue: id), callsign: Callsign("X")))
      let frame = document.encoded()
      _ = node.receive(frame, fromAnonymous: "dev-\(id)", now: 0)
      _ = node.receive(frame, from: NodeID(rawValue: id), now: 0)
      let envelope = RelayEnvelope(
        origin: NodeID(rawValue: id), messageID: RelayMessageID(low: UInt64(id), high: 0),
        payload: [])
      _ = node.takeEnvelope(envelope.encoded, from: own, now: UInt64(id))
    }
    #expect(node.peripherals.count == MeshNode.maximumPeripherals)
    #expect(node.graph.indirectPeers.count == ConnectionGraph.maximumEntries)
    // The names of strangers made room, that of the peer stayed.
    #expect(node.peers.node(of: "peer") == other)
    #expect(node.peers.node(of: "dev-1") == nil)
    #expect(node.peers.node(of: "dev-\(PeerTable.maximumIdentifiers + 1)") != nil)
  }
}
