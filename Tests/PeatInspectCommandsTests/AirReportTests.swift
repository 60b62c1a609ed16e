import Foundation
import PeatTestSupport
import Testing

/// Captures of sniffers rebuilt from public reports (`BugReports2`), and others of their kinds made of
/// them, through the built tool; what is right stands in the folders' `expect.md`.
struct AirReportTests {
  private static let three = ["11223344 1", "11223344 2", "55667788 1"]
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// Documents as "NODE VERSION", in their order, and what stands on standard error.
  private func run(_ bytes: [UInt8]) throws -> (documents: [String], said: String, status: Int32) {
    let run = try CommandRun(["-f", "ndjson", try folder.write(bytes, "capture.pcap")])
    let documents = try run.records().compactMap { record in
      record["document"]["version"].int.map { "\(record["node"].string ?? "?") \($0)" }
    }
    return (documents, run.standardError, run.status)
  }

  private func expectAll(_ bytes: [UInt8], _ name: String) throws {
    let found = try run(bytes)
    #expect(found.documents == AirReportTests.three, "\(name)")
    #expect(found.said == "" && found.status == 0, "\(name): \(found.said)")
  }

  // MARK: - Encryption

  /// The captures whose payload is plain, in the words of 03's `expect.md`, and more of the kind.
  @Test("what was decrypted is read, whatever the recording says of it")
  func decrypted() throws {
    let plain = try AirRecording("03-air-decrypted", "phdr-no-flag.pcap")
    try expectAll(plain.file(256), "phdr-no-flag")
    let nordic = try AirRecording("03-air-decrypted", "nordic-mic-ok.pcap")
    try expectAll(nordic.file(272), "nordic-mic-ok")

    func changed(_ change: (inout AirRecording.Packet) -> Void) -> AirRecording {
      var recording = plain
      for index in 29..<37 where recording.packets[index].carriesData {
        change(&recording.packets[index])
      }
      return recording
    }
    try expectAll(changed { $0.change(flags: 0x3008) }.file(256), "phdr-decrypted-flag")
    let zeroed = changed {
      $0.change(flags: 0x3008)
      $0.bytes.replaceSubrange(($0.bytes.count - 3)..., with: [0, 0, 0])
    }
    try expectAll(zeroed.file(256), "phdr-crc-zero")
    // The same where nobody says that the check is valid.
    try expectAll(zeroed.file(251), "251, checks zeroed")
    let stale = changed { $0.bytes[$0.bytes.count - 1] ^= 0x5A }
    #expect(try run(stale.file(251)).documents == AirReportTests.three)
    // The integrity code is left behind the plain text.
    let initial = plain.initial
    let coded = changed { $0.change(payload: $0.payload + [1, 2, 3, 4], initial: initial) }
    #expect(try run(coded.file(256)).documents == AirReportTests.three)
    #expect(try run(coded.file(251)).documents == AirReportTests.three)
    // LL_START_ENC_REQ and what follows it are repeated.
    var repeated = plain
    for index in (28..<37).reversed() where repeated.packets[index].carriesData {
      repeated.packets.insert(repeated.packets[index], at: index + 1)
    }
    try expectAll(repeated.file(256), "repeated")
  }

  @Test("cipher text is said not to be readable, with its count")
  func stillEncrypted() throws {
    let generator = (0..<6).map { number in
      (0..<31).map { UInt8(truncatingIfNeeded: (number &* 131 &+ $0 &* 89) ^ ($0 &* $0 &* 7)) }
    }
    for (file, type) in [("nordic-mic-ok.pcap", 272), ("phdr-no-flag.pcap", 256)] {
      var recording = try AirRecording("03-air-decrypted", file)
      let initial = recording.initial
      var next = 0
      // Six of the PDUs behind LL_START_ENC_REQ hold noise; all others are empty.
      for index in 29..<37 {
        let payload = next < 6 && index != 30 ? generator[next] : []
        if index != 30 { next += 1 }
        recording.packets[index].bytes[4] = recording.packets[index].bytes[4] & 0xFC | 2
        recording.packets[index].change(payload: payload, initial: initial)
        if type == 272 { recording.packets[index].header[8] &= ~8 }
      }
      for type in type == 256 ? [256, 251] : [272] {
        let found = try run(recording.file(type))
        #expect(found.documents == ["11223344 1"])
        #expect(found.said.contains("50A1B2C3 is encrypted, and 6 packets of it cannot be read"))
        #expect(found.said.contains("frame 30,") && found.status == 0)
      }
    }
  }

  // MARK: - PHYs

