import WireBytes

extension CaptureReader {
  /// Block type of a section header, the same in both byte orders.
  static var sectionHeader: UInt32 { 0x0A0D_0D0A }

  /// Reads one pcapng block: type, length, body, length again (formats.md 7).
  mutating func stepPcapng(_ out: inout PendingRecord) throws(CaptureError) -> Step {
    while true {
      guard try window.has(12) else {
        return window.available == 0
          ? .end : .damaged(.cutHeader(have: window.available, need: 12))
      }
      var type = window.u32(0, order)
      if type == Self.sectionHeader {
        // The byte order of a section is known only from inside its header.
        switch window.u32(8, .little) {
        case 0x1A2B_3C4D: order = .little
        case 0x4D3C_2B1A: order = .big
        default: return .damaged(.byteOrder(window.u32(8, order)))
        }
        type = Self.sectionHeader
      } else if !sections.hasSection {
        return .damaged(.implausible)
      }
      let claimed = window.u32(4, order)
      guard claimed >= 12, claimed & 3 == 0 else {
        return .damaged(
          window.u64(0, .big) == 0
            ? .zeros
            : claimed < 12
              ? .shortBlock(type: type, length: claimed, need: 12) : .absurdLength(claimed))
      }
      let length = Int(claimed)
      switch type {
      case Self.sectionHeader, 1, 2, 3, 5, 6:
        guard length <= ByteWindow.limit else { return .damaged(.absurdLength(claimed)) }
        // Only options make a block so long; the input must have it before it is read.
        if length > Self.longestRecord, let left = window.remaining, left < length {
          return .damaged(.cutRecord(have: left, need: length))
        }
        guard try window.has(length) else {
          return .damaged(.cutRecord(have: window.available, need: length))
        }
        let last = window.u32(length - 4, order)
        guard last == claimed else { return .damaged(.blockLengths(claimed, last)) }
        if let step = takeBlock(&out, type, length: length) { return step }
        window.keep = window.position
        window.position += length
      default:
        // Longer than any block that is skipped by length alone may be: likely not a block.
        if let fault = try skipBlock(claimed) { return .damaged(fault) }
      }
    }
  }

  /// Passes a block of an unknown kind; a small one must say its length twice.
  private mutating func skipBlock(_ claimed: UInt32) throws(CaptureError) -> Fault? {
    let length = Int(claimed)
    if length <= Self.longestRecord {
      guard try window.has(length) else {
        return .cutRecord(have: window.available, need: length)
      }
      let last = window.u32(length - 4, order)
      guard last == claimed else { return .blockLengths(claimed, last) }
      window.keep = window.position
      window.position += length
      return nil
    }
    if let left = window.remaining, left < length { return .absurdLength(claimed) }
    let have = window.available
    return try window.skip(length) ? nil : .cutRecord(have: have, need: length)
  }

  /// Reads one whole block; nil where it holds no packet and the next one is wanted.
  private mutating func takeBlock(_ out: inout PendingRecord, _ type: UInt32, length: Int) -> Step?
  {
    switch type {
    case Self.sectionHeader:
      guard length >= 28 else {
        return .damaged(.shortBlock(type: type, length: UInt32(length), need: 28))
      }
      sections.beginSection()
      return nil
    case 1: return takeInterface(length: length)
    case 5:
      takeStatistics(length: length)
      return nil
    case 6: return takePacketBlock(&out, type, length: length, header: 28)
    case 2: return takePacketBlock(&out, type, length: length, header: 28)
    default: return takeSimplePacket(&out, length: length)
    }
  }

  private mutating func takeInterface(length: Int) -> Step? {
    guard length >= 20 else {
      return .damaged(.shortBlock(type: 1, length: UInt32(length), need: 20))
    }
    // A file can describe an interface in 20 bytes; their number is bounded against that.
    guard sections.interfaces.count < 65_536 else { return .damaged(.implausible) }
    var interface = PcapngInterface(link: LinkType(number: UInt32(window.u16(8, order))))
    interface.snapLength = window.u32(12, order)
    forEachOption(from: 16, to: length - 4) { window, code, place, size in
      if code == 9, size >= 1 { interface.setResolution(window.u8(place)) }
      if code == 14, size >= 8 {
        interface.offsetSeconds = Int64(bitPattern: window.u64(place, order))
      }
    }
    sections.interfaces.append(interface)
    if !linkTypes.contains(interface.link), linkTypes.count < 64 {
      linkTypes.append(interface.link)
    }
    if !interface.link.isReadable, sections.refused == nil {
      sections.refused = (window.offset + 8, interface.link.refusal)
    }
    return nil
  }

