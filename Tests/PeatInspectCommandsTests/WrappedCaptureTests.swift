import Foundation
import PeatTestSupport
import Testing

/// Bluetooth packets inside other captures: USB transfers, PPI headers, a bare H4 stream.
struct WrappedCaptureTests {
  /// Version and node of each document, in order.
  private func documents(_ path: String) throws -> (documents: [String], run: CommandRun) {
    let run = try CommandRun(["-f", "ndjson", path])
    let shown = try run.records().map {
      "v\($0["document"]["version"].int ?? -1) of \($0["node"].string ?? "?")"
    }
    return (shown, run)
  }

  // MARK: - USB

  @Test(
    "USB captures of a Bluetooth adapter show its documents",
    arguments: ["usbmon220.pcap", "usbpcap.pcap"])
  func reports(_ name: String) throws {
    // Expected: Tests/BugReports2/01-usb-wrapped/expect.md.
    let path = TestData.bugReports2.appendingPathComponent("01-usb-wrapped/\(name)").path
    let (shown, run) = try documents(path)
    #expect(shown == ["v1 of 11223344", "v1 of 55667788", "v2 of 11223344"])
    #expect(run.status == 0)
    #expect(try run.records().allSatisfy { $0["att"]["handle"].int == 0x12 })
  }

  /// How a usbmon capture of one session may differ.
  struct Usbmon: CustomTestStringConvertible, Sendable {
    var isPadded = false
    var isBig = false
    var hasDescriptors = true
    /// Bytes of one interrupt transfer; events are spread over several.
    var piece = 64
    var testDescription: String {
      "\(isPadded ? 64 : 48) bytes, big \(isBig), descriptors \(hasDescriptors), \(piece)"
    }
  }