  @Test("the coding indicator of the coded PHY is no part of the PDU")
  func codedPHY() throws {
    let coded = try AirRecording("24-coded-phy", "phdr-coded.pcap")
    try expectAll(coded.file(256), "phdr-coded")
    // Without headers, only the lengths tell.
    try expectAll(coded.file(251), "251")
    var nordic = coded
    for index in nordic.packets.indices {
      let flags =
        UInt16(coded.packets[index].header[8]) | UInt16(coded.packets[index].header[9]) << 8
      let isCoded = flags >> 14 == 2
      let isCentral = flags >> 7 & 7 != 3
      let size = UInt8(10 + coded.packets[index].bytes.count)
      nordic.packets[index].header =
        [3, size, 0, 3, 0, 0, 6, 10, (isCoded ? 0x21 : 1) | (isCentral ? 2 : 0), 3, 50, 0, 0]
        + [0, 0, 0, 0]
    }
    try expectAll(nordic.file(272), "nordic")
    // The PHY flag without an indicator, and eight symbols a bit or two.
    var bare = coded
    var fast = coded
    for index in coded.packets.indices where coded.packets[index].header[9] & 0x80 != 0 {
      bare.packets[index].bytes.remove(at: 4)
      fast.packets[index].bytes[4] = 1
    }
    try expectAll(bare.file(256), "no indicator")
    try expectAll(fast.file(256), "S=2")
    // LE 2M has no indicator.
    for index in bare.packets.indices where bare.packets[index].header[9] & 0x80 != 0 {
      bare.packets[index].change(flags: 0x4000, clearing: 0xC000)
    }
    try expectAll(bare.file(256), "2M")
  }

  @Test("a constant tone's information is no part of the payload")
  func constantTone() throws {
    var recording = try AirRecording("03-air-decrypted", "phdr-no-flag.pcap")
    for index in recording.packets.indices where recording.packets[index].carriesData {
      recording.packets[index].bytes[4] |= 0x20
      recording.packets[index].bytes.insert(0x14, at: 6)
    }
    try expectAll(recording.file(256), "CTE")
  }

  @Test("what has another length than it says is counted, and not laid to the sniffer's header")
  func lengths() throws {
    for (file, type) in [("nordic-mic-ok.pcap", 272), ("phdr-no-flag.pcap", 256)] {
      var recording = try AirRecording("03-air-decrypted", file)
      recording.packets[2].bytes[5] = 200
      recording.packets[5].bytes.removeLast(9)
      let path = try folder.write(recording.file(type), "capture.pcap")
      let run = try CommandRun([path])
      #expect(!run.standardError.contains("unreadable-air-header"))
      #expect(run.standardError.contains("2 packets have another length than the header of the"))
      #expect(run.standardError.contains("[air-length-fault]"))
      #expect(run.standardError.contains("frame 3,"))
      let verbose = try CommandRun(["-v", path]).standardError
      #expect(verbose.contains("2 packets from the air of another length than they say"))
    }
  }

  // MARK: - Links

  @Test("a connection that was asked for and not followed is told with both addresses")
  func notFollowed() throws {
    let recording = try AirRecording("18-not-followed", "connect-not-followed.pcap")
    let said = try run(recording.file(256)).said
    #expect(said.contains("D0:AA:BB:CC:DD:01 to C0:11:22:33:44:55 [connection-not-followed]"))
    #expect(said.contains("frame 42,") && said.contains("a connection was asked for and not"))
    var adverts = recording
    adverts.packets.removeLast()
    #expect(try run(adverts.file(256)).said.contains("connection-not-followed") == false)
    // Asked for twice more, by others; AUX_CONNECT_REQ has the same form.
    var more = recording
    for number in 1...2 {
      var packet = recording.packets[41]
      packet.bytes[6] = UInt8(number)
      packet.bytes[18] = UInt8(number)
      more.packets.append(packet)
    }
    #expect(try run(more.file(256)).said.contains("3 connections were asked for and not followed"))
    // A link that begins is followed.
    let followed = try AirRecording("03-air-decrypted", "phdr-no-flag.pcap")
    #expect(try run(followed.file(256)).said == "")
  }

