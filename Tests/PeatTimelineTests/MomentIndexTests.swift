import CaptureFormats
import PeatDissection
import PeatProtocol
import PeatReplay
import PeatTestSupport
import PeatTimeline
import Testing
import WireBytes

@Suite struct MomentIndexTests {
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

  /// The index of some captures, and the time of each row.
  private func index(
    _ files: [String], maximumRepetitions: Int = 1 << 16
  ) throws -> (MomentIndex, [Timestamp]) {
    let streams = try files.map { file in
      CaptureStream(
        file: file, reader: try CaptureReader(path: Self.path(file)), options: DissectionOptions())
    }
    _ = try Alignment(streams, options: Alignment.Options())
    var timeline = Timeline(streams: streams, opener: NoKeys())
    var index = MomentIndex(maximumRepetitions: maximumRepetitions)
    var times: [Timestamp] = []
    while let row = timeline.next() {
      index.add(row)
      times.append(row.value.time ?? Timestamp(nanoseconds: 0))
    }
    return (index, times)
  }

  @Test(.enabled(if: PythonScript.isAvailable, "needs python3"))
  func `states at moments equal a replay of the truth by a script`() throws {
    for mesh in Self.meshes {
      let (index, times) = try index(mesh.files)
      let moments =
        try PythonScript.run(
          "replay.py", [Self.path("\(mesh.session).truth.json")] + mesh.files
        ).array ?? []
      #expect(moments.count >= 20)
      for moment in moments {
        let messages = try #require(moment["messages"].int)
        let state = index.state(at: times[messages - 1])
        let name = "\(mesh.session) after \(messages)"
        check(state.mesh, moment["mesh"], name)
        let nodes = moment["nodes"].object ?? [:]
        #expect(Set(state.knowledge.keys.map(\.description)) == Set(nodes.keys), "\(name)")
        for (node, known) in state.knowledge {
          check(known, moment["nodes"][node.description], "\(name), \(node)")
        }
      }
    }
  }

  private func check(_ state: MeshState, _ expected: JSON, _ name: String) {
    var counter: [String: Int] = [:]
    for entry in state.counter.entries {
      counter[entry.node.description] = Int(clamping: entry.count)
    }
    #expect(counter == (expected["counter"].object ?? [:]).compactMapValues(\.int), "\(name)")
    #expect(Int(clamping: state.total) == expected["total"].int, "\(name)")
    let versions = (expected["versions"].object ?? [:]).compactMapValues(\.int)
    let found = Dictionary(
      uniqueKeysWithValues: state.nodes.map { ($0.key.description, Int($0.value.version)) })
    #expect(found == versions, "\(name)")
    let emergency = expected["emergency"]
    #expect(state.emergency?.source.description == emergency["source"].string, "\(name)")
    #expect(state.emergency.map { Int(clamping: $0.time) } == emergency["time"].int, "\(name)")
    #expect(
      (state.emergency?.acked ?? []).map(\.description)
        == (emergency["acked"].array ?? []).compactMap(\.string), "\(name)")
    #expect(
      (state.emergency?.pending ?? []).map(\.description)
        == (emergency["pending"].array ?? []).compactMap(\.string), "\(name)")
  }

  @Test func `any moment is the replay of the rows until then`() throws {
    let (index, times) = try index(["l-mesh.h4.btsnoop"])
    #expect(index.state(at: Timestamp(nanoseconds: 0)).mesh.messages == 0)
    for count in [1, 255, 256, 257, 511, 512, 513, 800, times.count] {
      let until = times[count - 1]
      #expect(index.state(at: until).mesh.messages == times.count { $0 <= until })
    }
    #expect(index.end.mesh.messages == times.count)
  }

  @Test func `when repetitions are let go, counters and emergencies stay exact`() throws {
    let (exact, times) = try index(["l-mesh.h4.btsnoop"])
    let (coarse, _) = try index(["l-mesh.h4.btsnoop"], maximumRepetitions: 20)
    #expect(coarse.isCoarse)
    for place in stride(from: 0, to: times.count, by: 40) {
      let time = times[place]
      let one = exact.state(at: time).mesh
      let other = coarse.state(at: time).mesh
      #expect(one.counter == other.counter)
      #expect(one.emergency == other.emergency)
    }
  }
}
