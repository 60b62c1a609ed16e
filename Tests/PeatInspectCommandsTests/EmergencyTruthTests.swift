import PeatTestSupport
import Testing

/// `emergencies` and `links` against the truth files, which were written by the applications that
/// sent and received, not by anything that read a capture.
struct EmergencyTruthTests {
  /// Sessions in which nothing is damaged, malformed or encrypted.
  private static let sessions = ["a", "b", "c", "d", "e", "f", "k", "l", "m"]

  private static func captures() throws -> [TruthCapture] {
    try TruthCapture.all().filter { sessions.contains("\($0.session.prefix(1))") && $0.isHCI }
  }

  /// What the documents of captures show of one emergency.
  private struct Facts {
    var source: String
    var carried: [String: Double] = [:]
    /// The documents of each node that carry it.
    var documents: [String: Int] = [:]
    var acked: [String: Double] = [:]
    var named: Set<String> = []
  }

  private typealias Parts = EmergencyParts

  private static func number(_ bytes: some Collection<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Source, time and acknowledgements in the bytes that an application sent (protocol.md 2.1, 2.7).
  private static func emergency(_ bytes: [UInt8]) -> Parts.Emergency? {
    guard bytes.count >= 12 else { return nil }
    var place = 12 + 12 * Int(number(bytes[8..<12]))
    while place + 4 <= bytes.count {
      let end = place + 4 + Int(number(bytes[place + 2..<place + 4]))
      guard end <= bytes.count else { return nil }
      if bytes[place] == 0xAC {
        let body = Array(bytes[place + 4..<end])
        let acks = (0..<Int(number(body[12..<16]))).map { index in
          let ack = body[(16 + 5 * index)..<(21 + 5 * index)]
          return (UInt32(number(ack.prefix(4))), ack.last != 0)
        }
        return (UInt32(number(body[0..<4])), number(body[4..<12]), acks)
      }
      place = end
    }
    return nil
  }

  /// Seconds that a capture's recorder is ahead of the truth's time.
  private static func offset(_ capture: TruthCapture) -> Double {
    (capture.truth["nodes"].array ?? []).first { $0["name"].string == capture.recordedNode }?[
      "clock_offset_s"
    ].double ?? 0
  }

  private func facts(_ capture: TruthCapture) -> [UInt64: Facts] {
    var all: [UInt64: Facts] = [:]
    for document in capture.documents {
      guard let (source, stamp, acks) = Self.emergency(document.payload),
        let node = document.whole["summary"]["node"].string
      else { continue }
      let time = document.whole[document.isSentByRecorder ? "t" : "received_s"].double ?? 0
      var facts = all[stamp] ?? Facts(source: Parts.id(source))
      facts.carried[node] = min(facts.carried[node] ?? .infinity, time)
      facts.documents[node, default: 0] += 1
      for (other, isAcked) in acks {
        let id = Parts.id(other)
        facts.named.insert(id)
        if isAcked { facts.acked[id] = min(facts.acked[id] ?? .infinity, time) }
      }
      all[stamp] = facts
    }
    return all
  }

  /// Seconds of a record's time since the truth's beginning, by its true clock.
  private func seconds(_ time: JSON, _ capture: TruthCapture) throws -> Double {
    let text = try #require(time.string)
    let start = try #require(capture.truth["start_unix_us"].double) / 1e6
    // Sessions are shorter than a day, so that the clock and the day of the beginning tell.
    let parts = text.dropFirst(11).dropLast().split(separator: ":").compactMap { Double($0) }
    let clock = parts[0] * 3600 + parts[1] * 60 + parts[2]
    let day = (start / 86_400).rounded(.down) * 86_400
    return day + clock - start - Self.offset(capture)
  }

  private func compare(
    _ record: JSON, _ facts: Facts, _ capture: TruthCapture, within tolerance: Double
  ) throws {
    let nodes = record["nodes"].array ?? []
    #expect(record["source"].string == facts.source)
    #expect(facts.named.isSubset(of: Set(nodes.compactMap { $0["node"].string })))
    for node in nodes {
      let id = try #require(node["node"].string)
      for (key, expected) in [("carried", facts.carried[id]), ("acked", facts.acked[id])] {
        #expect((expected != nil) == !node[key].isNull, "\(capture.file) \(id) \(key)")
        guard let expected, !node[key].isNull else { continue }
        let found = try seconds(node[key]["time"], capture)
        #expect(abs(found - expected) < tolerance, "\(capture.file) \(id) \(found) \(expected)")
      }
      let isAcked = facts.acked[id] != nil || id == facts.source
      #expect((node["outcome"].string == "acked") == isAcked, "\(capture.file) \(id)")
      if !isAcked {
        #expect(node["text"].string != nil)
        #expect(node["why"].string != nil)
      }
    }
  }

  /// Every reason that a node has not acknowledged, by what was sent.
  private func judge(_ record: JSON, _ facts: Facts, _ capture: TruthCapture) throws {
    let authors = Set(capture.documents.compactMap { $0.whole["summary"]["node"].string })
    for node in record["nodes"].array ?? [] where node["outcome"].string != "acked" {
      let id = try #require(node["node"].string)
      let text = try #require(node["text"].string)
      switch node["why"].string {
      case "no_ack":
        #expect(facts.carried[id] != nil && facts.acked[id] == nil)
        #expect(text.contains("in \(facts.documents[id] ?? 0) document"), "\(text)")
      case "not_recorded":
        #expect(!authors.contains(id), "\(capture.file) \(id)")
        #expect(node["outcome"].string == "unknown")
        #expect(text.hasSuffix("cannot be seen from this capture"))
      case let why: Issue.record("\(capture.file) \(id): \(why ?? "nothing")")
      }
    }
  }

  @Test("who carried and acknowledged an emergency, and when, is what the applications sent")
  func carriersAndAcks() throws {
    var emergencies = 0
    for capture in try Self.captures() {
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
        // At an MTU of 23 a document comes in parts; the truth has the time of the first.
        try compare(record, facts, capture, within: capture.session.hasPrefix("c-") ? 1 : 0.05)
        try judge(record, facts, capture)
      }
    }
    #expect(emergencies > 40)
  }