  /// An enhanced (6) or old (2) packet block.
  private mutating func takePacketBlock(
    _ out: inout PendingRecord, _ type: UInt32, length: Int, header: Int
  ) -> Step? {
    guard length >= 32 else {
      return .damaged(.shortBlock(type: type, length: UInt32(length), need: 32))
    }
    let isOld = type == 2
    let number = isOld ? UInt32(window.u16(8, order)) : window.u32(8, order)
    let high = window.u32(12, order)
    let low = window.u32(16, order)
    let captured = window.u32(20, order)
    let original = window.u32(24, order)
    guard Int(captured) <= length - 32, captured <= Self.longestRecord else {
      return .damaged(.absurdLength(captured))
    }
    guard Int(number) < sections.interfaces.count else {
      return .damaged(.unknownInterface(number))
    }
    if isOld {
      let dropped = window.u16(10, order)
      if dropped != 0xFFFF { sections.addDrops(UInt64(dropped), interface: number) }
    }
    let interface = sections.interfaces[Int(number)]
    let dataEnd = 28 + (Int(captured) + 3) & ~3
    var flags: UInt32 = 0
    var dropped: UInt64 = 0
    if dataEnd < length - 4 {
      forEachOption(from: dataEnd, to: length - 4) { window, code, place, size in
        if code == 2, size >= 4 { flags = window.u32(place, order) }
        if code == 4, size >= 8, !isOld { dropped = window.u64(place, order) }
      }
    }
    if dropped > 0 { sections.addDrops(dropped, interface: number) }
    return takePcapngPacket(
      &out, interface, number: Int(number), time: interface.time(UInt64(high) << 32 | UInt64(low)),
      ahead: 28, captured: Int(captured), original: Int(original), flags: flags, length: length)
  }

  /// A simple packet block: no time, always the first interface, length by its snap length.
  private mutating func takeSimplePacket(_ out: inout PendingRecord, length: Int) -> Step? {
    guard length >= 16 else {
      return .damaged(.shortBlock(type: 3, length: UInt32(length), need: 16))
    }
    guard let interface = sections.interfaces.first else {
      return .damaged(.unknownInterface(0))
    }
    let original = Int(window.u32(8, order))
    let limit = interface.snapLength == 0 ? original : min(original, Int(interface.snapLength))
    let captured = min(limit, length - 16)
    guard captured <= Self.longestRecord else {
      return .damaged(.absurdLength(UInt32(captured)))
    }
    return takePcapngPacket(
      &out, interface, number: 0, time: nil, ahead: 12, captured: captured, original: original,
      flags: 0, length: length)
  }

  private mutating func takePcapngPacket(
    _ out: inout PendingRecord, _ interface: PcapngInterface, number: Int, time: Timestamp?,
    ahead: Int, captured: Int,
    original: Int, flags: UInt32, length: Int
  ) -> Step {
    frames &+= 1
    // The original length may be absurd without harm; it is held at what a packet can have.
    let original = min(original, Self.longestRecord)
    guard interface.link.isReadable else {
      sections.passOver(number, interface.link)
      window.keep = window.position
      window.position += length
      return .skipped
    }
    let direction: RecordDirection =
      switch flags & 3 {
      case 1: .received
      case 2: .sent
      default: .unknown
      }
    if interface.link.isUSB {
      return takeTransfer(
        interface.link, ahead: ahead, captured: captured, time: time, interface: number,
        drops: sections.drops, length: length)
    }
    // What the clock showed tells how far records may be passed over.
    if let time, !time.isHeldAtLimit { clock.note(time.nanoseconds / 1000) } else { clock.forget() }
    takePacket(
      &out, interface.link, ahead: ahead, captured: captured, original: original, time: time,
      direction: direction, adapter: number, drops: sections.drops, length: length)
    return .record
  }

  /// Interface statistics: option 5 counts packets that the interface dropped, 7 the system.
  private mutating func takeStatistics(length: Int) {
    guard length >= 24 else { return }
    let number = window.u32(8, order)
    var lost: UInt64 = 0
    forEachOption(from: 20, to: length - 4) { window, code, place, size in
      if code == 5 || code == 7, size >= 8 { lost = max(lost, window.u64(place, order)) }
    }
    sections.noteDrops(total: lost, interface: number)
  }

  /// Walks the options of a block: code and length of 16 bits each, value padded to 4.
  private func forEachOption(
    from start: Int, to end: Int,
    _ body: (borrowing ByteWindow, UInt16, Int, Int) -> Void
  ) {
    var place = start
    while place + 4 <= end {
      let code = window.u16(place, order)
      let size = Int(window.u16(place + 2, order))
      if code == 0 || place + 4 + size > end { return }
      body(window, code, place + 4, size)
      place += 4 + (size + 3) & ~3
    }
  }

  /// The length of a block that is beyond doubt: a known type and the same length at both ends.
  ///
  /// A section header says its own byte order, which holds for the block behind it too; any other
  /// block is read in the order of the section before.
  mutating func plausiblePcapng(_ ahead: Int) -> Int? {
    let order = orderOfSection(at: ahead) ?? orderOfSection(at: 0) ?? order
    let type = window.u32(ahead, order)
    guard type == Self.sectionHeader || (1...6).contains(type) || type == 0xBAD else {
      return nil
    }
    let length = window.u32(ahead + 4, order)
    guard length >= (type == Self.sectionHeader ? 28 : 12), length & 3 == 0,
      length <= Self.longestRecord
    else { return nil }
    guard window.available >= ahead + Int(length) else {
      return window.available >= ahead + 12 && ahead > 0 ? Int(length) : nil
    }
    return window.u32(ahead + Int(length) - 4, order) == length ? Int(length) : nil
  }

  /// The byte order of the section whose header lies there; nil where none does.
  private func orderOfSection(at ahead: Int) -> ByteOrder? {
    guard window.available >= ahead + 12, window.u32(ahead, .little) == Self.sectionHeader else {
      return nil
    }
    switch window.u32(ahead + 8, .little) {
    case 0x1A2B_3C4D: return .little
    case 0x4D3C_2B1A: return .big
    default: return nil
    }
  }
}
