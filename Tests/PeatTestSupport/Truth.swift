import Foundation

/// What a truth file says of one capture: the documents in it, in file order.
public struct TruthCapture: Sendable {
  /// A document as the applications sent and received it.
  public struct Document: Sendable {
    public let sequence: Int
    public let opcode: String
    public let isSentByRecorder: Bool
    public let payload: [UInt8]
    public let whole: JSON
  }

  public let session: String
  public let file: String
  public let container: String
  public let recordedNode: String?
  public let documents: [Document]
  public let whole: JSON
  public let truth: JSON

  public var path: String { TestData.captures.appendingPathComponent(file).path }

  /// Whether the file holds HCI packets, rather than packets from the air.
  public var isHCI: Bool { !file.contains(".air") }

  /// Every capture that the truth files of a folder name.
  public static func all() throws -> [TruthCapture] {
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