  @Test(
    "usbmon of either header and byte order, with and without descriptors",
    arguments: [
      Usbmon(), Usbmon(isPadded: true), Usbmon(isBig: true), Usbmon(isPadded: true, isBig: true),
      Usbmon(hasDescriptors: false), Usbmon(isPadded: true, isBig: true, hasDescriptors: false),
      Usbmon(piece: 16), Usbmon(hasDescriptors: false, piece: 16),
    ])
  func usbmon(_ form: Usbmon) throws {
    let folder = try ScratchFolder()
    var file = PcapFile(link: form.isPadded ? 220 : 189, isBig: form.isBig)
    let records = WrappedCaptureTests.transfers(
      of: WrappedCaptureTests.session(node: 0x1122_3344), device: 5,
      hasDescriptors: form.hasDescriptors, piece: form.piece)
    for record in records { file.append(record.bytes(in: file, isPadded: form.isPadded)) }
    let (shown, run) = try documents(try folder.write(file.bytes, "usb.pcap"))
    #expect(shown == ["v1 of 11223344", "v2 of 11223344", "v3 of 11223344"])
    #expect(run.status == 0)
    #expect(run.standardError.isEmpty)
    // A row's frame is the record of the capture that completes its packet.
    let last = try #require(
      records.lastIndex { $0.event == "C" && $0.kind == 3 && !$0.data.isEmpty })
    #expect(try run.records().last?["frame"].int == last + 1)
  }

  @Test("two adapters on one bus are told apart, beside a keyboard and a disk")
  func twoAdapters() throws {
    let folder = try ScratchFolder()
    for hasDescriptors in [true, false] {
      var file = PcapFile(link: 189)
      let one = WrappedCaptureTests.transfers(
        of: WrappedCaptureTests.session(node: 0x1122_3344), device: 5,
        hasDescriptors: hasDescriptors)
      // The same connection handle and attribute handles: only the device tells them apart.
      let other = WrappedCaptureTests.transfers(
        of: WrappedCaptureTests.session(node: 0x5566_7788), device: 9,
        hasDescriptors: hasDescriptors)
      for index in 0..<max(one.count, other.count) {
        if index < one.count { file.append(one[index].bytes(in: file, isPadded: false)) }
        for noise in WrappedCaptureTests.noise(index) {
          file.append(noise.bytes(in: file, isPadded: false))
        }
        if index < other.count { file.append(other[index].bytes(in: file, isPadded: false)) }
      }
      let (shown, run) = try documents(try folder.write(file.bytes, "usb.pcap"))
      #expect(
        shown.sorted() == [
          "v1 of 11223344", "v1 of 55667788", "v2 of 11223344", "v2 of 55667788",
          "v3 of 11223344", "v3 of 55667788",
        ])
      let adapters = try run.records().map {
        "\($0["node"].string ?? "") \($0["link"]["adapter"].int ?? -1)"
      }
      #expect(Set(adapters) == ["11223344 0", "55667788 1"])
    }
  }

  @Test("a USB capture without a Bluetooth adapter is no Bluetooth capture, in every command")
  func noAdapter() throws {
    let folder = try ScratchFolder()
    var file = PcapFile(link: 189)
    for index in 0..<40 {
      for record in WrappedCaptureTests.noise(index) {
        file.append(record.bytes(in: file, isPadded: false))
      }
    }
    let path = try folder.write(file.bytes, "usb.pcap")
    for command in [[], ["state"], ["check"], ["convergence"], ["diff"]] as [[String]] {
      let run = try CommandRun(command + [path])
      #expect(run.status == 3, "\(command)")
      #expect(run.standardError.contains("none of the 2 USB devices"), "\(command)")
    }
  }

  // MARK: - PPI

  @Test("packets behind PPI headers are read beside another interface")
  func ppi() throws {
    // Expected: Tests/BugReports2/02-ubertooth-ppi/expect.md.
    let path = TestData.bugReports2.appendingPathComponent("02-ubertooth-ppi/ppi-and-256.pcapng")
    let (shown, run) = try documents(path.path)
    #expect(shown == ["v1 of 11223344", "v2 of 55667788"])
    #expect(run.status == 0)
    #expect(try run.records().map { $0["link"]["adapter"].int } == [0, 1])
  }

  @Test(
    "the link type inside a PPI header counts: 147, 251, 256 and H4 with direction",
    arguments: [147, 251, 256, 201] as [UInt32])
  func ppiInside(_ inner: UInt32) throws {
    let folder = try ScratchFolder()
    var file = PcapFile(link: 192, isBig: inner == 251)
    for packet in try WrappedCaptureTests.packets(inside: inner) {
      // Header of 8 bytes and one field of 4 (type 3, no more); always little-endian.
      let header = [0, 0] + Recording.little(12, 2) + Recording.little(UInt64(inner), 4)
      file.append(header + [3, 0, 0, 0] + packet)
    }
    let (shown, run) = try documents(try folder.write(file.bytes, "ppi.pcap"))
    #expect(shown.first == (inner == 201 ? "v1 of 11223344" : "v1 of 11223344"))
    #expect(run.status == 0)
  }

  @Test("PPI headers before something else are refused by its name")
  func ppiOfWiFi() throws {
    let folder = try ScratchFolder()
    var file = PcapFile(link: 192)
    for _ in 0..<5 { file.append([0, 0, 8, 0, 105, 0, 0, 0] + [UInt8](repeating: 7, count: 40)) }
    let run = try CommandRun([try folder.write(file.bytes, "wifi.pcap")])
    #expect(run.status == 3)
    #expect(run.standardError.contains("linktype 105 (IEEE 802.11)"))
  }

  // MARK: - Headers only

  @Test("a log of headers says how much the recorder kept", arguments: ["", "state", "check"])
  func headersOnly(_ command: String) throws {
    // Expected: Tests/BugReports2/29-filtered-log/expect.md.
    let path = TestData.bugReports2.appendingPathComponent("29-filtered-log/headers-only-9.btsnoop")
    let run = try CommandRun((command.isEmpty ? [] : [command]) + [path.path])
    #expect(run.standardError.contains("the recorder kept only the first 9 bytes of"))
  }

  // MARK: - Section and interfaces of pcapng

  @Test("behind a cut section the next one is found, whatever its byte order")
  func cutSection() throws {
    // Expected: Tests/BugReports2/05-pcapng-sections/expect.md.
    let path = TestData.bugReports2.appendingPathComponent(
      "05-pcapng-sections/cat-cut-first.pcapng")
    let (shown, run) = try documents(path.path)
    #expect(shown == ["v1 of 11223344", "v3 of 0A0B0C0D"])
    #expect(run.status == 4)
  }

  @Test(
    "an interface that is not read is named with its packets, in every command",
    arguments: ["", "state", "check", "convergence", "diff"])
  func unreadInterface(_ command: String) throws {
    func block(_ type: UInt64, _ body: [UInt8]) -> [UInt8] {
      let padded = body + [UInt8](repeating: 0, count: (4 - body.count & 3) & 3)
      let length = Recording.little(UInt64(padded.count + 12), 4)
      return Recording.little(type, 4) + length + padded + length
    }
    func interface(_ link: UInt64) -> [UInt8] {
      block(1, Recording.little(link, 2) + [0, 0, 0, 0, 0, 0])
    }
    func packet(_ number: UInt64, _ bytes: [UInt8]) -> [UInt8] {
      let size = Recording.little(UInt64(bytes.count), 4)
      return block(
        6,
        Recording.little(number, 4) + Recording.little(1_770_000_000_000_000 >> 32, 4)
          + Recording.little(1_770_000_000_000_000 & 0xFFFF_FFFF, 4) + size + size + bytes)
    }
    var file = block(
      0x0A0D_0D0A, [0x4D, 0x3C, 0x2B, 0x1A, 1, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8))
    file += interface(201) + interface(1)
    for each in WrappedCaptureTests.session(node: 0x1122_3344) {
      file += packet(0, [0, 0, 0, each.isReceived ? 1 : 0] + each.bytes)
      file += packet(1, [UInt8](repeating: 0x55, count: 60))
    }
    let count = WrappedCaptureTests.session(node: 0x1122_3344).count
    let folder = try ScratchFolder()
    let path = try folder.write(file, "two.pcapng")
    let run = try CommandRun((command.isEmpty ? [] : [command]) + [path])
    #expect(run.status <= 1)
    #expect(
      run.standardError.contains(
        "\(count) packets of interface 1 passed over: linktype 1 (Ethernet)"))
  }

  // MARK: - H4

  @Test("a bare H4 stream is recognised by its packets and says that it has no times")
  func bareStream() throws {
    let folder = try ScratchFolder()
    let stream = WrappedCaptureTests.session(node: 0x1122_3344).flatMap(\.bytes)
    let path = try folder.write(stream, "capture.bin")
    let (shown, run) = try documents(path)
    #expect(shown == ["v1 of 11223344", "v2 of 11223344", "v3 of 11223344"])
    #expect(run.status == 0)
    #expect(run.standardError.contains("no time is known"))
    #expect(try run.records().allSatisfy { $0["time"].string == nil })
    let cut = try CommandRun([try folder.write(Array(stream.dropLast(3)), "cut.bin")])
    #expect(cut.status == 4)
    for command in [["state"], ["check"], ["convergence"], ["diff"]] as [[String]] {
      #expect(try CommandRun(command + [path]).status <= 1, "\(command)")
    }
  }

  @Test("what only begins like H4 is no capture")
  func noStream() throws {
    let folder = try ScratchFolder()
    let others: [[UInt8]] = [
      [1, 2, 3, 4, 5, 6, 7, 8], Array(repeating: 4, count: 64), Array(repeating: 1, count: 400),
      [4, 0x0E, 4, 1, 3, 0x0C, 0] + Array("and then a text that goes on".utf8),
      (0..<64).flatMap { [UInt8(2), UInt8($0), 0, 0, 0] },
    ]
    for (index, bytes) in others.enumerated() {
      let run = try CommandRun([try folder.write(bytes, "other-\(index)")])
      #expect(run.status == 3, "\(index): \(run.standardError)")
    }
  }
}

