import BluetoothProtocols
import Testing

@testable import BluetoothHost

/// One host with a controller that the test plays by hand.
@Suite struct HostTests {
  private static func host() -> Host {
    let search = CharacteristicSearch(
      rank: { $0 == BluetoothUUID(0xF47A) ? 0 : nil },
      use: { uuid, _ in uuid == BluetoothUUID(0xF47B) ? [.source, .sink] : [] })
    return Host(
      HostConfiguration(search: search, database: AttributeDatabase(deviceName: "X")))
  }

  /// A host that runs on a controller with two buffers of 27 bytes, and has one link, handle 1.
  private static func linked(isCentral: Bool, has2M: Bool = false) -> Host {
    var host = HostTests.host()
    host.start(now: 0)
    for _ in 0..<40 where host.phase == .starting {
      for packet in host.takeOutput() {
        let opcode = Array(packet.bytes[0..<2])
        let result: [UInt8] =
          switch opcode {
          case [0x02, 0x20]: [0, 27, 0, 2]
          case [0x09, 0x10]: [0, 1, 2, 3, 4, 5, 6]
          // Bit 8: LE 2M PHY (Vol 6 Part B, 4.6).
          case [0x03, 0x20]: [0, 0, has2M ? 1 : 0, 0, 0, 0, 0, 0, 0]
          default: [0]
          }
        host.receive(.event(0x0E, [1] + opcode + result), now: 0)
      }
    }
    let role: UInt8 = isCentral ? 0 : 1
    host.receive(
      .event(0x3E, [1, 0, 1, 0, role, 1, 9, 9, 9, 9, 9, 0xC9, 24, 0, 0, 0, 0x90, 1, 0]), now: 1)
    _ = host.takeEvents()
    return host
  }

  private static func frame(_ channel: UInt16, _ payload: [UInt8]) -> HCIPacket {
    .acl(
      handle: 1, boundary: .firstFlushable,
      L2CAPEncoder.frame(channel: channel, payload)[...])
  }

  /// The payloads of the frames that go out, with their channel.
  private static func sent(_ host: inout Host) -> [[UInt8]] {
    host.takeOutput().filter { $0.type == .acl }.map { Array($0.bytes[6...]) }
  }

