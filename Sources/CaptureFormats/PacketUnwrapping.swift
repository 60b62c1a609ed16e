extension CaptureReader {
  /// Takes type byte or pseudo header off the packet that `take` has set, and names its kind.
  ///
  /// A packet too short for its own pseudo header stays whole, as `.other`.
  @inline(__always)
  mutating func unwrap(_ link: LinkType, ahead: Int, flags: UInt32) {
    switch link {
    case .hciH4:
      if payloadCount >= 1 { setH4(window.u8(ahead), header: 1) }
    case .hciUnencapsulated:
      // formats.md 2: bit 1 tells command and event from data, bit 0 the direction.
      current.content =
        flags & 2 == 0 ? .acl : current.direction == .sent ? .command : .event
    case .linuxMonitor:
      setMonitor(UInt16(truncatingIfNeeded: flags))
    case .hciH4WithDirection:
      if payloadCount >= 5 {
        current.direction = window.u32(ahead, .big) & 1 == 0 ? .sent : .received
        setH4(window.u8(ahead &+ 4), header: 5)
      }
    case .linkLayer: setAir(.linkLayer251)
    case .linkLayerWithRadioHeader: setAir(.linkLayer256)
    case .nordic: setAir(.nordic272)
    case .nordicUser: setAir(.nordic157)
    case .packetLogger, .btsnooz, .other: break
    }
  }

  /// Drops `count` bytes from the front of the payload.
  @inline(__always)
  mutating func dropHeader(_ count: Int) {
    payloadStart &+= count
    payloadCount &-= count
    current.fileOffset &+= count
    current.originalLength = max(current.originalLength &- count, payloadCount)
  }

  @inline(__always)
  private mutating func setH4(_ type: UInt8, header: Int) {
    let content: RecordContent =
      switch type {
      case 1: .command
      case 2: .acl
      case 3: .sco
      case 4: .event
      case 5: .iso
      default: .other
      }
    current.content = content
    dropHeader(header)
    if current.direction == .unknown {
      // Link type 187 has no direction; commands and events can only go one way.
      switch content {
      case .command: current.direction = .sent
      case .event: current.direction = .received
      case .acl, .sco, .iso: current.directionGuessed = true
      case .linkLayer251, .linkLayer256, .nordic272, .nordic157, .monitorNote, .other: break
      }
    }
  }

  private mutating func setAir(_ content: RecordContent) {
    current.content = content
    current.direction = .unknown
  }

  /// Opcodes of the Linux monitor (formats.md 3).
  @inline(__always)
  mutating func setMonitor(_ opcode: UInt16) {
    current.monitorOpcode = opcode
    let kind: (RecordContent, RecordDirection) =
      switch opcode {
      case 2: (.command, .sent)
      case 3: (.event, .received)
      case 4: (.acl, .sent)
      case 5: (.acl, .received)
      case 6: (.sco, .sent)
      case 7: (.sco, .received)
      case 18: (.iso, .sent)
      case 19: (.iso, .received)
      default: (.monitorNote, .unknown)
      }
    current.content = kind.0
    current.direction = kind.1
  }
}
