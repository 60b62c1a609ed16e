import CaptureFormats
import PeatDissection
import PeatTestSupport
import Testing

/// Packets that a reader passes over change nothing of what is found.
///
/// The same packets are read twice: a hundredth of a second apart, where all that nobody wants is
/// passed over, and two seconds apart, where each packet is lent out and looked at.
struct PassedTrafficTests {
  /// Numbers that look random and are the same each time (Knuth's MMIX).
  private struct Dice {
    var state: UInt64

    mutating func below(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(below(256)) } }
  }

  private static let links = 5

  /// An ATT PDU, whole or in fragments of 27 bytes.
  private static func att(
    _ recording: inout Recording, _ link: UInt16, _ pdu: [UInt8], _ isReceived: Bool, room: Int
  ) {
    let frame = Recording.little(UInt64(pdu.count), 2) + [4, 0] + pdu
    for start in stride(from: 0, to: frame.count, by: room) {
      let part = frame[start..<min(start + room, frame.count)]
      let boundary: UInt64 = start > 0 ? 0x1000 : isReceived ? 0x2000 : 0
      recording.packet(
        2,
        Recording.little(UInt64(link) | boundary, 2) + Recording.little(UInt64(part.count), 2)
          + part,
        isReceived: isReceived)
    }
  }

  /// A server's table: one wanted characteristic at 16, seven others, a descriptor at 40.
  private static func discover(_ recording: inout Recording, _ link: UInt16) {
    recording.discover(link, handle: 16)
    for handle in stride(from: UInt64(20), to: 34, by: 2) {
      recording.l2cap(
        link, [0x08] + Recording.little(handle - 1, 2) + [0xFF, 0xFF, 0x03, 0x28],
        isReceived: false)
      recording.l2cap(
        link,
        [0x09, 7] + Recording.little(handle - 1, 2) + [0x1A] + Recording.little(handle, 2)
          + Recording.little(0x2A37 + handle, 2), isReceived: true)
    }
    recording.l2cap(link, [0x04, 40, 0, 40, 0], isReceived: false)
    recording.l2cap(link, [0x05, 1, 40, 0, 0x02, 0x29], isReceived: true)
    recording.l2cap(link, [0x08, 40, 0, 0xFF, 0xFF, 0x03, 0x28], isReceived: false)
    recording.l2cap(link, [0x01, 0x08, 40, 0, 0x0A], isReceived: true)
  }

  /// More values on unnamed handles than wait in memory, so that they are counted in a second reading.
  private static func traffic(seed: UInt64) -> Recording {
    var dice = Dice(state: seed)
    var recording = Recording()
    for link in 0..<links {
      recording.connect(UInt16(0x40 + link), peer: 0xC0DE_0000_0000 + UInt64(link))
      // The last two are bonded: nothing names their handles.
      if link < links - 2 { discover(&recording, UInt16(0x40 + link)) }
    }
    for _ in 0..<16_000 {
      let link = UInt16(0x40 + dice.below(links))
      let room = dice.below(4) == 0 ? 27 : 1021
      let handle = Recording.little(UInt64(16 + 2 * dice.below(10)), 2)
      let value = dice.bytes(1 + dice.below(60))
      func send(_ pdu: [UInt8], _ isReceived: Bool) {
        att(&recording, link, pdu, isReceived, room: room)
      }
      switch dice.below(20) {
      case 0...3: send([0x1B] + handle + value, true)
      case 4...5: send([0x52] + handle + value, false)
      case 6...8:
        send([0x12] + handle + value, false)
        if dice.below(5) > 0 { send([0x13], true) }
      case 9...10:
        send([0x0A] + handle, false)
        send([0x0B] + value.prefix(22), true)
      case 11:
        send([0x0C] + handle + [UInt8(dice.below(30)), 0], false)
        send([0x0D] + value.prefix(22), true)
      case 12:
        send([0x12] + handle + value, false)
        send([0x01, 0x12] + handle + [0x0E], true)
      case 13:
        for part in 0..<2 {
          send([0x16] + handle + [UInt8(part * 5), 0] + value.prefix(5), false)
          send([0x17] + handle + [UInt8(part * 5), 0] + value.prefix(5), true)
        }
        send([0x18, UInt8(dice.below(2))], false)
        send([0x19], true)
      case 14: send([0x1D] + handle + value, true)
      case 15: send([0x23] + handle + Recording.little(UInt64(value.count), 2) + value, true)
      case 16:
        send([0x20] + handle + [18, 0], false)
        send([0x21, 2, 0, 7, 7, 1, 0, 9], true)
      case 17:
        if dice.below(20) == 0 {
          discover(&recording, link)
        } else {
          recording.packet(4, [0x13, 5, 1, UInt8(link), 0, 1, 0], isReceived: true)
        }
      case 18:
        recording.packet(1, [0x09, 0x10, 0], isReceived: false)
        // A fragment whose packet nobody finishes, now and then.
        if dice.below(10) == 0 {
          recording.packet(
            2,
            Recording.little(UInt64(link) | 0x2000, 2) + [20, 0, 60, 0, 4, 0, 0x1B] + handle
              + dice.bytes(13), isReceived: true)
        }
      default:
        if dice.below(40) == 0 {
          recording.disconnect(link)
          recording.connect(link, peer: 0xC0DE_0000_0000 + UInt64(link))
        } else {
          send([0xD2] + handle + value + dice.bytes(12), false)
        }
      }
    }
    return recording
  }

  /// The same records two seconds apart: a btsnoop record's length stands at 4, its time at 16.
  private static func stretched(_ bytes: [UInt8]) -> [UInt8] {
    func big(_ place: Int, _ count: Int) -> UInt64 {
      bytes[place..<place + count].reduce(0) { $0 << 8 | UInt64($1) }
    }
    var slow = bytes
    var place = 16
    var number: UInt64 = 0
    let first = big(32, 8)
    while place < bytes.count {
      let time = first + number * 2_000_000
      for byte in 0..<8 {
        slow[place + 16 + byte] = UInt8(truncatingIfNeeded: time >> UInt64(56 - 8 * byte))
      }
      place += 24 + Int(big(place + 4, 4))
      number += 1
    }
    return slow
  }

  private struct Found: Equatable {
    var values: [String] = []
    var unnamed: [UnnamedHandle] = []
    var traffic = ""
    var frames = 0
    var connections = 0
    var notices: [String] = []
  }

  private static func found(_ bytes: [UInt8]) throws -> Found {
    var dissector = CaptureDissector(
      reader: try CaptureReader(bytes: bytes, name: "made"), options: .init())
    var found = Found()
    while let value = try dissector.next() {
      let outcome = value.outcome.map { "\($0)" } ?? ""
      found.values.append(
        "\(value.frame) \(value.frames) \(value.link.id) \(value.handle) \(value.opcode) \(outcome) "
          + "\(value.payload)")
    }
    found.notices = dissector.takeNotices().map { "\($0.frame) \($0.code) \($0.text)" }
    found.unnamed = dissector.unnamedHandles
    found.traffic = "\(dissector.traffic)"
    found.frames = dissector.frameCount
    found.connections = dissector.connectionCount
    return found
  }

  @Test("what is found is the same whether packets are passed over or each is looked at")
  func sameFindings() throws {
    for seed in UInt64(1)...3 {
      let recording = Self.traffic(seed: seed)
      let quick = try Self.found(recording.bytes)
      let slow = try Self.found(Self.stretched(recording.bytes))
      #expect(quick.values == slow.values && quick.values.count > 300)
      #expect(quick.unnamed == slow.unnamed && quick.unnamed.count > 10)
      #expect(quick.traffic == slow.traffic && quick.frames == slow.frames)
      #expect(quick.connections == slow.connections)
      #expect(quick.notices == slow.notices)
    }
  }
}
