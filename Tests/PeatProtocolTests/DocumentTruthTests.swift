import Foundation
import PeatProtocol
import PeatTestSupport
import Testing

/// Compares decoded documents with what their senders say they sent.
@Suite struct DocumentTruthTests {
  @Test("documents of the truth files decode to their summaries and encode to their bytes")
  func summaries() throws {
    let files = try FileManager.default.contentsOfDirectory(
      at: TestData.captures, includingPropertiesForKeys: nil
    ).filter { $0.lastPathComponent.hasSuffix(".truth.json") }
    for file in files {
      let truth = try JSON(parsing: Data(contentsOf: file))
      for entry in truth["documents"].array ?? [] {
        let summary = entry["summary"]
        guard entry["malformed"].isNull, entry["truncated"].bool != true,
          summary["format"].string == "full", let bytes = entry["hex"].bytes
        else { continue }
        let name = "\(file.lastPathComponent) \(entry["seq"].int ?? 0)"
        guard let decoded = try? Document.decode(bytes) else {
          Issue.record("\(name): refused")
          continue
        }
        if !decoded.dropped.isEmpty || !decoded.trailing.isEmpty || decoded.kotlin != nil {
          Issue.record("\(name): \(decoded.dropped)")
        }
        if decoded.document.encoded() != bytes { Issue.record("\(name): encodes otherwise") }
        let found = Self.differences(decoded.document, summary)
        if !found.isEmpty { Issue.record("\(name): \(found.joined(separator: ", "))") }
      }
    }
  }

  private static func differences(_ document: Document, _ summary: JSON) -> [String] {
    var found: [String] = []
    func check(_ name: String, _ holds: Bool) { if !holds { found.append(name) } }
    check("version", document.version == summary["version"].uint32)
    check("node", document.node.description == summary["node"].string)
    check("total", document.counter.total == summary["total"].uint64)
    if let counter = summary["counter"].object {
      let counts = document.counter.entries.map {
        ($0.node.description, JSON.number(Double($0.count)))
      }
      check("counter", Dictionary(uniqueKeysWithValues: counts) == counter)
    }
    let expected = summary["peripheral"]
    guard !expected.isNull, let peripheral = document.peripheral else {
      if !expected.isNull { found.append("peripheral missing") }
      return found
    }
    check("id", peripheral.id.description == expected["id"].string)
    check("parent", peripheral.parent.description == expected["parent"].string ?? "00000000")
    check("type", peripheral.type.name == expected["type"].string)
    check("callsign", peripheral.callsign.text == expected["callsign"].string)
    check("battery", peripheral.health.battery == expected["battery"].uint8)
    check("activity", peripheral.health.activity.rawValue == expected["activity"].uint8)
    check("alerts", peripheral.health.alerts.rawValue == expected["alerts"].uint8)
    check("heart rate", peripheral.health.heartRate == expected["heart_rate"].uint8 ?? 0)
    check("time", peripheral.time == expected["timestamp_ms"].uint64)
    let location = expected["location"]
    check("latitude", peripheral.location?.latitude == location["lat"].double.map { Float($0) })
    check("longitude", peripheral.location?.longitude == location["lon"].double.map { Float($0) })
    check("altitude", peripheral.location?.altitude == location["alt"].double.map { Float($0) })
    check(
      "accuracy", peripheral.location?.accuracy == location["accuracy"].double.map { Float($0) })
    return found
  }
}
