import WireBytes

/// A container that a live capture is recorded in, by the end of its name.
public enum RecordingFormat: String, Sendable, CaseIterable {
  case pcapng, btsnoop

  /// The format that a name's ending asks for; nil where it is none.
  public init?(path: String) {
    guard let format = RecordingFormat.allCases.first(where: { path.hasSuffix(".\($0.rawValue)") })
    else { return nil }
    self = format
  }
}

/// Writes records as they were captured, whatever container or device they came from.
///
/// HCI packets keep direction, adapter and monitor opcode: in pcapng as link type 254 where they
/// came from a Linux monitor, else 187 with the direction in the block's flags; in btsnoop as
/// datalink 2001 or 1002. Packets from the air go to pcapng only. What cannot be written is
/// counted.
public struct RecordEncoder: Sendable {
  /// A pcapng interface: link type, and the adapter where the link type has no place for it.
  private struct Interface: Hashable {
    var link: UInt16
    var adapter: Int
    var isNanosecond: Bool
  }

  /// The container.
  public let format: RecordingFormat
  /// Records that the container cannot hold.
  public private(set) var unwritable = 0
  private let application: String
  private var pcapng = PcapngWriter()
  private var btsnoop: BTSnoopWriter?
  private var isMonitor = false
  private var interfaces: [Interface: Int] = [:]
  private var drops: UInt32 = 0

  /// Begins a recording; `application` names the program in pcapng's header.
  public init(format: RecordingFormat, application: String) {
    self.format = format
    self.application = application
    begin()
  }

  /// Begins a new file: what is written from here on stands for itself.
  public mutating func begin() {
    interfaces = [:]
    btsnoop = nil
    if format == .pcapng { pcapng = PcapngWriter(application: application) }
  }

  /// Takes what was written since the last call.
  public mutating func drain() -> [UInt8] {
    switch format {
    case .pcapng: pcapng.drain()
    case .btsnoop: btsnoop?.drain() ?? []
    }
  }

  /// Appends a record.
  public mutating func append(_ record: borrowing RecordView) {
    append(record.header, [UInt8](record.payload), comment: "")
  }

  /// Appends a record with a comment, which btsnoop has no place for.
  public mutating func append(_ record: StoredRecord, comment: String) {
    append(record.header, record.payload, comment: comment)
  }

  private mutating func append(_ record: RecordHeader, _ payload: [UInt8], comment: String) {
    switch format {
    case .pcapng: appendPcapng(record, payload, comment)
    case .btsnoop: appendBTSnoop(record, payload)
    }
  }

  // MARK: - pcapng

  private mutating func appendPcapng(
    _ record: RecordHeader, _ payload: [UInt8], _ comment: String
  ) {
    // All of an adapter's packets belong to one interface, those of unknown direction too; the
    // others carry theirs in the block's flags.
    guard let link = RecordWrapping.link(of: record, hci: .plain) else {
      unwritable += 1
      return
    }
    var packet = RecordWrapping.front(of: record, hci: .plain, adapter: record.adapter)
    let front = packet.count
    packet.append(contentsOf: payload)
    let lost = record.drops > drops ? record.drops - drops : 0
    drops = record.drops
    let wanted = Interface(
      link: link, adapter: link == 254 ? 0 : record.adapter,
      isNanosecond: record.time?.isNanosecondPrecise == true)
    pcapng.append(
      packet, interface: number(of: wanted),
      time: record.time ?? Timestamp(nanoseconds: 0),
      direction: record.directionGuessed ? .unknown : record.direction,
      originalLength: record.originalLength + front, comment: comment, dropped: UInt64(lost))
  }

  private mutating func number(of wanted: Interface) -> Int {
    if let known = interfaces[wanted] { return known }
    let number = interfaces.count
    interfaces[wanted] = number
    pcapng.interface(linkType: wanted.link, isNanosecond: wanted.isNanosecond)
    return number
  }

  // MARK: - btsnoop

  private mutating func appendBTSnoop(_ record: RecordHeader, _ payload: [UInt8]) {
    let isFromMonitor = RecordWrapping.isFromMonitor(record)
    let type = RecordWrapping.h4Type(record.content)
    guard isFromMonitor || type != nil else {
      unwritable += 1
      return
    }
    if btsnoop == nil {
      isMonitor = isFromMonitor
      btsnoop = BTSnoopWriter(datalink: isMonitor ? 2001 : 1002)
    }
    // btsnoop's flag for the direction cannot say that it is not known.
    guard isMonitor == isFromMonitor, !record.directionGuessed else {
      unwritable += 1
      return
    }
    var packet: [UInt8] = []
    var flags = UInt32(truncatingIfNeeded: record.adapter) << 16 | UInt32(record.monitorOpcode)
    if !isMonitor, let type {
      packet = [type]
      let isCommandOrEvent = record.content == .command || record.content == .event
      flags = (record.direction == .received ? 1 : 0) | (isCommandOrEvent ? 2 : 0)
    }
    let front = packet.count
    packet.append(contentsOf: payload)
    btsnoop?.append(
      packet, flags: flags, time: record.time ?? Timestamp(nanoseconds: 0),
      originalLength: record.originalLength + front, drops: record.drops)
  }
}
