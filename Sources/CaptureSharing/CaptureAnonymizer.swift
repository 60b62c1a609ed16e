import BluetoothProtocols
package import CaptureFormats
package import SystemIO
import WireBytes

/// Writes a capture anew with pseudonyms in the place of everything that names somebody.
///
/// The bytes are changed at the source, packet by packet, and every command then reads the changed
/// capture: no output can show what is not in it. What is not known to be harmless is blanked.
/// Lengths, times, opcodes and handles stay, and so do the numbers of packets.
package final class CaptureAnonymizer {
  /// Opens the capture once more.
  package typealias Reopen = () throws(CaptureError) -> CaptureReader

  private let reopen: Reopen
  private let messages: MessageAnonymizer
  private let pseudonyms: Pseudonyms
  private let data: DataAnonymizer
  private let air: AirAnonymizer
  private var control: ControlAnonymizer
  private var plan = InterfacePlan()

  /// Takes the capture and what stands for its messages.
  package init(
    _ reopen: @escaping Reopen, plans: ValuePlans, messages: MessageAnonymizer,
    keepsForeign: Bool
  ) throws(Errno) {
    self.reopen = reopen
    self.messages = messages
    pseudonyms = messages.pseudonyms
    data = try DataAnonymizer(
      AttributeAnonymizer(pseudonyms, plans: plans, keepsForeign: keepsForeign),
      pseudonyms: pseudonyms)
    air = AirAnonymizer(messages, data: data)
    control = ControlAnonymizer(messages)
  }

  /// Learns the identity resolving keys that a capture tells, before anything is named.
  package static func learnKeys(of reopen: Reopen, _ pseudonyms: Pseudonyms) throws(CaptureError) {
    var reader = try reopen()
    while let record = try? reader.next() {
      let bytes = [UInt8](record.payload)
      if record.content == .command, bytes.starts(with: [0x27, 0x20]), bytes.count >= 42 {
        for start in [10, 26] where !bytes[start..<start + 16].allSatisfy({ $0 == 0 }) {
          pseudonyms.learn(resolvingKey: bytes[start..<start + 16].reversed())
        }
      }
      // Identity Information on the security manager's channel, in whatever wraps it.
      guard record.content != .command, record.content != .event, bytes.count >= 25 else {
        continue
      }
      for start in 4...(bytes.count - 21)
      where bytes[start] == 0x11 && bytes[start + 1] == 0 && bytes[start + 2] == 6
        && bytes[start + 3] == 0 && bytes[start + 4] == 8
      {
        pseudonyms.learn(resolvingKey: bytes[(start + 5)..<(start + 21)].reversed())
      }
    }
  }

  /// Writes the capture.
  package func write(to file: TemporaryFile, application: String) throws {
    try learn()
    plan.conclude()
    var writer = try SharedCaptureWriter(
      .pcapng, plan: plan, application: application, comment: ""
    ) { _ in SharedCaptureWriter.Label(name: "", description: "", comment: "") }
    var reader = try reopen()
    var number = 0
    var frame = 0
    while let record = try? reader.next() {
      // Packets of kinds that are not read keep their number by a note without content.
      while frame + 1 < record.frame {
        frame += 1
        let time = moved(record.time)
        writer.append(
          CaptureAnonymizer.filler(frame, time), of: 0, time: time, comment: "")
      }
      frame = max(frame + 1, record.frame)
      let payload = try payload(record, number: number)
      number += 1
      let time = moved(record.time)
      writer.append(
        StoredRecord(header: record.header, payload: payload), of: 0, time: time, comment: "")
      try file.append(writer.drain())
    }
    try file.append(writer.drain())
  }

  /// Whether a packet only keeps a place, for one of a kind that is not read.
  package static func isFiller(_ header: RecordHeader) -> Bool {
    header.content == .monitorNote && header.adapter == 0xFFFF && header.monitorOpcode == 12
      && header.originalLength == 0
  }

  private static func filler(_ frame: Int, _ time: Timestamp?) -> StoredRecord {
    StoredRecord(
      header: RecordHeader(
        frame: frame, time: time, adapter: 0xFFFF, originalLength: 0, fileOffset: 0,
        monitorOpcode: 12, content: .monitorNote, direction: .unknown),
      payload: [])
  }

  private func moved(_ time: Timestamp?) -> Timestamp? {
    guard var time, pseudonyms.days > 0 else { return time }
    let (sum, overflow) = time.nanoseconds.addingReportingOverflow(
      pseudonyms.days * 86_400_000_000_000)
    if !overflow { time.nanoseconds = sum }
    return time
  }

  /// The first reading: joins packets, and says what stands for their bytes.
  private func learn() throws {
    var reader = try reopen()
    var number = 0
    var frame = 0
    var hasGaps = false
    while let record = try? reader.next() {
      plan.note(record.header, of: 0)
      if record.frame > frame + 1 { hasGaps = true }
      frame = record.frame
      switch record.content {
      case .acl: try data.take(record, number: number)
      case .event: forget(record)
      case .linkLayer251, .linkLayer256, .nordic272, .nordic157:
        try air.take(record, number: number)
      case .command, .sco, .iso, .monitorNote, .other: break
      }
      number += 1
    }
    if hasGaps { plan.note(CaptureAnonymizer.filler(0, nil).header, of: 0) }
  }

  /// A connection begins or ends.
  private func forget(_ record: borrowing RecordView) {
    var reader = ByteReader(record.payload, layer: .hci)
    if reader.peek() == 0x13 { return }
    guard let event = try? HCIEvent(&reader) else { return }
    switch event {
    case .connected(let opened):
      data.forget(
        DataAnonymizer.Place(adapter: record.adapter, connection: UInt32(opened.handle)))
    case .disconnected(let handle, _):
      data.forget(DataAnonymizer.Place(adapter: record.adapter, connection: UInt32(handle)))
    default: break
    }
  }

  /// The second reading: the bytes that stand for a record's.
  private func payload(_ record: borrowing RecordView, number: Int) throws(Errno) -> [UInt8] {
    var bytes = [UInt8](record.payload)
    switch record.content {
    case .command: return control.command(bytes)
    case .event: return control.event(bytes)
    case .monitorNote: return control.note(bytes, opcode: record.monitorOpcode)
    case .linkLayer251, .linkLayer256, .nordic272, .nordic157:
      return try air.record(record, number: number)
    case .acl:
      // The header, and of a start the length and channel, say what is missing of a packet.
      let isStart = bytes.count > 1 && bytes[1] >> 4 & 3 != 1
      for place in bytes.indices.dropFirst(isStart ? 8 : 4) { bytes[place] = 0 }
      try data.patches.apply(to: number, &bytes)
      return bytes
    case .sco, .iso, .other:
      for place in bytes.indices.dropFirst(record.content == .sco ? 3 : 4) { bytes[place] = 0 }
      return bytes
    }
  }
}