  @Test("three captures of one mesh together tell the earliest sighting of each, on one clock")
  func together() throws {
    let captures = try TruthCapture.all().filter { $0.session == "m-mesh-three" }
    var expected: [UInt64: Facts] = [:]
    for capture in captures {
      for (stamp, facts) in facts(capture) {
        var known = expected[stamp] ?? facts
        known.carried.merge(facts.carried, uniquingKeysWith: min)
        known.acked.merge(facts.acked, uniquingKeysWith: min)
        expected[stamp] = known
      }
    }
    let records = try CommandRun(
      ["emergencies", "-q", "-f", "ndjson"] + captures.map(\.path)
    ).records()
    #expect(records.count == 2 && expected.count == 2)
    for record in records {
      let stamp = try #require(record["stamp"].uint64)
      let facts = try #require(expected[stamp])
      // Times are by the first capture's clock, as exact as the alignment (7 ms) and the radio.
      try compare(record, facts, captures[0], within: 0.1)
    }
  }

  @Test("connections are up and down when the applications saw them open and close")
  func connections() throws {
    var count = 0
    // Captures of the other sessions begin in the middle, or their devices change addresses.
    for capture in try Self.captures()
    where !capture.file.contains("from-bravo")
      && ["a", "d", "e", "k", "l", "m"].contains(capture.session.prefix(1))
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
    where ["e-churn", "e-churn-five", "l-mesh", "m-mesh-three"].contains(capture.session)
      && capture.isHCI
    {
      let records = try CommandRun(["emergencies", "-q", "-f", "ndjson", capture.path]).records()
      let connections = capture.truth["connections"].array ?? []
      for node in records.flatMap({ $0["nodes"].array ?? [] }) {
        for gap in node["down"].array ?? [] {
          let from = try seconds(gap["from"], capture)
          #expect(connections.contains { abs(($0["closed_s"].double ?? 0) - from) < 0.3 })
          if !gap["until"].isNull {
            let until = try seconds(gap["until"], capture)
            #expect(connections.contains { abs(($0["opened_s"].double ?? 0) - until) < 0.3 })
          }
        }
      }
      guard let record = records.first, capture.session.hasPrefix("e-churn") else { continue }
      // BRAVO-2 and CHARLIE-3 were both away when it was raised, or soon after, and came back.
      let returned = (record["nodes"].array ?? []).filter { node in
        (node["down"].array ?? []).contains { !$0["until"].isNull }
      }
      #expect(Set(returned.compactMap { $0["callsign"].string }) == ["BRAVO-2", "CHARLIE-3"])
    }
  }
}
