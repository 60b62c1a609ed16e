import Foundation
import PeatTestSupport
import Testing

/// `convergence` against a script that works from what the applications wrote down.
@Suite(.enabled(if: PythonScript.isAvailable, "needs python3")) struct ConvergenceTests {
  private static let meshes: [(session: String, files: [String])] = [
    ("l-mesh", ["l-mesh.h4.btsnoop"]),
    (
      "m-mesh-three",
      [
        "m-mesh-three.alpha.h4.btsnoop", "m-mesh-three.bravo.phdr.pcapng",
        "m-mesh-three.echo.monitor.btsnoop",
      ]
    ),
  ]

  private static func path(_ name: String) -> String {
    TestData.captures.appendingPathComponent(name).path
  }

  @Test func `first-seen and known-by times equal the script's`() throws {
    for mesh in Self.meshes {
      let (records, expected, _) = try Self.compute(mesh)
      let updates = records.filter { $0["scope"].string == "update" }
      let wanted = expected["updates"].array ?? []
      #expect(updates.map { $0["update"].string } == wanted.map { $0["update"].string })
      for (found, other) in zip(updates, wanted) {
        let name = "\(mesh.session): \(found["update"].string ?? "?")"
        #expect(found["origin"].string == other["origin"].string, "\(name)")
        #expect(found["author"].string == other["author"].string, "\(name)")
        #expect(Self.never(found) == Self.never(other), "\(name)")
        #expect(Self.isSame(found["time_to_all"], other["time_to_all"]), "\(name)")
        let knowers = found["known_by"].array ?? []
        let others = other["known_by"].array ?? []
        #expect(
          knowers.map { $0["node"].string } == others.map { $0["node"].string }, "\(name)")
        for (knower, same) in zip(knowers, others) {
          #expect(Self.isSame(knower["delay"], same["delay"]), "\(name)")
        }
      }
    }
  }

  @Test func `without the tool's own times the same messages tell the news first`() throws {
    // One capture has one clock, so that the order cannot differ.
    let mesh = Self.meshes[0]
    let (records, byRows, _) = try Self.compute(mesh)
    let expected = try PythonScript.run(
      "convergence.py", [Self.path("\(mesh.session).truth.json")] + mesh.files)
    #expect(expected["order"] == byRows["order"])
    let updates = records.filter { $0["scope"].string == "update" }
    for (found, other) in zip(updates, expected["updates"].array ?? []) {
      let delays = (found["known_by"].array ?? []).compactMap { $0["delay"].double }
      let others = (other["known_by"].array ?? []).compactMap { $0["delay"].double }
      // Applications note the times a moment before or after the recorder.
      #expect(zip(delays, others).allSatisfy { abs($0 - $1) < 0.01 })
      #expect(delays.count == others.count)
    }
  }

  @Test func `the summary's numbers are the script's`() throws {
    for mesh in Self.meshes {
      let (records, expected, _) = try Self.compute(mesh)
      let summary = try #require(records.last { $0["scope"].string == "summary" })
      let wanted = expected["summary"]
      for key in [
        "nodes", "updates", "complete", "messages", "bytes", "redundant_messages",
        "redundant_bytes",
      ] {
        #expect(summary[key].int == wanted[key].int, "\(mesh.session): \(key)")
      }
      for key in ["delay", "time_to_all"] {
        #expect(Self.isSame(quantiles: summary[key], wanted[key]), "\(mesh.session): \(key)")
      }
      let bytes = try #require(summary["bytes_per_update"].double)
      #expect(abs(bytes - (wanted["bytes_per_update"].double ?? 0)) <= 0.01)
      let share = try #require(summary["redundant_share"].double)
      let part = (wanted["redundant_bytes"].double ?? 0) / (wanted["bytes"].double ?? 1)
      #expect(abs(share - part) <= 0.0001)
    }
  }

  @Test func `nodes and links are the script's`() throws {
    for mesh in Self.meshes {
      let (records, expected, _) = try Self.compute(mesh)
      let nodes = records.filter { $0["scope"].string == "node" }
      let wanted = expected["nodes"].array ?? []
      #expect(nodes.map { $0["node"].string } == wanted.map { $0["node"].string })
      for (found, other) in zip(nodes, wanted) {
        #expect(found["learnt"].int == other["learnt"].int)
        #expect(found["missed"].int == other["missed"].int)
        #expect(Self.isSame(quantiles: found["delay"], other["delay"]))
      }
      var links: [String: JSON] = [:]
      for link in records where link["scope"].string == "link" {
        links["\(link["from_end"].string ?? "") \(link["to_end"].string ?? "")"] = link
      }
      let others = expected["links"].array ?? []
      #expect(links.count == others.count)
      for other in others {
        let ends = (other["ends"].array ?? []).compactMap(\.string).joined(separator: " ")
        #expect(links[ends]?["messages"].int == other["messages"].int, "\(ends)")
        #expect(links[ends]?["useful_messages"].int == other["useful"].int, "\(ends)")
        #expect(links[ends]?["bytes"].int == other["bytes"].int, "\(ends)")
      }
    }
  }

  @Test func `an emergency's story names all who saw and acknowledged it`() throws {
    for mesh in Self.meshes {
      let (records, expected, _) = try Self.compute(mesh)
      let stories = records.filter { $0["scope"].string == "emergency" }
      let updates = expected["updates"].array ?? []
      let raised = updates.filter { $0["update"].string?.hasPrefix("emergency:") == true }
      #expect(stories.count == raised.count)
      for (story, update) in zip(stories, raised) {
        let seen = (story["seen_by"].array ?? []).map { $0["node"].string }
        #expect(seen == (update["known_by"].array ?? []).map { $0["node"].string })
        let identity = String((update["update"].string ?? "").dropFirst("emergency:".count))
        let acks = updates.filter {
          $0["update"].string?.hasPrefix("ack:") == true
            && $0["update"].string?.hasSuffix("=\(identity)") == true
        }
        #expect(
          (story["acked_by"].array ?? []).map { $0["node"].string }
            == acks.map { $0["origin"].string })
      }
    }
  }

  @Test func `text and CSV tell the same updates`() throws {
    let mesh = Self.meshes[0]
    let files = mesh.files.map(Self.path)
    let (records, _, _) = try Self.compute(mesh)
    let updates = records.filter { $0["scope"].string == "update" }
    let text = try CommandRun(["convergence"] + files).text
    #expect(text.hasPrefix("\(updates.count) updates among 4 nodes"))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
    let csv = try CommandRun(["convergence", "-f", "csv"] + files).lines
    let pairs = updates.reduce(0) {
      $0 + max(1, ($1["known_by"].array ?? []).count + ($1["never"].array ?? []).count)
    }
    #expect(csv.count == pairs + 1)
    let columns = csv[0].split(separator: ",").count
    #expect(
      csv.allSatisfy { $0.split(separator: ",", omittingEmptySubsequences: false).count == columns }
    )
  }

  @Test func `options choose the updates that count`() throws {
    let files = Self.meshes[0].files.map(Self.path)
    let run = try CommandRun(
      ["convergence", "-f", "ndjson", "--node", "09069148", "--from", "100", "--to", "200"]
        + files)
    let updates = try run.records().filter { $0["scope"].string == "update" }
    #expect(!updates.isEmpty)
    for update in updates {
      #expect(update["origin"].string == "09069148")
      #expect((100...200).contains(update["elapsed"].double ?? 0))
    }
  }

  private static func compute(
    _ mesh: (session: String, files: [String])
  ) throws -> (records: [JSON], expected: JSON, rows: [JSON]) {
    let files = mesh.files.map(path)
    let rows = try CommandRun(["-f", "ndjson"] + files)
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("peat-inspect-rows-\(UUID().uuidString).ndjson")
    try Data(rows.output).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let expected = try PythonScript.run(
      "convergence.py",
      [path("\(mesh.session).truth.json")] + mesh.files + ["--rows", file.path])
    let run = try CommandRun(["convergence", "-f", "ndjson"] + files)
    #expect(run.status == 0)
    return (try run.records(), expected, try rows.records())
  }

  private static func never(_ update: JSON) -> [String] {
    (update["never"].array ?? []).compactMap(\.string)
  }

  /// The script's times are whole microseconds, the tool's may have nanoseconds below.
  private static func isSame(_ found: JSON, _ expected: JSON) -> Bool {
    switch (found.double, expected.double) {
    case (let found?, let expected?): abs(found - expected) < 2.5e-6
    case (nil, nil): true
    case (.some, nil), (nil, .some): false
    }
  }

  private static func isSame(quantiles found: JSON, _ expected: JSON) -> Bool {
    found["count"].int == expected["count"].int
      && ["median", "p95", "worst"].allSatisfy { isSame(found[$0], expected[$0]) }
  }
}
