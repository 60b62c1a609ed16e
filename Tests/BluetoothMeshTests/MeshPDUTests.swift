import BluetoothMesh
import PeatTestSupport
import Testing
import WireBytes

/// PDUs of the mesh that no key is needed for; expectations from the specification's sections.
struct MeshPDUTests {
  private func read<Value>(
    _ bytes: [UInt8], _ make: (inout ByteReader) throws -> Value
  ) throws -> Value {
    var reader = ByteReader(bytes.rawBytes, layer: .mesh)
    return try make(&reader)
  }

  @Test func `proxy messages are put together, and disorder is told`() throws {
    func pdu(_ bytes: [UInt8]) throws -> ProxyPDU { try read(bytes) { try ProxyPDU(&$0) } }
    let time = Timestamp(nanoseconds: 0)
    var assembler = ProxyReassembler()
    #expect(assembler.take(try pdu([0x00, 1, 2]), at: time) == .message(.network, [1, 2]))
    #expect(assembler.take(try pdu([0x43, 1]), at: time) == .waiting)
    #expect(assembler.take(try pdu([0x83, 2]), at: time) == .waiting)
    #expect(assembler.take(try pdu([0xC3, 3]), at: time) == .message(.provisioning, [1, 2, 3]))
    // The last part without a first; another type within; a first within.
    #expect(assembler.take(try pdu([0xC0, 3]), at: time) == .outOfOrder)
    #expect(assembler.take(try pdu([0x40, 3]), at: time) == .waiting)
    #expect(assembler.take(try pdu([0x82, 3]), at: time) == .outOfOrder)
    #expect(assembler.take(try pdu([0x40, 3]), at: time) == .waiting)
    #expect(assembler.take(try pdu([0x40, 4]), at: time) == .outOfOrder)
    // 20 s from the first to the last.
    #expect(assembler.take(try pdu([0x41, 4]), at: time) == .waiting)
    let late = Timestamp(nanoseconds: 20_000_000_001)
    #expect(assembler.take(try pdu([0xC1, 4]), at: late) == .abandoned)
    #expect(throws: DecodeError.self) { try pdu([0x04, 1]) }
    #expect(throws: DecodeError.self) { try pdu([]) }
  }

