public import WireBytes

/// Whoever gives records one after the other: a capture, or a device that captures now.
public protocol PacketSource: ~Copyable {
  /// The next record; nil where there is none, or none yet.
  @_lifetime(&self)
  mutating func next() throws(CaptureError) -> RecordView?
}

extension CaptureReader: PacketSource {}

extension RecordView {
  /// A packet that lies in no container, such as one from a capture device.
  ///
  /// What wraps it is taken off as in a capture file of that link type (formats.md 7): type byte,
  /// direction, or the Linux monitor's adapter and opcode.
  @_lifetime(copy packet)
  public init(
    packet: RawSpan, of link: LinkType, frame: Int, time: Timestamp?, originalLength: Int,
    drops: UInt32 = 0
  ) {
    var adapter = 0
    let kind: PacketKind
    let head = ByteReader(packet, layer: .capture)
    switch link {
    case .hciH4:
      kind = head.peek().map { .h4($0, .unknown, front: 1) } ?? PacketKind(.other, .unknown)
    case .hciH4WithDirection:
      if let last = head.peek(3), let type = head.peek(4) {
        kind = .h4(type, last & 1 == 0 ? .sent : .received, front: 5)
      } else {
        kind = PacketKind(.other, .unknown)
      }
    case .linuxMonitor:
      if let high = head.peek(0), let low = head.peek(1), let first = head.peek(2),
        let second = head.peek(3)
      {
        adapter = Int(high) << 8 | Int(low)
        kind = .monitor(UInt16(first) << 8 | UInt16(second), front: 4)
      } else {
        kind = PacketKind(.other, .unknown)
      }
    case .linkLayer: kind = PacketKind(.linkLayer251, .unknown)
    case .linkLayerWithRadioHeader: kind = PacketKind(.linkLayer256, .unknown)
    case .nordic: kind = PacketKind(.nordic272, .unknown)
    case .nordicUser: kind = PacketKind(.nordic157, .unknown)
    case .hciUnencapsulated, .packetLogger, .btsnooz, .ppi, .usbmon, .usbmonPadded, .usbpcap,
      .other:
      kind = PacketKind(.other, .unknown)
    }
    let payload = packet.extracting(kind.front..<packet.byteCount)
    let header = RecordHeader(
      frame: frame, time: time, adapter: adapter,
      originalLength: max(originalLength &- kind.front, payload.byteCount), fileOffset: 0,
      drops: drops, monitorOpcode: kind.opcode, content: kind.content, direction: kind.direction,
      directionGuessed: kind.guessed)
    self.init(header: header, payload: payload)
  }
}

/// A record that outlives its reader's next step: what is known of it, and its bytes.
public struct StoredRecord: Sendable {
  /// What the container says about the record.
  public let header: RecordHeader
  /// The packet, as `RecordView.payload` holds it.
  public let payload: [UInt8]

  /// Makes a record of bytes that stand for those of another one.
  public init(header: RecordHeader, payload: [UInt8]) {
    self.header = header
    self.payload = payload
  }

  /// Copies a record.
  public init(_ record: borrowing RecordView) {
    header = record.header
    payload = [UInt8](record.payload)
  }

  /// The record again.
  public var view: RecordView {
    @_lifetime(borrow self)
    get { RecordView(header: header, payload: payload.rawBytes) }
  }
}
