import BluetoothProtocols
import Testing
import WireBytes

struct CRC24Tests {
  @Test("the catalogue's check value of CRC-24/BLE comes out")
  func catalogue() {
    // Catalogue of parametrised CRC algorithms, CRC-24/BLE: init 555555, check C25A56 over "123456789".
    var crc = CRC24(initial: CRC24.advertisingInitial)
    crc.add(Array("123456789".utf8).rawBytes)
    #expect(crc.value == 0xC25A56)
  }

  @Test("a packet's start value is found again from its bytes")
  func startValue() throws {
    for initial: UInt32 in [0, 1, 0x55_5555, 0x80_0000, 0xFF_FFFF, 0xC0_FFEE] {
      let bytes = AirLink(initial: initial).packet(2, sequence: 1, expected: 0, [3, 0, 4, 0, 9])
      var reader = ByteReader(bytes.rawBytes, layer: .linkLayer)
      let packet = try LinkLayerPacket(&reader)
      #expect(packet.impliedInitial == initial)
      #expect(packet.hasValidCheck(initial: initial) == true)
      #expect(packet.hasValidCheck(initial: initial ^ 1) == false)
    }
  }
}
