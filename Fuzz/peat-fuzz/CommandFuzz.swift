import Glibc
import PeatInspectCommands
import PeatTestSupport
import SystemIO

/// Whole commands over captures: what the command line says, without starting a process.
enum CommandFuzz {
  private static let file = "/dev/shm/peat-fuzz-\(getpid())"

  /// Every command that reads a capture, with the forms it has.
  private static let commands: [[String]] = [
    ["inspect", "-v", "--all-packets"], ["inspect", "-f", "ndjson", "--events"],
    ["inspect", "-f", "csv", "--all-characteristics"], ["inspect", "-f", "markdown"],
    ["inspect", "-f", "geojson"], ["inspect", "-f", "kml"], ["inspect", "-f", "html"],
    ["state"], ["state", "-f", "ndjson"], ["convergence"], ["convergence", "-f", "dot"],
    ["emergencies"], ["links"], ["links", "-f", "ndjson"], ["mesh"], ["check", "-f", "ndjson"],
    ["stats"], ["align"],
  ]

  /// Runs the tool on a capture; it has to end with a documented status.
  private static func run(_ words: [String], _ capture: [UInt8]) {
    guard let handle = fopen(file, "w") else { return }
    fwrite(capture, 1, capture.count, handle)
    fclose(handle)
    let status = PeatInspect.run(words + [file])
    let isDocumented = [0, 3, 4].contains(status) || words[0] == "check" && status == 1
    precondition(isDocumented, "\(words) ended with status \(status)")
  }

  /// A capture as it is; the first byte chooses the command.
  static func any(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let words = commands[Int(input.byte()) % commands.count]
    run(words, input.all())
  }

  /// Packets written anew, anonymised or not, and read back.
  static func rewriter(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let choice = input.byte()
    let format = ["pcapng", "pcap", "btsnoop"][Int(choice % 3)]
    let anonymity = choice & 0x80 == 0 ? [] : ["--anonymize"]
    let result = file + ".out"
    run(["inspect", "-f", format, "--all-packets", "-o", result] + anonymity, input.all())
    if let written = try? FileDescriptor.open(readOnly: result).readAll(limit: 1 << 24),
      !written.isEmpty
    {
      run(["inspect"], written)
    }
    unlink(result)
  }

  /// A host's log whose packets are in order and have right lengths: the input says who does what.
  static func hci(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let words = commands[Int(input.byte()) % commands.count]
    var capture = CaptureBuilder()
    capture.open()
    while !input.isEmpty {
      let step = input.byte()
      let party: CaptureBuilder.Party = step & 0x80 == 0 ? .host : .peer
      let connection: UInt16 = step & 0x40 == 0 ? 0x40 : 0x41
      switch step & 0x0F {
      case 0: capture.connect(connection, peer: 0xC000_0000_0000 | UInt64(input.byte()))
      case 1: capture.disconnect(connection)
      case 2: capture.discover(server: party, on: connection)
      case 3: capture.advertise(0xC000_0000_0000 | UInt64(input.byte()), input.run())
      case 4: capture.acl(input.run(), from: party, on: connection, continues: step & 0x20 != 0)
      case 5:
        capture.packet([0x04, input.byte()] + counted(input.run()), from: .peer, isControl: true)
      case 6: capture.packet([0x04, 0x3E] + counted(input.run()), from: .peer, isControl: true)
      case 7: capture.packet([0x01] + input.run(), from: .host, isControl: true)
      case 8: capture.exchangeMTU(UInt16(input.byte()), on: connection)
      case 9: capture.wait(Double(input.byte()))
      case 10: capture.write(input.run(), on: connection)
      case 11: capture.notify(input.run(), on: connection)
      case 12:
        capture.att([0x16, 0x12, 0, input.byte(), 0] + input.run(), from: .host, on: connection)
      case 13: capture.att([0x18, 1], from: .host, on: connection)
      case 14:
        let recorded = Int(input.byte())
        capture.acl(input.run(), from: party, on: connection, recorded: recorded)
      default: capture.att(input.run(), from: party, on: connection)
      }
    }
    run(words, capture.bytes)
  }

  private static func counted(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count)] + bytes }

  /// A sniffer's capture (link type 256) of one connection whose packets passed their checks.
  static func air(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let words = commands[Int(input.byte()) % commands.count]
    var file = PcapFile(link: 256)
    let access: [UInt8] = [0x12, 0x34, 0x56, 0x78]
    let advertising: [UInt8] = [0xD6, 0xBE, 0x89, 0x8E]
    let connect: [UInt8] =
      [1, 0, 0, 0, 0, 0xC0, 2, 0, 0, 0, 0, 0xC0] + access
      + [1, 2, 3, 1, 0, 0, 6, 0, 0, 0, 100, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 5]
    file.append(packet(advertising, [0xC5] + counted(connect), isCentral: nil, channel: 37))
    while !input.isEmpty {
      let step = input.byte()
      let body = input.run()
      switch step & 3 {
      case 0:
        file.append(
          packet(advertising, [input.byte()] + counted(body), isCentral: nil, channel: 37))
      case 1: file.append(packet(access, [3] + counted(body), isCentral: step & 4 == 0, channel: 3))
      case 2:
        let packed = [UInt8(body.count), 0, 4, 0] + body
        file.append(
          packet(
            access, [2 | step & 0x0C] + counted(Array(packed.prefix(255))),
            isCentral: step & 0x10 == 0, channel: 3))
      default:
        file.append(
          packet(access, [1 | step & 0x0C] + counted(body), isCentral: step & 0x10 == 0, channel: 3)
        )
      }
    }
    run(words, file.bytes)
  }

  /// The pseudo-header says: dewhitened, power valid, access address and CRC checked, CRC right.
  private static func packet(
    _ access: [UInt8], _ pdu: [UInt8], isCentral: Bool?, channel: UInt8
  ) -> [UInt8] {
    var flags: UInt16 = 0x0C13
    if let isCentral { flags |= isCentral ? 0x0100 : 0x0180 }
    return [channel, 0xC4, 0x80, 0] + access + [UInt8(flags & 0xFF), UInt8(flags >> 8)] + access
      + pdu + [0, 0, 0]
  }
}
