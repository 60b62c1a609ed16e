import PeatTestSupport
import SMPProtocol
import Testing
import WireBytes

/// Every line of the SMP vectors, and messages in pieces.
struct SMPVectorTests {
  /// A body as the vectors write it: byte strings as `{"hex": ...}`.
  private static func json(_ value: CBORValue) -> JSON {
    switch value {
    case .unsigned, .negative: value.integer.map { .number(Double($0)) } ?? .null
    case .bytes(let bytes): .object(["hex": .string(Hexadecimal.string(bytes))])
    case .text(let text): .string(text)
    case .array(let values): .array(values.map(json))
    case .map(let entries):
      .object(
        Dictionary(entries.map { ($0.key.text ?? "?", json($0.value)) }, uniquingKeysWith: { $1 }))
    case .bool(let value): .bool(value)
    case .float(let value): .number(value)
    case .null, .undefined, .simple: .null
    }
  }

  private static let names: [SMPHeader.Operation: String] = [
    .read: "read", .readResponse: "read_response", .write: "write",
    .writeResponse: "write_response",
  ]

  @Test func `every message reads as it was made`() throws {
    let lines = try TestData.lines("SMPVectors/messages.jsonl")
    #expect(lines.count == 36)
    for line in lines {
      let name = line["name"].string ?? "?"
      let bytes = try #require(line["inputs"]["pdu"].bytes)
      let expected = line["expected"]
      var reader = ByteReader(bytes.rawBytes, layer: .smp)
      let message = try SMPMessage(&reader)
      #expect(Self.names[message.header.operation] == expected["op"].string, "\(name)")
      #expect(Int(message.header.version) == expected["version"].int, "\(name)")
      #expect(Int(message.header.flags) == expected["flags"].int)
      #expect(Int(message.header.length) == expected["length"].int)
      #expect(Int(message.header.group) == expected["group"].int)
      #expect(Int(message.header.sequence) == expected["sequence"].int)
      #expect(Int(message.header.command) == expected["command"].int)
      #expect(Self.json(message.body) == expected["body"], "\(name)")
      #expect(message.trailing == 0 && !message.hasDuplicateKeys)
      // In pieces of any length, as values of an MTU of 23.
      var reassembler = SMPReassembler()
      var steps: [SMPReassembler.Step] = []
      for start in stride(from: 0, to: bytes.count, by: 20) {
        let step = reassembler.take(Array(bytes[start..<min(start + 20, bytes.count)]))
        #expect(!step.hasCut)
        steps.append(step.step)
      }
      #expect(steps.last == .message(bytes) && steps.dropLast().allSatisfy { $0 == .waiting })
      for length in 0..<bytes.count {
        var part = ByteReader(bytes.rawBytes.extracting(0..<length), layer: .smp)
        #expect(throws: DecodeError.self) { try SMPMessage(&part) }
      }
    }
  }

  @Test func `refusals are told in words, in both forms`() throws {
    func refusal(_ text: String) throws -> SMPRefusal? {
      let bytes = try #require(hexBytes(text))
      var reader = ByteReader(bytes.rawBytes, layer: .smp)
      return SMPRefusal(try SMPMessage(&reader).body)
    }
    // The vectors' error lines.
    #expect(try refusal("0300000500010001a162726302")?.words == "no memory")
    let reason = try refusal("0300001200010001a2627263036372736e686261642068617368")
    #expect(reason?.words == "invalid value" && reason?.reason == "bad hash")
    let second = try refusal("0b00001200010000a163657272a26567726f757001627263181c")
    #expect(second?.group == 1 && second?.words == "an image is pending already")
    #expect(try refusal("0300000b00010001a262726300636f66661880") == nil)
  }

  @Test func `images and uploads are read`() throws {
    let lines = try TestData.lines("SMPVectors/messages.jsonl")
    func body(_ name: String) throws -> CBORValue {
      let line = try #require(lines.first { $0["name"].string == name })
      let bytes = try #require(line["inputs"]["pdu"].bytes)
      var reader = ByteReader(bytes.rawBytes, layer: .smp)
      return try SMPMessage(&reader).body
    }
    let images = try #require(SMPImage.all(try body("image state response")))
    #expect(images.map(\.version) == ["1.0.0", "1.1.0"] && images.map(\.slot) == [0, 1])
    #expect(images[0].isActive && images[0].isConfirmed && !images[0].isPending)
    #expect(images[1].isPending && !images[1].isActive && !images[1].isConfirmed)
    let first = try #require(SMPUpload(try body("upload first")))
    #expect(first.offset == 0 && first.length == 600 && first.data.count == 64)
    let next = try #require(SMPUpload(try body("upload next")))
    #expect(next.offset == 64 && next.length == nil && next.version == nil)
  }

  @Test func `a message that begins before the last one is whole cuts it`() throws {
    let long = try #require(hexBytes("0a00000900000000a161646568656c6c6f"))
    let short = try #require(hexBytes("0a00000100000105a0"))
    var reassembler = SMPReassembler()
    #expect(reassembler.take(Array(long.prefix(10))).step == .waiting)
    let step = reassembler.take(short)
    #expect(step.hasCut && step.step == .message(short))
    #expect(reassembler.take([0xFF, 1, 2]).step == .foreign && reassembler.pending == 0)
  }
}
