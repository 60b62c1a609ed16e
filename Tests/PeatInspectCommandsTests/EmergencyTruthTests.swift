import PeatTestSupport
import Testing

/// `emergencies` and `links` against the truth files, which were written by the applications that
/// sent and received, not by anything that read a capture.
struct EmergencyTruthTests {
  private static let sessions = [
    "a-two-nodes", "d-fragments", "d-fragments-both", "e-churn", "e-churn-five", "k-phone",
  ]

  /// What the documents of a capture show of one emergency.
  private struct Facts {
    var carried: [String: Double] = [:]
    var acked: [String: Double] = [:]
    var named: Set<String> = []
  }

  private func facts(_ capture: TruthCapture) -> [UInt64: Facts] {
    var all: [UInt64: Facts] = [:]
    for document in capture.documents {
      let summary = document.whole["summary"]
      let emergency = summary["emergency"]
      guard let stamp = emergency["timestamp_ms"].uint64, let node = summary["node"].string else {
        continue
      }
      let time = document.whole[document.isSentByRecorder ? "t" : "received_s"].double ?? 0
      var facts = all[stamp] ?? Facts()
      facts.carried[node] = min(facts.carried[node] ?? .infinity, time)
      for (other, isAcked) in emergency["acks"].object ?? [:] {
        facts.named.insert(other)
        if isAcked.bool == true { facts.acked[other] = min(facts.acked[other] ?? .infinity, time) }
      }
      all[stamp] = facts
    }
    return all
  }

  /// Seconds of a record's time since the truth's beginning.
  private func seconds(_ time: JSON, _ capture: TruthCapture) throws -> Double {
    let text = try #require(time.string)
    let start = try #require(capture.truth["start_unix_us"].double) / 1e6
    // Sessions are shorter than a day, so that the clock and the day of the beginning tell.
    let parts = text.dropFirst(11).dropLast().split(separator: ":").compactMap { Double($0) }
    let clock = parts[0] * 3600 + parts[1] * 60 + parts[2]
    let day = (start / 86_400).rounded(.down) * 86_400
    return day + clock - start
  }

  @Test("who carried and acknowledged an emergency, and when, is what the applications sent")
  func carriersAndAcks() throws {
    var emergencies = 0
    for capture in try TruthCapture.all()
    where Self.sessions.contains(capture.session) && capture.isHCI
      && !capture.file.contains("from-bravo")
    {
      let expected = facts(capture)
      let run = try CommandRun(["emergencies", "-q", "-f", "ndjson", capture.path])
      let records = try run.records()
      #expect(run.status == 0)
      #expect(
        Set(records.compactMap { $0["stamp"].uint64 }) == Set(expected.keys), "\(capture.file)")
      for record in records {
        emergencies += 1
        let stamp = try #require(record["stamp"].uint64)
        let facts = try #require(expected[stamp])
        let nodes = record["nodes"].array ?? []
        let ids = Set(nodes.compactMap { $0["node"].string })
        #expect(facts.named.isSubset(of: ids), "\(capture.file)")
        for node in nodes {
          let id = try #require(node["node"].string)
          #expect((facts.carried[id] != nil) == !node["carried"].isNull, "\(capture.file) \(id)")
          if let time = facts.carried[id] {
            let found = try seconds(node["carried"]["time"], capture)
            #expect(abs(found - time) < 0.05, "\(capture.file) \(id) \(found) \(time)")
          }
          #expect((facts.acked[id] != nil) == !node["acked"].isNull, "\(capture.file) \(id)")
          if let time = facts.acked[id] {
            let found = try seconds(node["acked"]["time"], capture)
            #expect(abs(found - time) < 0.05, "\(capture.file) \(id) \(found) \(time)")
            #expect(node["outcome"].string == "acked")
          } else {
            #expect(node["text"].string != nil)
            #expect(node["why"].string != nil)
            #expect(node["outcome"].string != "acked")
          }
        }
      }
    }
    #expect(emergencies > 20)
  }

  @Test("connections are up and down when the applications saw them open and close")
  func connections() throws {
    var count = 0
    for capture in try TruthCapture.all()
    where Self.sessions.contains(capture.session) && capture.isHCI
      && !capture.file.contains("from-bravo")
    {
      let recorder = try #require(capture.recordedNode)
      let peat = Dictionary(
        uniqueKeysWithValues: (capture.truth["nodes"].array ?? []).compactMap { node in
          node["name"].string.flatMap { name in node["address"].string.map { (name, $0) } }
        })
      let expected = (capture.truth["connections"].array ?? []).filter {
        $0["central"].string == recorder || $0["peripheral"].string == recorder
      }
      let links = try CommandRun(["links", "-q", "-f", "ndjson", capture.path]).records()
      #expect(links.count == expected.count, "\(capture.file)")
      for connection in expected {
        count += 1
        let peer =
          connection["central"].string == recorder
          ? connection["peripheral"].string : connection["central"].string
        let opened = try #require(connection["opened_s"].double)
        let closed = connection["closed_s"].double ?? .infinity
        let found = try links.first { link in
          guard link["peer"].string == peat[peer ?? ""], !link["up"].isNull else { return false }
          return try abs(seconds(link["up"], capture) - opened) < 0.3
        }
        let link = try #require(found, "\(capture.file) \(connection)")
        #expect(link["mtu"].int == connection["mtu"].int)
        if !link["down"].isNull {
          #expect(abs(try seconds(link["down"], capture) - closed) < 0.3, "\(capture.file)")
          #expect(link["reason"].string != nil)
        }
      }
    }
    #expect(count > 50)
  }

  @Test("an emergency's links were down between the connections that the truth lists")
  func downs() throws {
    for capture in try TruthCapture.all()
    where capture.session.hasPrefix("e-churn") && capture.isHCI {
      let record = try #require(
        try CommandRun(["emergencies", "-q", "-f", "ndjson", capture.path]).records().first)
      let connections = capture.truth["connections"].array ?? []
      for node in record["nodes"].array ?? [] {
        for gap in node["down"].array ?? [] {
          let from = try seconds(gap["from"], capture)
          #expect(connections.contains { abs(($0["closed_s"].double ?? 0) - from) < 0.3 })
          if !gap["until"].isNull {
            let until = try seconds(gap["until"], capture)
            #expect(connections.contains { abs(($0["opened_s"].double ?? 0) - until) < 0.3 })
          }
        }
      }
      // BRAVO-2 and CHARLIE-3 were both away when it was raised, or soon after, and came back.
      let returned = (record["nodes"].array ?? []).filter { node in
        (node["down"].array ?? []).contains { !$0["until"].isNull }
      }
      #expect(Set(returned.compactMap { $0["callsign"].string }) == ["BRAVO-2", "CHARLIE-3"])
    }
  }
}
