import PeatProtocol
import Testing

/// Merging many documents is merging them one by one (protocol.md 4).
struct DocumentMergeTests {
  @Test("a merge of many is the reference's merge of each, step by step")
  func steps() {
    var state: UInt64 = 7
    func chance(_ limit: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % limit
    }
    for _ in 0..<200 {
      let documents = (0..<20).map { _ -> Document in
        var document = Document(node: NodeID(rawValue: UInt32(chance(3) + 1)))
        for _ in 0..<chance(4) {
          let counts: [UInt64] = [0, 1, 5, .max, .max - 4]
          document.counter.raise(
            NodeID(rawValue: UInt32(chance(6))), to: counts[Int(chance(5))])
        }
        if chance(2) == 0 {
          document.emergency = EmergencyEvent(
            source: NodeID(rawValue: UInt32(chance(2) + 1)),
            time: Document.earliestTime + chance(3),
            acks: (0..<chance(3)).map { _ in
              EmergencyEvent.Ack(
                node: NodeID(rawValue: UInt32(chance(5))), isAcked: chance(2) == 0)
            })
        }
        return document
      }
      var single = documents[0]
      var many = DocumentMerge(documents[0])
      for document in documents.dropFirst() {
        let isChanged = single.merge(document)
        #expect(many.merge(document) == isChanged)
      }
      #expect(many.document == single)
    }
  }
}
