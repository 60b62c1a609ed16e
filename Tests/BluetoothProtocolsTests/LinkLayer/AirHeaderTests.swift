import BluetoothProtocols
import Testing
import WireBytes

/// The headers of link types 256 and 272, by the layouts of formats.md 7.
struct AirHeaderTests {
  private func radio256(_ flags: UInt16, channel: UInt8 = 12) throws -> RadioInformation {
    let bytes: [UInt8] = [
      channel, 0xC4, 0x80, 0, 0xD6, 0xBE, 0x89, 0x8E, UInt8(flags & 0xFF), UInt8(flags >> 8),
    ]
    var reader = ByteReader(bytes.rawBytes, layer: .linkLayer)
    return try RadioInformation(header256: &reader)
  }

  @Test("RF channels are numbered by frequency")
  func channels() throws {
    for (radio, index) in [(0, 37), (1, 0), (11, 10), (12, 38), (13, 11), (38, 36), (39, 39)] {
      #expect(try radio256(0, channel: UInt8(radio)).channel == UInt8(index))
    }
    #expect(try radio256(0, channel: 40).channel == nil)
  }

  @Test("the flags of link type 256 say signal, check and direction")
  func flags() throws {
    #expect(try radio256(0) == RadioInformation(channel: 38))
    #expect(try radio256(0x0002).rssi == -60)
    #expect(try radio256(0x0400).check == .invalid)
    #expect(try radio256(0x0C00).check == .valid)
    #expect(try radio256(0x0800).check == .unknown)
    #expect(try radio256(2 << 7).sender == .central)
    #expect(try radio256(3 << 7).sender == .peripheral)
    #expect(try radio256(1 << 7).sender == nil)
    #expect(try radio256(0x0008).isDecrypted && radio256(0x3008).isDecrypted)
    #expect(try !radio256(0x1008).isDecrypted && radio256(0x1008).isEncrypted)
  }

  @Test("all layouts of Nordic's header give the same, with the padding taken out")
  func nordic() throws {
    let reception: [UInt8] = [10, 3, 37, 60, 7, 0, 1, 2, 3, 4]
    let packet: [UInt8] = [0x5C, 0xE7, 0x83, 0x7E, 2, 3, 0xA, 0xB, 0xC, 1, 2, 3]
    let padded = packet[..<6] + [0x55] + packet[6...]
    let size = UInt8(reception.count + packet.count)
    let front1: [UInt8] = [9, 6, size, 1, 0, 0, 6]
    let front2: [UInt8] = [9, size + 1, 0, 2, 0, 0, 6]
    let front3: [UInt8] = [9, size, 0, 3, 0, 0, 6]
    let legacy: [UInt8] = [0xBE, 0xEF, 6, 0, 0, 0, 0, UInt8(padded.count)]
    let records: [(UInt8, [UInt8])] = [
      (1, front1 + reception + packet), (1, front1 + reception + padded),
      (2, front2 + reception + padded), (3, front3 + reception + packet),
      (0, legacy + reception[1...] + padded), (0, [9] + legacy + reception[1...] + packet),
    ]
    for (version, bytes) in records {
      var reader = ByteReader(bytes.rawBytes, layer: .linkLayer)
      let header = try NordicHeader(&reader)
      #expect(header.version == version && header.eventCounter == 7)
      #expect(
        header.radio
          == RadioInformation(channel: 37, rssi: -60, check: .valid, sender: .central))
      let found = try LinkLayerPacket(&reader, layout: header.layout)
      #expect([UInt8](found.payload) == [0xA, 0xB, 0xC] && found.check == 0x030201)
    }
  }

  @Test("any prefix of any header is refused or read, never more")
  func prefixes() throws {
    let link = AirLink()
    for bytes in [link.connectionRequest, link.packet(2, sequence: 0, expected: 0, [1, 2])] {
      for length in 0..<bytes.count {
        let part = Array(bytes[..<length])
        var reader = ByteReader(part.rawBytes, layer: .linkLayer)
        do throws(DecodeError) {
          let packet = try LinkLayerPacket(&reader)
          #expect(packet.payload.byteCount <= length)
          if packet.isAdvertising { _ = try AdvertisingPDU(packet) }
        } catch {
          #expect(error.offset <= length)
        }
        var nordic = ByteReader(part.rawBytes, layer: .linkLayer)
        _ = try? NordicHeader(&nordic)
        var radio = ByteReader(part.rawBytes, layer: .linkLayer)
        _ = try? RadioInformation(header256: &radio)
      }
    }
  }
}
