/// A record that is about to be lent out: what is said about it, and its place in the window.
struct PendingRecord {
  var header = RecordHeader.none
  var start = 0
  var count = 0
  /// Whether the packet was put together of several parts and lies outside the window.
  var isJoined = false
}

/// What lies in a record's packet, and how many bytes of wrapping lie before it.
///
/// Readers pass this as a value and build the record's header once: fields stored one by one and
/// read back as a whole cost more than everything else (store forwarding).
struct PacketKind {
  var content: RecordContent
  var direction: RecordDirection
  var guessed = false
  var opcode: UInt16 = 0
  var front = 0

  @inline(__always)
  init(
    _ content: RecordContent, _ direction: RecordDirection, guessed: Bool = false,
    opcode: UInt16 = 0, front: Int = 0
  ) {
    self.content = content
    self.direction = direction
    self.guessed = guessed
    self.opcode = opcode
    self.front = front
  }

  /// The kind that an H4 type byte names (Core Specification Vol 4 Part A 2).
  @inline(__always)
  static func h4(_ type: UInt8, _ direction: RecordDirection, front: Int) -> PacketKind {
    let isKnown = direction != .unknown
    // Without a direction in the container, commands and events can only go one way.
    return switch type {
    case 1: PacketKind(.command, isKnown ? direction : .sent, front: front)
    case 2: PacketKind(.acl, direction, guessed: !isKnown, front: front)
    case 3: PacketKind(.sco, direction, guessed: !isKnown, front: front)
    case 4: PacketKind(.event, isKnown ? direction : .received, front: front)
    case 5: PacketKind(.iso, direction, guessed: !isKnown, front: front)
    default: PacketKind(.other, direction, front: front)
    }
  }

  /// The kind that an opcode of the Linux monitor names (formats.md 3).
  @inline(__always)
  static func monitor(_ opcode: UInt16, front: Int) -> PacketKind {
    switch opcode {
    case 2: PacketKind(.command, .sent, opcode: opcode, front: front)
    case 3: PacketKind(.event, .received, opcode: opcode, front: front)
    case 4: PacketKind(.acl, .sent, opcode: opcode, front: front)
    case 5: PacketKind(.acl, .received, opcode: opcode, front: front)
    case 6: PacketKind(.sco, .sent, opcode: opcode, front: front)
    case 7: PacketKind(.sco, .received, opcode: opcode, front: front)
    case 18: PacketKind(.iso, .sent, opcode: opcode, front: front)
    case 19: PacketKind(.iso, .received, opcode: opcode, front: front)
    default: PacketKind(.monitorNote, .unknown, opcode: opcode, front: front)
    }
  }
}

extension CaptureReader {
  /// Looks at type byte or pseudo header of a packet that lies `ahead` of the reader's place.
  ///
  /// A packet too short for its own pseudo header stays whole, as `.other`. Mutating, though it
  /// changes nothing, because the optimiser copies a reader that it lends out otherwise.
  @inline(__always)
  mutating func classify(
    _ link: LinkType, ahead: Int, captured: Int, direction: RecordDirection
  ) -> PacketKind {
    switch link {
    case .hciH4:
      guard captured >= 1 else { return PacketKind(.other, direction) }
      return .h4(window.u8(ahead), direction, front: 1)
    case .hciH4WithDirection:
      guard captured >= 5 else { return PacketKind(.other, direction) }
      let way: RecordDirection = window.u32(ahead, .big) & 1 == 0 ? .sent : .received
      return .h4(window.u8(ahead &+ 4), way, front: 5)
    case .linkLayer: return PacketKind(.linkLayer251, .unknown)
    case .linkLayerWithRadioHeader: return PacketKind(.linkLayer256, .unknown)
    case .nordic: return PacketKind(.nordic272, .unknown)
    case .nordicUser: return PacketKind(.nordic157, .unknown)
    case .ppi: return classifyPPI(ahead: ahead, captured: captured, direction: direction)
    case .hciUnencapsulated, .linuxMonitor, .packetLogger, .btsnooz, .usbmon, .usbmonPadded,
      .usbpcap, .other:
      return PacketKind(.other, direction)
    }
  }

  /// A packet behind a PPI header: version, flags, the header's whole length and the link type of
  /// what follows, least significant byte first whatever the file's order (formats.md 7).
  @inline(never)
  private mutating func classifyPPI(
    ahead: Int, captured: Int, direction: RecordDirection
  ) -> PacketKind {
    guard captured >= 8, window.u8(ahead) == 0 else { return PacketKind(.other, direction) }
    let length = Int(window.u16(ahead &+ 2, .little))
    let inner = LinkType.behindPPI(window.u32(ahead &+ 4, .little))
    // A PPI header inside another one is no packet that anybody records.
    guard length >= 8, length <= captured, inner != .ppi else {
      return PacketKind(.other, direction)
    }
    if !inner.isReadable { sections.passOver(nil, inner) }
    var kind = classify(
      inner, ahead: ahead &+ length, captured: captured &- length, direction: direction)
    kind.front &+= length
    return kind
  }
}
