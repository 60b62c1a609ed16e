import PeatProtocol
import PeatTestSupport
import Testing

@Suite struct DocumentVectorTests {
  @Test("document.jsonl: whole documents decode and encode as the reference's")
  func document() throws {
    try decodeAll("document", kind: "document", chat: false)
  }

  @Test("document_invalid.jsonl: damaged documents lose what the reference loses")
  func documentInvalid() throws {
    try decodeAll("document_invalid", kind: "document_invalid", chat: false)
  }

  @Test("document_chat.jsonl: the chat build's reading")
  func documentChat() throws {
    try decodeAll("document_chat", kind: "document_chat", chat: true)
  }

  @Test("document_truncation.jsonl: every prefix of a document")
  func documentTruncation() throws {
    for vector in try TestData.vectors("document_truncation") {
      guard vector.kind == "document_truncation", let whole = vector.hex else {
        Issue.record("\(vector.name): unknown kind \(vector.kind)")
        continue
      }
      checkRuns(vector, upTo: whole.count) { Array(whole.prefix($0)) }
    }
  }

  @Test("document_section_cut.jsonl: every honest length of a section")
  func documentSectionCut() throws {
    for vector in try TestData.vectors("document_section_cut") {
      guard vector.kind == "document_section_cut", let head = vector.input["head"].bytes,
        let body = vector.input["body"].bytes,
        let marker = vector.input["marker"].uint8 ?? vector.input["marker"].bytes?.first
      else {
        Issue.record("\(vector.name): unknown kind \(vector.kind)")
        continue
      }
      checkRuns(vector, upTo: body.count) { length in
        head + [marker, 0, UInt8(length & 0xFF), UInt8(length >> 8)] + body.prefix(length)
      }
    }
  }

  @Test("merge.jsonl: merging as the reference does")
  func merge() throws {
    try mergeAll("merge", kind: "merge", chat: false)
  }

  @Test("merge_chat.jsonl: merging as the reference's chat build does")
  func mergeChat() throws {
    try mergeAll("merge_chat", kind: "merge_chat", chat: true)
  }

  private func decodeAll(_ file: String, kind: String, chat: Bool) throws {
    for vector in try TestData.vectors(file) {
      guard vector.kind == kind, let bytes = vector.hex else {
        Issue.record("\(vector.name): unknown kind \(vector.kind)")
        continue
      }
      let found = DocumentExpectation.differences(bytes, chat: chat, vector.expect)
      if !found.isEmpty { Issue.record("\(vector.name): \(found.joined(separator: ", "))") }
    }
  }

  private func checkRuns(_ vector: Vector, upTo last: Int, _ bytes: (Int) -> [UInt8]) {
    var next = 0
    for run in vector.expect["runs"].array ?? [] {
      guard run["from"].int == next, let to = run["to"].int, to >= next else {
        Issue.record("\(vector.name): run at \(next) does not follow")
        return
      }
      for length in next...to {
        let found = DocumentExpectation.differences(bytes(length), chat: false, run)
        if !found.isEmpty {
          Issue.record("\(vector.name) at \(length): \(found.joined(separator: ", "))")
        }
      }
      next = to + 1
    }
    if next != last + 1 { Issue.record("\(vector.name): runs end at \(next - 1), not \(last)") }
  }

  private func mergeAll(_ file: String, kind: String, chat: Bool) throws {
    for vector in try TestData.vectors(file) {
      guard vector.kind == kind, let base = vector.input["base"].bytes,
        var state = try? Document.decode(base, chat: chat).document
      else {
        Issue.record("\(vector.name): unknown kind \(vector.kind)")
        continue
      }
      let inputs = vector.input["merge"].array ?? []
      let steps = vector.expect["steps"].array ?? []
      if inputs.count != steps.count { Issue.record("\(vector.name): steps do not match") }
      for (index, (input, step)) in zip(inputs, steps).enumerated() {
        guard let other = try? Document.decode(input.bytes ?? [], chat: chat).document else {
          Issue.record("\(vector.name) step \(index): input refused")
          continue
        }
        let isChanged = state.merge(other)
        let holds =
          isChanged == step["changed"].bool && state.version == step["version"].uint32
          && state.counter.total == step["total_count"].uint64
          && state.encoded() == step["state_hex"].bytes
        if !holds { Issue.record("\(vector.name) step \(index): state differs") }
      }
      let found = DocumentExpectation.differences(state, chat: chat, vector.expect["final"])
      if !found.isEmpty {
        Issue.record("\(vector.name) final: \(found.joined(separator: ", "))")
      }
    }
  }
}
