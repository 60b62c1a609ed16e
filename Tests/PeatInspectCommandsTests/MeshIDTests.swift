import PeatTestSupport
import Testing

/// `--mesh-id`: of a capture of two Peat meshes, one alone.
struct MeshIDTests {
  private typealias Parts = EmergencyParts

  /// BRAVO of the mesh ALFA and CHARLIE of OTTO raise an emergency each; both say their mesh at
  /// the very end.
  private static func mixed(_ capture: inout CaptureBuilder) {
    capture.open(0x40, peer: Parts.bravoAddress)
    capture.open(0x41, peer: Parts.charlieAddress)
    let one = (Parts.bravo, capture.now, [(Parts.bravo, true), (Parts.alpha, false)])
    capture.notify(Parts.document(Parts.bravo, 2, emergency: one), on: 0x40)
    let other = (Parts.charlie, capture.now, [(Parts.charlie, true), (Parts.delta, false)])
    capture.notify(Parts.document(Parts.charlie, 2, emergency: other), on: 0x41)
    capture.advertise(Parts.bravoAddress, Parts.announce("ALFA", Parts.bravo))
    capture.advertise(Parts.charlieAddress, Parts.announce("OTTO", Parts.charlie))
  }

  private func run(_ words: [String]) throws -> CommandRun {
    let folder = try ScratchFolder()
    var capture = CaptureBuilder()
    Self.mixed(&capture)
    return try CommandRun(words + [try folder.write(capture.bytes, "x.btsnoop")])
  }

  @Test(
    "each mesh is told alone by every command, though its name comes last",
    arguments: [
      ("ALFA", EmergencyParts.bravo, 0x40), ("OTTO", EmergencyParts.charlie, 0x41),
    ])
  func each(mesh: String, node: UInt32, handle: Int) throws {
    let id = Parts.id(node)
    func records(_ words: [String]) throws -> [JSON] {
      try run(words + ["-q", "-f", "ndjson", "--mesh-id", mesh]).records()
    }
    #expect(try records([]).map { $0["node"].string } == [id])
    #expect(try records(["emergencies"]).map { $0["source"].string } == [id])
    #expect(try records(["links"]).map { $0["connection"].int } == [handle])
    let state = try records(["state"])
    #expect(state.first?["emergency"]["source"].string == id)
    let found = try records(["check"]) + records(["convergence"])
    // The ids of one mesh's nodes begin alike, its recorder's too, of which nothing was recorded.
    #expect(found.allSatisfy { $0["node"].string?.hasPrefix(id.prefix(2)) ?? true })
    #expect(try records(["stats"]).first?["messages"].int == 1)
  }

  @Test("an unknown mesh is warned of, and what can be read only once is refused")
  func refusals() throws {
    let none = try run(["-f", "ndjson", "--mesh-id", "NONE"])
    #expect(none.status == 0 && none.output.isEmpty)
    #expect(none.standardError.contains("nothing of mesh NONE was recorded"))
    var capture = CaptureBuilder()
    Self.mixed(&capture)
    let piped = try CommandRun(["--mesh-id", "ALFA", "-"], input: .pipe(capture.bytes))
    #expect(piped.status == 2)
    #expect(piped.standardError.contains("--mesh-id reads a capture twice"))
  }
}
