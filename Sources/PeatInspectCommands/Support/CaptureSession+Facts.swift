import BluetoothProtocols
import PeatDissection
import PeatProtocol
import PeatReports
import PeatTimeline
import SystemIO
import WireBytes

/// What a run notes for the records that close its captures.
struct FactsLog {
  /// How often each node sent from each capture.
  var senders: [String: [NodeID: Int]] = [:]
  /// The bytes of standard input, where it is a pipe.
  let input = ByteDigest()

  mutating func note(_ row: TimelineRow) {
    guard row.value.direction == .sent, let node = row.message.node else { return }
    senders[row.file, default: [:]][node, default: 0] += 1
  }

  /// The node that sent most.
  func sender(_ file: String) -> NodeID? {
    senders[file]?.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
  }
}

extension CaptureSession {
  /// One record for each capture of the command line, in their order.
  func facts() -> OutputText {
    var text = OutputText(capacity: 1024)
    for file in configuration.files { record(of: file).append(to: &text) }
    return text
  }

  private func record(of file: String) -> CaptureRecord {
    let name = configuration.shownName(file)
    let belongs = { (other: String) in
      other == name || other == file || other.hasPrefix(file + "!")
    }
    let fault = diagnostics.faults.first { belongs($0.file) }
    var record = CaptureRecord(file: name, outcome: fault?.outcome ?? .whole)
    record.offset = fault?.offset
    record.reason = fault?.reason
    var print = CaptureFingerprint(file: file)
    if file == "-", print.sha256 == nil {
      drainInput()
      print = CaptureFingerprint(log.input)
    }
    record.sha256 = print.sha256
    record.bytes = print.bytes
    let own = streams.filter { belongs($0.file) }
    guard let stream = own.first else { return record }
    record.container = "\(stream.dissector.format)"
    record.packets = own.reduce(0) { $0 + $1.dissector.frameCount }
    record.first = own.compactMap(\.firstTime).min()
    record.last = own.compactMap(\.lastTime).max()
    record.messages = own.reduce(0) { $0 + $1.valueCount }
    record.mesh = mesh(of: own)
    record.address = own.lazy.flatMap { $0.dissector.adapters.compactMap(\.address) }.first
      .map { "\($0)" }
    record.node = own.lazy.compactMap { [log] in log.sender($0.file) }.first
    record.clockSteps = own.flatMap { $0.dissector.clockSteps.all }
    return record
  }

  /// The mesh that most Peat devices name; those that were connected to count before the others.
  private func mesh(of streams: [CaptureStream]) -> String? {
    var decoder = MessageDecoder(opener: keyring)
    var votes: [String: (connected: Int, heard: Int)] = [:]
    for stream in streams {
      let peers = Set(stream.dissector.linkFacts.compactMap { $0.link.peer?.value })
      for advertiser in stream.dissector.advertisers.all {
        guard let mesh = AdvertiserReading(advertiser, decoder: &decoder).mesh else { continue }
        let isPeer = peers.contains(advertiser.address.value)
        votes[mesh, default: (0, 0)].heard += 1
        if isPeer { votes[mesh, default: (0, 0)].connected += 1 }
      }
    }
    return votes.max {
      ($0.value.connected, $0.value.heard, $1.key) < ($1.value.connected, $1.value.heard, $0.key)
    }?.key
  }

  /// Reads what the capture left of standard input, so that the checksum is that of all of it.
  private func drainInput() {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while let count = try? FileDescriptor.standardInput.read(
      into: &buffer, range: 0..<buffer.count), count > 0
    {
      log.input.add(buffer, count: count)
    }
  }
}
