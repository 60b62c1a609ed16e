import CaptureFormats
import PeatDissection
import PeatTestSupport
import Testing

/// What waits in memory is bounded, and no capture is read without end.
struct MemoryBoundTests {
  private static let peer: UInt64 = 0xE123_757B_B949

  private static func value(_ number: Int, _ size: Int = 1500) -> [UInt8] {
    Recording.document(version: UInt32(number), node: 1, counter: [])
      + [UInt8](repeating: 0xAB, count: size)
  }

  @Test("an unanswered write with much behind it ends, with every value in file order")
  func unansweredWrite() throws {
    var recording = Recording()
    recording.connect(1, peer: Self.peer)
    recording.discover(1, handle: 16)
    recording.l2cap(1, [0x12, 16, 0] + Self.value(1, 20), isReceived: false)
    for number in 2...3000 { recording.notify(1, 16, Self.value(number)) }
    let values = try HandleResolutionTests.values(recording)
    #expect(values.count == 3000)
    #expect(values.map(\.frame) == Array(6...3005))
  }

  @Test("in a second reading an unanswered write begins no third one")
  func secondReading() throws {
    var recording = Recording()
    recording.connect(1, peer: Self.peer)
    // More than a survey's limit on a handle that is named at the end.
    for number in 1...2000 { recording.notify(1, 16, Self.value(number)) }
    recording.l2cap(1, [0x12, 16, 0] + Self.value(1, 20), isReceived: false)
    for number in 1...2000 { recording.notify(1, 16, Self.value(number)) }
    recording.discover(1, handle: 16)
    #expect(try HandleResolutionTests.values(recording).count == 4001)
  }

  @Test("of a flood of notices each one is told, though few are held")
  func notices() throws {
    var recording = Recording()
    recording.connect(1, peer: Self.peer)
    for _ in 1...5000 { recording.packet(2, [1, 0x10, 1, 0, 7], isReceived: true) }
    var dissector = CaptureDissector(
      reader: try CaptureReader(bytes: recording.bytes, name: "made"), options: .init())
    while try dissector.next() != nil {}
    let frames = dissector.takeNotices().map(\.frame)
    #expect(frames.count == 5000 && frames.prefix(1024) == Array(2...1025)[...])
    #expect(Array(dissector.takeNotices()).isEmpty)
  }

  /// An ACL packet that starts an L2CAP packet of 65,000 bytes with 60,000.
  private static func begin(_ recording: inout Recording, _ handle: UInt16) {
    let start = Recording.little(65_000, 2) + [4, 0] + [UInt8](repeating: 0, count: 60_000)
    recording.packet(
      2,
      Recording.little(UInt64(handle) | 0x2000, 2) + Recording.little(UInt64(start.count), 2)
        + start,
      isReceived: true)
  }

  @Test("of packets that are never completed the oldest are given up, and one notice says so")
  func unfinishedPackets() throws {
    var recording = Recording()
    for handle in 1...200 as ClosedRange<UInt16> { Self.begin(&recording, handle) }
    var dissector = CaptureDissector(
      reader: try CaptureReader(bytes: recording.bytes, name: "made"), options: .init())
    while try dissector.next() != nil {}
    // 8 MiB hold 139 of them; the 140th gives up all but 4 MiB, and 60 more find room.
    let notices = dissector.takeNotices()
    #expect(notices.filter { $0.code == .aclAbandonedStart }.map(\.frame) == [140])
  }

  @Test("long writes that are never executed are given up, later ones are whole")
  func preparedWrites() throws {
    var recording = Recording()
    recording.connect(1, peer: Self.peer)
    recording.discover(1, handle: 16)
    let part = [UInt8](repeating: 0, count: 60_000)
    for _ in 1...300 {
      recording.l2cap(1, [0x16, 16, 0, 0, 0] + part, isReceived: false)
    }
    recording.l2cap(1, [0x18, 0], isReceived: false)
    let document = Self.value(1, 0)
    recording.l2cap(1, [0x16, 16, 0, 0, 0] + document, isReceived: false)
    recording.l2cap(1, [0x18, 1], isReceived: false)
    let values = try HandleResolutionTests.values(recording)
    #expect(values.last?.payload == document)
  }

  @Test("of the tables of many devices, the last ones are remembered")
  func manyDevices() throws {
    var recording = Recording()
    for device in 0..<100 {
      let peer = Self.peer &+ UInt64(device)
      recording.connect(1, peer: peer)
      // 4000 characteristics each, in answers of 500.
      for answer in 0..<8 {
        var pdu: [UInt8] = [0x09, 7]
        for entry in 0..<500 {
          let handle = UInt64(2 * (answer * 500 + entry) + 1)
          pdu += Recording.little(handle, 2) + [0x1A] + Recording.little(handle + 1, 2)
          pdu += [0x7B, 0xF4]
        }
        let from = Recording.little(UInt64(1000 * answer + 1), 2)
        recording.l2cap(1, [0x08] + from + [0xFF, 0xFF, 0x03, 0x28], isReceived: false)
        recording.l2cap(1, pdu, isReceived: true)
      }
      recording.disconnect(1)
    }
    for device in [0, 99] {
      recording.connect(1, peer: Self.peer &+ UInt64(device))
      recording.notify(1, 16, Self.value(device + 1, 0))
      recording.disconnect(1)
    }
    let values = try HandleResolutionTests.values(recording)
    #expect(values.map(\.resolution) == [.otherConnection])
    #expect(values.map(\.payload) == [Self.value(100, 0)])
  }

  @Test("of many advertisers those heard longest ago are forgotten, and Peat nodes last")
  func manyAdvertisers() throws {
    var recording = Recording()
    // Flags, and for the first one the 16-bit service 0xF47A (Supplement, Part A, 1.1 and 1.3).
    for device in 0..<20_000 as Range<UInt64> {
      let data: [UInt8] = [2, 1, 6] + (device == 0 ? [3, 3, 0x7A, 0xF4] : [])
      // LE Advertising Report (Vol 4 Part E, 7.7.65.2): one report, ADV_IND, a random address.
      let report =
        [2, 1, 0, 1] + Recording.little(Self.peer &+ device, 6)
        + [UInt8(data.count)] + data + [0xC0]
      recording.packet(4, [0x3E, UInt8(report.count)] + report, isReceived: true)
    }
    var dissector = CaptureDissector(
      reader: try CaptureReader(bytes: recording.bytes, name: "made"), options: .init())
    while try dissector.next() != nil {}
    let heard = dissector.advertisers.all.map { $0.address.value &- Self.peer }
    #expect(heard.count <= 8192)
    #expect(heard.first == 0)
    #expect(Array(heard.suffix(4000)) == Array(16_000..<20_000))
  }

  @Test("a reset closes the connections of its adapter alone")
  func reset() throws {
    var recording = Recording(isMonitor: true)
    for adapter in 0...1 as ClosedRange<UInt32> {
      recording.connect(1, peer: Self.peer &+ UInt64(adapter), adapter: adapter)
    }
    recording.packet(1, [0x03, 0x0C, 0], isReceived: false, adapter: 0)
    recording.notify(1, 16, Self.value(1, 0), adapter: 1)
    recording.notify(1, 16, Self.value(2, 0), adapter: 0)
    var options = DissectionOptions()
    options.hints = [HandleHint(address: nil, handle: 16)]
    var dissector = CaptureDissector(
      reader: try CaptureReader(bytes: recording.bytes, name: "made"), options: options)
    while try dissector.next() != nil {}
    #expect(dissector.connectionCount == 3)
  }
}
