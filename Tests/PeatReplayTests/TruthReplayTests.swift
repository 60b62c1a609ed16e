import Foundation
import PeatProtocol
import PeatReplay
import PeatTestSupport
import Testing
import WireBytes

/// Replays the documents that the truth files list and compares with the view they name.
@Suite struct TruthReplayTests {
  @Test("the join of a capture's plain documents is the truth file's merged view")
  func mergedViews() throws {
    let files = try FileManager.default.contentsOfDirectory(
      at: TestData.captures, includingPropertiesForKeys: nil
    ).filter { $0.lastPathComponent.hasSuffix(".truth.json") }
    for file in files {
      let truth = try JSON(parsing: Data(contentsOf: file))
      // Encrypted documents need keys, which this target has not.
      if !truth["secrets"].isNull { continue }
      var documents: [Int: [UInt8]] = [:]
      for entry in truth["documents"].array ?? [] {
        if let seq = entry["seq"].int, let hex = entry["hex"].bytes, entry["malformed"].isNull,
          entry["truncated"].bool != true
        {
          documents[seq] = hex
        }
      }
      for capture in truth["captures"].array ?? [] {
        let view = capture["merged_view"]
        guard !view.isNull, capture["document_state"].isNull else { continue }
        var decoder = MessageDecoder()
        var mesh = MeshState()
        for seq in (capture["documents"].array ?? []).compactMap(\.int) {
          guard let bytes = documents[seq] else { continue }
          _ = mesh.join(decoder.decode(bytes), at: Timestamp(nanoseconds: 0))
        }
        let name = capture["file"].string ?? "?"
        check(mesh, view, name)
      }
    }
  }

  private func check(_ mesh: MeshState, _ view: JSON, _ name: String) {
    var counter: [String: JSON] = [:]
    for entry in mesh.counter.entries {
      counter[entry.node.description] = .number(Double(entry.count))
    }
    if .object(counter) != view["counter"] { Issue.record("\(name): counter") }
    guard let emergency = mesh.emergency else {
      if !view["emergency"].isNull { Issue.record("\(name): emergency missing") }
      return
    }
    var acks: [String: JSON] = [:]
    for ack in emergency.acks { acks[ack.node.description] = .bool(ack.isAcked) }
    let found = JSON.object([
      "source": .string(emergency.source.description),
      "timestamp_ms": .number(Double(emergency.time)), "acks": .object(acks),
    ])
    if found != view["emergency"] { Issue.record("\(name): emergency") }
  }
}
