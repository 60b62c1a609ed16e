import Foundation

/// What a truth file says of one capture: the documents in it, in file order.
package struct TruthCapture: Sendable {
  /// A document as the applications sent and received it.
  package struct Document: Sendable {
    package let sequence: Int
    package let opcode: String
    package let isSentByRecorder: Bool
    package let payload: [UInt8]
    package let whole: JSON
  }

  package let session: String
  package let file: String
  package let container: String
  package let recordedNode: String?
  package let documents: [Document]
  package let whole: JSON
  package let truth: JSON

  package var path: String { TestData.captures.appendingPathComponent(file).path }

  /// Whether the file holds HCI packets, rather than packets from the air.
  package var isHCI: Bool { !file.contains(".air") }

  /// Every capture that the truth files of a folder name.
  package static func all() throws -> [TruthCapture] {
    let names = try FileManager.default.contentsOfDirectory(atPath: TestData.captures.path)
    return try names.filter { $0.hasSuffix(".truth.json") }.sorted().flatMap { name in
      let data = try Data(contentsOf: TestData.captures.appendingPathComponent(name))
      let truth = try JSON(parsing: data)
      let session = String(name.dropLast(".truth.json".count))
      return (truth["captures"].array ?? []).map { capture($0, truth, session) }
    }
  }

  private static func capture(_ entry: JSON, _ truth: JSON, _ session: String) -> TruthCapture {
    let wanted = Set((entry["documents"].array ?? []).compactMap(\.int))
    let recorder = entry["recorded_node"].string
    var timed: [(Double, Document)] = []
    for document in truth["documents"].array ?? [] {
      guard let sequence = document["seq"].int, wanted.contains(sequence) else { continue }
      let isSent = document["sender"].string == recorder
      let time = isSent ? document["t"].double : document["received_s"].double
      timed.append(
        (
          time ?? .infinity,
          Document(
            sequence: sequence, opcode: document["opcode"].string ?? "?", isSentByRecorder: isSent,
            payload: document["hex"].bytes ?? [], whole: document)
        ))
    }
    timed.sort { ($0.0, $0.1.sequence) < ($1.0, $1.1.sequence) }
    return TruthCapture(
      session: session, file: entry["file"].string ?? "?",
      container: entry["container"].string ?? "?", recordedNode: recorder,
      documents: timed.map { $0.1 }, whole: entry, truth: truth)
  }
}