extension WrappedCaptureTests {
  /// A connection with three documents, the second of them written by the host.
  static func session(node: UInt32) -> [CaptureBuilder.Packet] {
    var capture = CaptureBuilder()
    capture.open(0x40, peer: 0xC000_0000_0000 | UInt64(node))
    for version in 1...3 as ClosedRange<UInt32> {
      let document = Recording.document(
        version: version, node: node, counter: [(node, UInt64(version))])
      if version == 2 { capture.write(document) } else { capture.notify(document) }
    }
    return capture.packets
  }

  /// The packets as transfers of a device: both records of each, as Linux writes them.
  static func transfers(
    of packets: [CaptureBuilder.Packet], device: UInt8, hasDescriptors: Bool, piece: Int = 64
  ) -> [UsbmonRecord] {
    var records: [UsbmonRecord] = []
    var id = UInt64(device) << 32
    func transfer(
      _ kind: UInt8, _ endpoint: UInt8, setup: [UInt8]? = nil, _ data: [UInt8]
    ) {
      id += 1
      let isIn = endpoint & 0x80 != 0
      records.append(
        UsbmonRecord(
          id, "S", kind: kind, endpoint: endpoint, device: device, setup: setup,
          data: isIn ? [] : data))
      records.append(
        UsbmonRecord(
          id, "C", kind: kind, endpoint: endpoint, device: device, data: isIn ? data : []))
    }
    if hasDescriptors {
      transfer(
        2, 0x80, setup: [0x80, 6, 0, 1, 0, 0, 18, 0],
        [18, 1, 0, 2, 0xE0, 1, 1, 64, 9, 18, 1, 0, 0, 1, 0, 0, 0, 1])
    }
    transfer(2, 0, setup: [0x20, 0, 0, 0, 0, 0, 3, 0], [0x03, 0x0C, 0])
    for packet in packets {
      let data = Array(packet.bytes.dropFirst())
      switch packet.bytes[0] {
      case 4:
        for start in stride(from: 0, to: data.count, by: piece) {
          transfer(1, 0x81, Array(data[start..<min(data.count, start + piece)]))
        }
      case 2: transfer(3, packet.isReceived ? 0x82 : 0x02, data)
      default: break
      }
    }
    return records
  }

