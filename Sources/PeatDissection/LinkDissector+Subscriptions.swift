import BluetoothProtocols
import PeatProtocol
import WireBytes

/// Who asked for notifications of the document characteristic, and who was refused it.
extension LinkDissector {
  mutating func beginFacts(of connection: Connection) {
    facts.begin(
      LinkFacts(
        link: connection.link, wasSeenOpening: connection.wasSeenOpening,
        firstFrame: connection.firstFrame, opened: connection.firstTime))
  }

  /// A write of two bytes may be a client's configuration (Vol 3 Part G, 3.3.3.3).
  mutating func noteConfiguration(
    _ handle: UInt16, _ value: RawSpan, _ context: PDUContext
  ) {
    guard value.byteCount == 2 else { return }
    var reader = ByteReader(value, layer: .att)
    guard let bits = try? reader.le16(), bits <= 3 else { return }
    facts.note(connections[context.slot].link.id) { open in
      let side = context.sender.other.rawValue
      open.configurations[side].removeAll { $0.handle == handle }
      guard open.configurations[side].count < LinkFactTable.noteLimit else { return }
      open.configurations[side].append(.init(handle: handle, value: bits))
    }
  }

  /// An Error Response to a read, or to a write of a configuration.
  mutating func noteRefusal(
    of request: UInt8, handle: UInt16, code: UInt8, _ context: PDUContext
  ) {
    let side = context.sender.rawValue
    let frame = frame
    switch request {
    case 0x0A:
      facts.note(connections[context.slot].link.id) { open in
        if let known = open.refusals[side].firstIndex(where: { $0.handle == handle }) {
          open.refusals[side][known].count &+= 1
        } else if open.refusals[side].count < LinkFactTable.noteLimit {
          open.refusals[side].append(.init(handle: handle, count: 1, frame: frame, code: code))
        }
      }
    case 0x12:
      facts.note(connections[context.slot].link.id) { open in
        open.configurations[side].removeAll { $0.handle == handle }
      }
    default: break
    }
  }

  /// The connection ends: its tables tell which handles were the document's.
  mutating func concludeFacts(_ slot: Int, end: Disconnection?) {
    let connection = connections[slot]
    guard connection.isConfirmed else { return }
    let local = documentRange(connection.tables[Side.local.rawValue].latest)
    let peer = documentRange(connection.tables[Side.peer.rawValue].latest)
    let time = time
    let frame = frame
    let characteristics = options.countsHandles ? knownCharacteristics(slot) : []
    let handles = options.countsHandles ? namedUses(slot) : []
    facts.conclude(connection.link.id) { facts, open in
      facts.closed = time
      facts.end = end
      facts.lastFrame = frame
      facts.isEncrypted = connection.isEncrypted
      facts.characteristics = characteristics
      facts.handles = handles
      LinkDissector.fill(&facts.local, local, open, .local)
      LinkDissector.fill(&facts.peer, peer, open, .peer)
    }
  }

  /// The document characteristic's handle, and the last one that can be a descriptor of it.
  private func documentRange(_ table: AttributeTable) -> ClosedRange<UInt16>? {
    for (index, characteristic) in table.characteristics.enumerated() {
      let service = table.service(containing: characteristic.handle)
      guard
        options.characteristics.role(of: characteristic.uuid, in: service?.uuid) == .document
      else { continue }
      var last = service?.end ?? .max
      if index + 1 < table.characteristics.count {
        // The next characteristic's declaration stands in front of its value.
        let next = table.characteristics[index + 1].handle
        last = min(last, max(characteristic.handle, next > 2 ? next - 2 : 0))
      }
      return characteristic.handle...max(characteristic.handle, last)
    }
    return nil
  }

  private static func fill(
    _ facts: inout ServerFacts, _ range: ClosedRange<UInt16>?, _ open: LinkFactTable.Open,
    _ side: Side
  ) {
    guard let range else { return }
    facts.documentHandle = range.lowerBound
    facts.isSubscribed = open.configurations[side.rawValue].contains {
      range.contains($0.handle) && $0.handle != range.lowerBound && $0.value != 0
    }
    for refusal in open.refusals[side.rawValue] where refusal.handle == range.lowerBound {
      facts.refusedReads = refusal.count
      facts.firstRefusal = RefusedRead(frame: refusal.frame, code: refusal.code)
    }
  }

  /// A value of a Peat characteristic, or of a handle that may become one.
  mutating func noteValue(_ opcode: ValueOpcode, _ context: PDUContext) {
    facts.noteValue(
      connections[context.slot].link.id, from: context.sender, isNotification: opcode.isNotified)
  }
}

extension ValueOpcode {
  /// Whether a server sent the value without being asked for it.
  var isNotified: Bool {
    switch self {
    case .notification, .indication, .multipleNotification: true
    case .writeRequest, .writeCommand, .signedWriteCommand, .readResponse, .readBlob,
      .readByTypeResponse, .readMultiple, .readMultipleVariable, .executeWrite, .advertisement:
      false
    }
  }
}
