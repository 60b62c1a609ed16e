import PeatTestSupport
import Testing

@Suite struct MergeCommandVectorTests {
  @Test func `merge gives the reference's steps and bytes for plain documents`() throws {
    try check("merge")
  }

  @Test func `merge gives the reference's steps and bytes for documents with chat`() throws {
    try check("merge_chat")
  }

  private func check(_ file: String) throws {
    for vector in try TestData.vectors(file) {
      guard vector.kind == file else {
        Issue.record("\(vector.name): unknown kind \(vector.kind)")
        continue
      }
      let inputs =
        [vector.input["base"].string].compactMap { $0 }
        + (vector.input["merge"].array ?? []).compactMap(\.string)
      let run = try CommandRun(["merge"], input: .pipe(Array(inputs.joined(separator: "\n").utf8)))
      let record = try #require(try run.records().first, "\(vector.name)")
      let steps = vector.expect["steps"].array ?? []
      let changed = record["changed"].array?.map(\.bool)
      #expect(changed == steps.map { $0["changed"].bool }, "\(vector.name)")
      if let last = steps.last {
        #expect(record["payload"].string == last["state_hex"].string, "\(vector.name)")
      }
      #expect(run.status == 0, "\(vector.name)")
    }
  }
}

@Suite struct MergeCommandTests {
  private let document = "020000000f0e7f2000000000"

  @Test func `what is no document is named, changes nothing and is status 4`() throws {
    let run = try CommandRun(["merge", document, "b2008be53ec900fc6a0a8d0100000000", "zz", "00"])
    let record = try #require(try run.records().first)
    #expect(record["changed"].array?.map(\.bool) == [false, false, false])
    #expect(record["payload"].string == document)
    #expect(run.status == 4)
    let lines = run.standardError.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[0].contains("argument 2: kind delta is no plain document"))
    #expect(lines[1].contains("argument 3"))
    #expect(lines[2].contains("argument 4"))
  }

  @Test func `nothing to merge prints nothing and is status 4`() throws {
    let run = try CommandRun(["merge"], input: .pipe([]))
    #expect(run.output.isEmpty)
    #expect(run.status == 4)
    #expect(!run.standardError.isEmpty)
  }

  @Test func `text tells the steps and the bytes`() throws {
    let other = "0100000078563412010000007856341205000000" + "00000000"
    let run = try CommandRun(["merge", "-f", "text", document, other, other])
    #expect(run.lines.first == "step 1: changed")
    #expect(run.lines[1] == "step 2: nothing new")
    #expect(run.lines.last == "030000000f0e7f2001000000785634120500000000000000")
  }
}
