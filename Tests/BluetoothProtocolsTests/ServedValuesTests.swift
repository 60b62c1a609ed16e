import BluetoothProtocols
import Testing
import WireBytes

@Suite struct ServedValuesTests {
  private static let value = ServedValues.Value(
    handle: 0x0102, characteristic: BluetoothUUID(0xF47B), service: BluetoothUUID(0xF47A))

  /// What an event says; nil where it is no such note.
  private func read(_ bytes: [UInt8]) throws -> ServedValues? {
    var reader = ByteReader(bytes.rawBytes, layer: .hci)
    guard case .served(let note) = try HCIEvent(&reader) else { return nil }
    return note
  }

  @Test("a note of served values is laid out as formats.md 8 says, and read again")
  func layout() throws {
    let note = ServedValues([ServedValuesTests.value])
    let base: [UInt8] = [0xFB, 0x34, 0x9B, 0x5F, 0x80, 0, 0, 0x80, 0, 0x10, 0, 0]
    let expected: [UInt8] =
      [0xFF, 47] + Array("peat-inspect".utf8) + [1] + [0x02, 0x01] + base + [0x7B, 0xF4, 0, 0]
      + base + [0x7A, 0xF4, 0, 0]
    #expect(note.packet == HCIPacket(.event, expected))
    #expect(try read(expected) == note)
  }

  @Test("seven values have room, and what is cut or another vendor's is passed over")
  func bounds() throws {
    let many = ServedValues(Array(repeating: ServedValuesTests.value, count: 9))
    #expect(many.values.count == 7)
    #expect(try read(many.packet.bytes) == many)
    var cut = Array(many.packet.bytes.dropLast(1))
    cut[1] -= 1
    #expect(try read(cut)?.values.count == 6)
    for other in [[0xFF, 0], [0xFF, 3, 1, 2, 3], [0xFF, 4] + Array("peat".utf8)] as [[UInt8]] {
      #expect(try read(other) == nil)
    }
  }
}
