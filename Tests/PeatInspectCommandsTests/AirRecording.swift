import BluetoothProtocols
import Foundation
import PeatTestSupport

/// A pcap file of a sniffer (link types 251, 256 and 272), taken apart to be changed.
struct AirRecording {
  struct Packet {
    /// Microseconds since 1970.
    var time: Int
    /// What is in front of the access address.
    var header: [UInt8]
    /// The link-layer packet from its access address on.
    var bytes: [UInt8]

    /// Whether it is a data PDU that is not empty.
    var carriesData: Bool { !isAdvertising && bytes[5] > 0 }
    var isAdvertising: Bool { bytes.prefix(4) == [0xD6, 0xBE, 0x89, 0x8E] }
    var payload: [UInt8] { Array(bytes[6..<(6 + Int(bytes[5]))]) }

    /// Sets the flags of link type 256.
    mutating func change(flags: UInt16, clearing: UInt16 = 0) {
      let old = UInt16(header[8]) | UInt16(header[9]) << 8
      let new = old & ~clearing | flags
      header[8] = UInt8(new & 0xFF)
      header[9] = UInt8(new >> 8)
    }

    /// Gives it another payload; the check is that of the start value.
    mutating func change(payload: [UInt8], initial: UInt32) {
      let pdu = [bytes[4], UInt8(payload.count)] + payload
      var crc = CRC24(initial: initial)
      crc.add(pdu.rawBytes)
      bytes = bytes[..<4] + pdu + (0..<3).map { UInt8(truncatingIfNeeded: crc.value >> (8 * $0)) }
    }
  }

  var linkType: UInt8 = 0
  var packets: [Packet] = []

  /// Reads a little-endian file with microseconds, as all in `BugReports2` are.
  init(_ folder: String, _ file: String) throws {
    let url = TestData.testsFolder.appendingPathComponent("BugReports2/\(folder)/\(file)")
    let bytes = [UInt8](try Data(contentsOf: url))
    func u32(_ place: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) } }
    linkType = UInt8(u32(20) & 0xFF)
    let isLong = u32(20) > 255
    var place = 24
    while place < bytes.count {
      let length = u32(place + 8)
      let data = Array(bytes[(place + 16)..<(place + 16 + length)])
      let front = isLong ? (linkType == 0 ? 10 : 17) : 0
      packets.append(
        Packet(
          time: u32(place) * 1_000_000 + u32(place + 4), header: Array(data[..<front]),
          bytes: Array(data[front...])))
      place += 16 + length
    }
  }

  /// The start value of the link's checks, from CONNECT_IND.
  var initial: UInt32 {
    guard let request = packets.first(where: { $0.bytes[4] & 0x0F == 5 && $0.isAdvertising }) else {
      return 0
    }
    return (0..<3).reduce(0) { $0 | UInt32(request.payload[16 + $1]) << (8 * UInt32($1)) }
  }

  /// The file with link type 256, or 251 without the headers, or as it was read.
  func file(_ linkType: Int) -> [UInt8] {
    func le(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var bytes: [UInt8] = [0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0] + le(0, 8) + le(65535, 4)
    bytes += le(linkType, 4)
    for packet in packets {
      let data = (linkType == 251 ? [] : packet.header) + packet.bytes
      bytes += le(packet.time / 1_000_000, 4) + le(packet.time % 1_000_000, 4)
      bytes += le(data.count, 4) + le(data.count, 4) + data
    }
    return bytes
  }
}
