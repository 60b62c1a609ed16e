import BluetoothProtocols
import WireBytes

/// Packets of one link as a receiver without radio header stores them (link type 251).
struct AirLink {
  static let addressBytes: [UInt8] = [0x5C, 0xE7, 0x83, 0x7E]
  static let accessAddress: UInt32 = 0x7E83_E75C
  var initial: UInt32 = 0x12_3456

  /// A data PDU: access address, header, length, payload, check.
  func packet(
    _ kind: UInt8, sequence: UInt8, expected: UInt8, _ payload: [UInt8] = []
  ) -> [UInt8] {
    let header = kind | expected << 2 | sequence << 3
    return AirLink.addressBytes + AirLink.checked([header], payload, initial)
  }

  /// The bytes of a PDU with length and check.
  static func checked(_ header: [UInt8], _ payload: [UInt8], _ initial: UInt32) -> [UInt8] {
    let pdu = header + [UInt8(payload.count)] + payload
    var crc = CRC24(initial: initial)
    crc.add(pdu.rawBytes)
    return pdu + (0..<3).map { UInt8(truncatingIfNeeded: crc.value >> (8 * UInt32($0))) }
  }

  /// A CONNECT_IND for this link.
  var connectionRequest: [UInt8] {
    let check = (0..<3).map { UInt8(truncatingIfNeeded: initial >> (8 * UInt32($0))) }
    let body: [UInt8] =
      [1, 2, 3, 4, 5, 0xC6] + [0xA, 0xB, 0xC, 0xD, 0xE, 0xCF] + AirLink.addressBytes + check
      + [2, 1, 0, 24, 0, 0, 0, 44, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 0xA7]
    return [0xD6, 0xBE, 0x89, 0x8E] + AirLink.checked([0xC5], body, 0x55_5555)
  }
}

/// Feeds packets to a follower, one connection event of 30 ms each unless told otherwise.
struct Listener {
  var follower = LinkFollower()
  var time: Int64 = 1_000_000_000_000_000_000
  var frame = 0

  mutating func hear(
    _ bytes: [UInt8], after gap: Int64 = 30_000_000, radio: RadioInformation = RadioInformation()
  ) throws -> LinkFollower.Step {
    frame += 1
    time += gap
    var reader = ByteReader(bytes.rawBytes, layer: .linkLayer)
    let packet = try LinkLayerPacket(&reader)
    if packet.isAdvertising {
      if case .connectionRequest(let request) = try AdvertisingPDU(packet) {
        follower.begin(
          request, adapter: 0, frame: frame, time: Timestamp(nanoseconds: time))
      }
      return .passedOver
    }
    return follower.follow(
      packet, radio, adapter: 0, frame: frame, time: Timestamp(nanoseconds: time))
  }

  /// Follows the packets that waited.
  mutating func hearHeld() -> [LinkFollower.Step] {
    follower.takeHeld().map { held in
      follower.follow(
        LinkLayerPacket(held), held.radio, adapter: 0, frame: held.frame, time: held.time)
    }
  }
}