  @Test("a controller without an answer fails the host, and says for which command")
  func silence() {
    var host = HostTests.host()
    host.start(now: 0)
    #expect(host.takeOutput() == [.command(.reset)])
    host.tick(now: 7_999)
    #expect(host.takeEvents() == [])
    host.tick(now: 8_000)
    #expect(host.takeEvents() == [.failed(.silent(.reset, seconds: 8))])
    #expect(
      "\(HostFailure.silent(.reset, seconds: 8))"
        == "the controller does not answer HCI_Reset within 8 s")
  }

  @Test("a link goes on without an answer to what would only make it better")
  func improvement() {
    var host = HostTests.linked(isCentral: true, has2M: true)
    #expect(host.takeOutput().contains(.command(.leReadRemoteFeatures, [1, 0])))
    host.setScanning(true, now: 2)
    #expect(host.takeOutput() == [])
    host.tick(now: 2_001)
    #expect(host.takeOutput() == [.command(.leSetScanEnable, [1, 0])])
    #expect(
      host.takeEvents() == [.refused("the controller does not answer command 0x2016: done without")]
    )
  }

  @Test("one command is under way at a time, and none without credit")
  func credits() {
    var host = HostTests.host()
    host.start(now: 0)
    _ = host.takeOutput()
    host.receive(.event(0x0E, [0, 0x03, 0x0C, 0]), now: 1)
    #expect(host.takeOutput() == [])
    // A Command Complete of opcode 0000 only gives credits (Vol 4 Part E, 7.7.14).
    host.receive(.event(0x0E, [1, 0, 0]), now: 2)
    #expect(host.takeOutput() == [.command(.readLocalVersion)])
  }

  @Test("a peripheral's wish for connection parameters is granted where it is valid")
  func parameterUpdate() {
    // Interval 24 to 40, latency 0, timeout 400.
    let valid: [UInt8] = [24, 0, 40, 0, 0, 0, 0x90, 1]
    let invalid: [UInt8] = [24, 0, 12, 0, 0, 0, 0x90, 1]
    var host = HostTests.linked(isCentral: true)
    host.receive(HostTests.frame(5, [0x12, 7, 8, 0] + valid), now: 2)
    let output = host.takeOutput()
    #expect(output.contains { $0.type == .acl && $0.bytes.suffix(6) == [0x13, 7, 2, 0, 0, 0] })
    #expect(
      output.contains(
        .command(.leConnectionUpdate, [1, 0] + valid + [0, 0, 0, 0])))
    host.receive(HostTests.frame(5, [0x12, 8, 8, 0] + invalid), now: 3)
    #expect(host.takeOutput().map { Array($0.bytes.suffix(6)) } == [[0x13, 8, 2, 0, 1, 0]])
    var peripheral = HostTests.linked(isCentral: false)
    peripheral.receive(HostTests.frame(5, [0x12, 9, 8, 0] + valid), now: 2)
    #expect(HostTests.sent(&peripheral) == [[5, 0, 0x01, 9, 2, 0, 0, 0]])
  }

  @Test("signalling and security are answered, with the refusal that belongs to each")
  func refusals() {
    let table: [(String, UInt16, [UInt8], [[UInt8]])] = [
      ("unknown command", 5, [0x50, 1, 0, 0], [[5, 0, 0x01, 1, 2, 0, 0, 0]]),
      ("a reject is not answered", 5, [0x01, 1, 2, 0, 0, 0], []),
      ("wrong length", 5, [0x12, 1, 9, 0, 1], []),
      (
        "channel to close", 5, [0x06, 2, 4, 0, 0x40, 0, 0x41, 0],
        [[5, 0, 0x01, 2, 6, 0, 2, 0, 0x40, 0, 0x41, 0]]
      ),
      ("pairing", 6, [0x01, 3, 0, 1, 16, 1, 1], [[6, 0, 0x05, 0x05]]),
      ("security request", 6, [0x0B, 1], [[6, 0, 0x05, 0x05]]),
      ("pairing failed", 6, [0x05, 8], []),
      ("unknown channel", 0x40, [1, 2, 3], []),
    ]
    for (name, channel, payload, expected) in table {
      var host = HostTests.linked(isCentral: false)
      host.receive(HostTests.frame(channel, payload), now: 2)
      #expect(HostTests.sent(&host) == expected, "\(name)")
    }
  }

  @Test("no more packets are in flight than the controller has buffers")
  func buffers() {
    var host = HostTests.linked(isCentral: false)
    // An answer of 27 bytes or more takes two packets: four bytes of header come on top.
    host.receive(HostTests.frame(4, [0x02, 0x00, 0x01]), now: 2)
    for _ in 0..<3 { host.receive(HostTests.frame(4, [0x0A, 3, 0]), now: 3) }
    #expect(host.takeOutput().count(where: { $0.type == .acl }) == 2)
    host.receive(.event(0x13, [1, 1, 0, 1, 0]), now: 4)
    #expect(host.takeOutput().count(where: { $0.type == .acl }) == 1)
    // More than is in flight gives no more room.
    host.receive(.event(0x13, [1, 1, 0, 99, 0]), now: 5)
    #expect(host.aclCredits + host.links.values.map(\.inFlight).reduce(0, +) == 2)
    host.receive(.event(0x05, [0, 1, 0, 0x13]), now: 6)
    #expect(host.aclCredits == 2)
  }

  @Test("a peer that asks without taking answers is cut off")
  func overflow() {
    var host = HostTests.linked(isCentral: false)
    for time in 0..<20_000 as Range<UInt64> {
      host.receive(HostTests.frame(4, [0x0A, 3, 0]), now: 2 + time)
    }
    #expect((host.links[1]?.waitingBytes ?? 0) <= HostLink.overflow + 64)
    #expect(host.links[1]?.isClosing == true)
  }

  @Test("frames longer than the MTU are passed over, and what follows is read")
  func oversized() {
    var host = HostTests.linked(isCentral: false)
    host.receive(
      .acl(handle: 1, boundary: .firstFlushable, [0xFF, 0xFF, 4, 0, 1, 2, 3]), now: 2)
    for _ in 0..<1_000 {
      host.receive(
        .acl(handle: 1, boundary: .continuing, [UInt8](repeating: 0, count: 200)[...]), now: 3)
    }
    #expect(host.links[1]?.reassembler.bytes.isEmpty == true)
    host.receive(HostTests.frame(4, [0x0A, 3, 0]), now: 4)
    #expect(HostTests.sent(&host) == [[4, 0, 0x0B, 0x58]])
  }

  @Test("random packets do no harm")
  func noise() {
    var dice = Disturbance(seed: 77)
    for isCentral in [false, true] {
      var host = HostTests.linked(isCentral: isCentral)
      host.startClient(1, now: 2)
      for round in 0..<3_000 as Range<UInt64> {
        let bytes = (0..<Int(dice.next(below: 40))).map { _ in UInt8(dice.next(below: 256)) }
        switch dice.next(below: 3) {
        case 0: host.receive(HCIPacket(.acl, bytes), now: round)
        case 1:
          host.receive(
            .event([0x3E, 0x0E, 0x13, 0x05][Int(dice.next(below: 4))], bytes), now: round)
        default: host.receive(HostTests.frame(UInt16(4 + dice.next(below: 3)), bytes), now: round)
        }
        _ = host.takeOutput()
        _ = host.takeEvents()
      }
    }
  }
}