  @Test("single packets with an access address of their own make no connection")
  func strays() throws {
    var recording = try AirRecording("18-not-followed", "connect-not-followed.pcap")
    recording.packets.removeLast()
    let data = try AirRecording("03-air-decrypted", "phdr-no-flag.pcap").packets[22]
    for number in 0..<5 {
      var packet = data
      packet.bytes[0] = UInt8(number)
      packet.change(payload: [7, 1, 99, UInt8(number)] + packet.payload, initial: 5)
      recording.packets.append(packet)
    }
    for type in [256, 251] {
      let path = try folder.write(recording.file(type), "capture.pcap")
      let run = try CommandRun(["-v", path])
      #expect(run.text.contains(" 0 connections"))
      #expect(
        run.standardError.contains(
          "5 packets from the air with an access address that was not heard again"))
    }
  }

  @Test("two connections with one access address are two, and clocks that leap part none")
  func oneAddressTwice() throws {
    let one = try AirRecording("03-air-decrypted", "phdr-no-flag.pcap")
    var both = one
    for packet in one.packets {
      var later = packet
      later.time += 5_000_000
      both.packets.append(later)
    }
    for type in [256, 251] {
      let path = try folder.write(both.file(type), "capture.pcap")
      let run = try CommandRun([path])
      #expect(run.text.contains(" 2 connections"))
      #expect(run.text.contains("6 messages"))
    }
    var leaping = one
    for index in leaping.packets.indices where index % 5 > 2 {
      leaping.packets[index].time += index % 2 == 0 ? 427_000_000 : -3600_000_000
    }
    for type in [256, 251] {
      let found = try run(leaping.file(type))
      #expect(found.documents.sorted() == AirReportTests.three.sorted())
    }
  }

  // MARK: - Extended advertising

  private func advertiser(_ path: String) throws -> [JSON] {
    try CommandRun(["state", "-f", "ndjson", path]).records()
      .filter { $0["scope"].string == "advertiser" }
  }

  @Test("names in AUX_CHAIN_IND belong to the advertiser whose chain it is")
  func chained() throws {
    var recording = try AirRecording("14-extended-advertising", "aux-chain.pcap")
    for _ in 0..<2 {
      let path = try folder.write(recording.file(256), "capture.pcap")
      let found = try #require(try advertiser(path).first)
      #expect(found["address"].string == "C0:11:22:33:44:55")
      #expect(found["name"].string == "PEAT_DEMO-11223344")
      #expect(found["node"].string == "11223344" && found["mesh"].string == "DEMO")
      #expect(try run(recording.file(256)).documents == ["11223344 1"])
      // Once more with another advertiser's chain in between, which goes on on another channel.
      var other = recording.packets[1]
      other.bytes[8] = 0x99
      other.bytes[16] = 7
      recording.packets.insert(other, at: 2)
    }
  }

  @Test("extended reports in parts are put together by set, and what was cut is read")
  func reportsInParts() throws {
    let recording = try ExtendedReports.recording()
    let path = try folder.write(recording.bytes, "capture.btsnoop")
    let found = try advertiser(path)
    let names = found.map { "\($0["address"].string ?? "?") \($0["name"].string ?? "-")" }
    #expect(names.contains("C0:11:22:33:44:55 PEAT_DEMO-11223344"))
    #expect(names.contains("C0:00:00:00:00:02 PEAT_DEMO-55667788"))
    #expect(names.contains("C0:00:00:00:00:03 PEAT_CUT-0A0B0C0D"))
  }
}

/// Extended advertising reports (Core Specification Vol 4 Part E, 7.7.65.13), in parts.
private enum ExtendedReports {
  static func recording() throws -> Recording {
    var recording = Recording()
    func report(_ address: UInt64, status: UInt8, set: UInt8, _ data: [UInt8]) {
      var event: [UInt8] = [0x0D, 1, 0x01 | status << 5, 0, 1]
      event += Recording.little(address, 6) + [1, 1, set, 127, 0xCE, 0, 0, 0]
      event += [UInt8](repeating: 0, count: 6) + [UInt8(data.count)] + data
      recording.packet(4, [0x3E, UInt8(event.count)] + event, isReceived: true)
    }
    func name(_ text: String) -> [UInt8] { [UInt8(text.utf8.count + 1), 9] + Array(text.utf8) }
    let service: [UInt8] = [2, 1, 6, 3, 3, 0x7A, 0xF4]
    let first = service + name("PEAT_DEMO-11223344")
    report(0xC011_2233_4455, status: 1, set: 5, Array(first.prefix(12)))
    // Another set of the same device, and another device, in between.
    report(0xC011_2233_4455, status: 0, set: 6, [2, 1, 6])
    report(0xC000_0000_0002, status: 1, set: 5, service)
    report(0xC011_2233_4455, status: 0, set: 5, Array(first.dropFirst(12)))
    report(0xC000_0000_0002, status: 0, set: 5, name("PEAT_DEMO-55667788"))
    // The controller had no room for the rest of this one; of the last, the rest is not in the log.
    report(0xC000_0000_0003, status: 1, set: 1, service)
    report(0xC000_0000_0003, status: 2, set: 1, name("PEAT_CUT-0A0B0C0D") + [9, 9, 0x41])
    return recording
  }
}