  /// What a keyboard (device 3) and a disk (device 4) send meanwhile.
  static func noise(_ index: Int) -> [UsbmonRecord] {
    let id = UInt64(index) + 1
    let key = UInt8(4 + index % 40)
    return [
      UsbmonRecord(id, "C", kind: 1, endpoint: 0x81, device: 3, data: [0, 0, key, 0, 0, 0, 0, 0]),
      UsbmonRecord(
        id, "S", kind: 3, endpoint: 0x02, device: 4,
        data: Array("USBC".utf8) + [UInt8](repeating: 0, count: 27)),
      UsbmonRecord(
        id, "C", kind: 3, endpoint: 0x81, device: 4,
        data: (0..<512).map { UInt8(truncatingIfNeeded: $0 &+ index) }),
      UsbmonRecord(
        id, "C", kind: 0, endpoint: 0x83, device: 3, data: [UInt8](repeating: 0, count: 48)),
    ]
  }

  /// Packets as a link type wraps them, of a sniffer's sample or of a session.
  static func packets(inside link: UInt32) throws -> [[UInt8]] {
    if link == 201 {
      return session(node: 0x1122_3344).map { [0, 0, 0, $0.isReceived ? 1 : 0] + $0.bytes }
    }
    let bytes = [UInt8](
      try Data(
        contentsOf: TestData.bugReports2.appendingPathComponent(
          "02-ubertooth-ppi/ppi-and-256.pcapng")))
    var packets: [[UInt8]] = []
    var place = 0
    while place + 28 <= bytes.count {
      func number(_ offset: Int) -> Int {
        (0..<4).reduce(0) { $0 | Int(bytes[place + offset + $1]) << (8 * $1) }
      }
      // Enhanced packets of interface 0, behind their PPI header of 24 bytes.
      if number(0) == 6, number(8) == 0 {
        let packet = Array(bytes[(place + 28 + 24)..<(place + 28 + number(20))])
        // Link type 256 has ten bytes before it: a channel that data is sent on, nothing valid.
        packets.append(link == 256 ? [1] + [UInt8](repeating: 0, count: 9) + packet : packet)
      }
      place += number(4)
    }
    return packets
  }
}