  @Test func `segments name their message, and impossible ones are refused`() throws {
    // 8.3.6: SEQ 3129AC, SeqZero 09AB is of SeqAuth 3129AB.
    let bytes = try #require(hexBytes("8026ac21cfdc18c52fdef772e0e17308"))
    guard
      case .segment(let segment) = try read(bytes, { try LowerTransportPDU(&$0, isControl: false) })
    else {
      Issue.record("no segment")
      return
    }
    #expect(segment.sequenceZero == 0x09AB && segment.index == 1 && segment.last == 1)
    #expect(segment.messageSequence(of: 0x31_29AC) == 0x31_29AB)
    #expect(segment.messageSequence(of: 5) == nil)
    // Index above the last; cut.
    for text in ["8026ac41cfdc", "8026ac01", "8026"] {
      let wrong = try #require(hexBytes(text))
      #expect(throws: DecodeError.self) {
        try read(wrong) { try LowerTransportPDU(&$0, isControl: false) }
      }
    }
  }

  @Test func `acknowledgments say which segments came`() throws {
    // 8.3.7 and 8.3.9: blocks 2 and 3 of a message of two segments.
    for (text, isComplete) in [("00a6ac00000002", false), ("00a6ac00000003", true)] {
      let bytes = try #require(hexBytes(text))
      guard
        case .acknowledgment(let found) = try read(
          bytes, { try LowerTransportPDU(&$0, isControl: true) })
      else {
        Issue.record("no acknowledgment")
        return
      }
      #expect(found.isOnBehalf && found.sequenceZero == 0x09AB)
      #expect(found.isComplete(last: 1) == isComplete)
    }
  }

  @Test func `opcodes have one to three bytes and names`() throws {
    func message(_ text: String) throws -> AccessMessage {
      let bytes = try #require(hexBytes(text))
      return try read(bytes) { try AccessMessage(&$0) }
    }
    let add = try message("0056341263964771734fbd76e3b40519d1d94a48")
    #expect(add.opcode == 0 && add.name == "ConfigAppKeyAdd" && add.parameters.count == 19)
    let vendor = try message("d50a0048656c6c6f")
    #expect(vendor.opcode == 0xD5_0A00 && vendor.company == 0x000A && vendor.name == nil)
    #expect(vendor.parameters == Array("Hello".utf8))
    #expect(try message("8201").name == "GenericOnOffGet")
    #expect(try message("bfff").name == nil)
    for text in ["7f", "82", "c0", "c000", ""] {
      #expect(throws: DecodeError.self) { try message(text) }
    }
  }

  @Test func `generic provisioning is put together, whatever is sent again`() throws {
    // What BlueZ's meshd sent (Neighbours/mesh-adv): an invitation in one PDU, a public key in three.
    #expect(CheckSequence.value(of: [0x00, 0x1E]) == 226)
    func pdu(_ bytes: [UInt8]) throws -> GenericProvisioningPDU {
      try read([0xAC, 0xC7, 0x74, 0x80] + bytes) { try GenericProvisioningPDU(&$0) }
    }
    func sent(_ text: String) throws -> GenericProvisioningPDU {
      let bytes = try #require(hexBytes(text))
      return try pdu(Array(bytes.dropFirst(4)))
    }
    let start = try sent("acc77480020800414303d337482d0177bde380acc5afe9efa1f7bcfe98")
    let second = try sent("acc774800206a5da335a9c38ae0ec5e4faeb250d4aacbd9013f2980245")
    let third = try sent("acc77480020a42f6fe76ee8a75a6deb23cb900be22663f6affb679ed")
    var transactions = ProvisioningTransactions()
    #expect(transactions.take(third) == .waiting)
    #expect(transactions.take(second) == .waiting)
    #expect(transactions.take(third) == .waiting)
    guard case .whole(let key) = transactions.take(start) else {
      Issue.record("no public key")
      return
    }
    #expect(key.count == 65 && key[0] == 3 && key.suffix(2) == [0x79, 0xED])
    #expect(transactions.take(start) == .waiting)
    let wrong = try pdu([0x81, 0x00, 0, 2, 0xE3, 0x00, 0x1E])
    #expect(transactions.take(wrong) == .damaged)
    #expect(
      try pdu([0, 3] + [UInt8](repeating: 7, count: 16)).content
        == .open(uuid: .init(repeating: 7, count: 16)))
    #expect(try pdu([0, 0x0B, 2]).content == .close(reason: 2))
  }

  @Test func `provisioning PDUs have their type's length`() throws {
    func provisioning(_ bytes: [UInt8]) throws -> ProvisioningPDU {
      try read(bytes) { try ProvisioningPDU(&$0) }
    }
    #expect(try provisioning([9, 5]) == .failed(reason: 5))
    #expect(ProvisioningPDU.words(reason: 5) == "confirmation failed")
    guard case .capabilities(let found) = try provisioning([1, 2, 0, 3, 1, 3, 4, 0, 5, 6, 0, 7])
    else {
      Issue.record("no capabilities")
      return
    }
    #expect(found.elements == 2 && found.algorithms == 3 && found.outOfBandTypes == 3)
    #expect(found.outputSize == 4 && found.inputActions == 7)
    for bytes in [[], [0], [5, 1], [0x0E], [4, 0]] as [[UInt8]] {
      #expect(throws: DecodeError.self) { try provisioning(bytes) }
    }
  }

  @Test func `proxy configuration is big-endian`() throws {
    func configuration(_ bytes: [UInt8]) throws -> ProxyConfiguration {
      try read(bytes) { try ProxyConfiguration(&$0) }
    }
    #expect(
      try configuration([1, 0xC0, 0, 0xFF, 0xFF])
        == .add([MeshAddress(0xC000), MeshAddress(0xFFFF)]))
    #expect(try configuration([3, 1, 0, 2]) == .status(.reject, size: 2))
    for bytes in [[0], [0, 2], [1, 0xC0], [3, 0, 1], [0, 0, 0]] as [[UInt8]] {
      #expect(throws: DecodeError.self) { try configuration(bytes) }
    }
  }
}
