extension CaptureReader {
  /// The longest record that is taken for one: Wireshark's own limit for these link types.
  static var longestRecord: Int { 262_144 }

  /// Notes the damage at the reader's place and looks for the next record.
  ///
  /// The search begins inside the record before, whose own length may be the wrong one, and asks
  /// for two records in a row, of which the second may be the end of the input. It looks at each
  /// offset once, so it is linear in the bytes passed over. False where the capture ends.
  mutating func recover(from fault: Fault) throws(CaptureError) -> Bool {
    if isGrowing {
      switch fault {
      case .cutHeader, .cutRecord:
        window.retry()
        return false
      case .absurdLength, .implausible, .zeros, .shortBlock, .blockLengths, .unknownInterface,
        .byteOrder, .source:
        break
      }
    }
    if hasEnded { return false }
    let place = window.offset
    let reason = (window.isExhausted ? window.source?.fault : nil) ?? fault.reason
    let canGoOn = !stopsAtDamage && format != .btsnooz && format != .bugReport
    var resumed = canGoOn ? try passBlock(fault) : nil
    if resumed == nil, canGoOn { resumed = try findRecord(after: place) }
    damageCount += 1
    if damages.count < 16 {
      damages.append(
        CaptureError(
          .damaged, path: path, offset: place, reason: reason,
          resumesAt: resumed))
    }
    if resumed == nil { hasEnded = true }
    return resumed != nil
  }

  /// Moves to the next place where two records follow each other; returns its offset.
  private mutating func findRecord(after place: Int) throws(CaptureError) -> Int? {
    let shortest = minimalRecord
    // The record before may have swallowed the start of this one, but not its own header.
    // Only the first few times, so that hostile input cannot make us read one part many times.
    if window.keep < window.position, damageCount < 16 {
      window.position = min(window.position, window.keep + shortest - 1)
    }
    while true {
      window.position += 1
      window.keep = window.position
      // A whole record should lie in the window before its end is looked at.
      if try !window.has(Self.longestRecord + shortest), window.available < shortest { return nil }
      // No container has a record that begins with eight zeros; a run of them is passed quickly.
      if window.available >= 16, window.load(0, as: UInt64.self) == 0 {
        if window.load(8, as: UInt64.self) == 0 { window.position += 7 }
        continue
      }
      guard let length = plausibleLength(ahead: 0) else { continue }
      if try window.has(length + shortest) {
        guard plausibleLength(ahead: length) != nil else { continue }
      } else {
        // The chain may also end exactly where the input does.
        guard try window.has(length), window.available == length else { continue }
      }
      // The damaged record itself may look right from outside.
      if window.offset == place { continue }
      return window.offset
    }
  }

  /// Whether a faulty pcapng block still says where the next one begins; moves there.
  private mutating func passBlock(_ fault: Fault) throws(CaptureError) -> Int? {
    switch fault {
    case .shortBlock(_, let length, _) where length >= 12:
      guard try window.has(Int(length)) else { return nil }
      guard window.u32(Int(length) - 4, order) == length else { return nil }
      window.position += Int(length)
    case .unknownInterface:
      // Found inside a block whose two lengths agree.
      window.position += Int(window.u32(4, order))
    case .shortBlock, .cutHeader, .cutRecord, .absurdLength, .implausible, .zeros, .blockLengths,
      .byteOrder, .source:
      return nil
    }
    window.keep = window.position
    return try window.has(1) ? window.offset : nil
  }

  /// Bytes of the smallest record of this container.
  private var minimalRecord: Int {
    switch format {
    case .btsnoop: 24
    case .pcap: 16
    case .pcapng: 12
    case .packetLogger: 13
    case .hcidump: 13
    case .btsnooz, .bugReport: 7
    case .h4: 3
    }
  }

  /// The whole length of a record that can be taken for one without any doubt.
  private mutating func plausibleLength(ahead: Int) -> Int? {
    switch format {
    case .btsnoop: plausibleBTSnoop(ahead)
    case .pcap: plausiblePcap(ahead)
    case .pcapng: plausiblePcapng(ahead)
    case .packetLogger: plausiblePacketLogger(ahead)
    case .hcidump: plausibleHCIDump(ahead)
    case .h4: plausibleH4(ahead)
    case .btsnooz, .bugReport: nil
    }
  }
}
