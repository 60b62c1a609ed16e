extension TrafficGate {
  /// Whether an ATT PDU of `length` bytes on the fixed channel says nothing that is wanted (Core
  /// Specification Vol 3 Part F, 3.4); its first part holds opcode and handles.
  ///
  /// Does what whoever follows the connections would do with it: a request takes the place of the
  /// one before, an answer takes it away, values are counted.
  @inline(__always)
  mutating func passesATT(
    _ row: Int, _ side: Int, _ pdu: PacketBytes, _ length: Int, isPart: Bool, frame: Int
  ) -> Bool {
    let opcode = pdu.u8(0)
    switch opcode {
    case 0x1B:
      return length >= 3
        && passes(
          row, server: side, pdu.u16(1), sender: side, isNotified: true, isPart: isPart,
          frame: frame)
    case 0x52:
      // Two bytes may be a client's configuration.
      return length >= 3 && length != 5
        && passes(
          row, server: side ^ 1, pdu.u16(1), sender: side, isNotified: false, isPart: isPart,
          isTiny: length < 6,
          frame: frame)
    case 0x12:
      guard length >= 3, length != 5, rows[row].clients[side].kind != .heavy,
        passes(
          row, server: side ^ 1, pdu.u16(1), sender: side, isNotified: false, isPart: isPart,
          isTiny: length < 6,
          frame: frame)
      else { return false }
      ask(row, side, Client(.write))
      return true
    case 0x13: return answer(row, side)
    case 0x0A:
      guard length >= 3, rows[row].clients[side].kind != .heavy else { return false }
      ask(row, side, Client(.read, UInt64(pdu.u16(1))))
      return true
    case 0x0B: return passesRead(row, side, length, isPart: isPart, frame: frame)
    default: return passesRarer(row, side, opcode, pdu, length, isPart: isPart, frame: frame)
    }
  }

  /// A client's request takes the place of what it waited for.
  @inline(__always)
  private mutating func ask(_ row: Int, _ side: Int, _ client: Client) {
    rows[row].clients[side] = client
    rows[row].isChanged = true
  }

  /// An answer that tells nothing; false where the other side's request has more to it.
  @inline(__always)
  private mutating func answer(_ row: Int, _ side: Int) -> Bool {
    let client = rows[row].clients[side ^ 1]
    if client.kind == .heavy { return false }
    if client.kind != .none { ask(row, side ^ 1, Client(.none)) }
    return true
  }

  /// A value that was read; a full one may have a next part.
  @inline(__always)
  private mutating func passesRead(_ row: Int, _ side: Int, _ length: Int, isPart: Bool, frame: Int)
    -> Bool
  {
    let client = rows[row].clients[side ^ 1]
    guard client.kind == .read else { return answer(row, side) }
    guard rows[row].flags & Flag.partialRead(side ^ 1) == 0, length != Int(rows[row].mtu),
      passes(
        row, server: side, Int(client.detail), sender: side, isNotified: false, isPart: isPart,
        frame: frame)
    else { return false }
    ask(row, side ^ 1, Client(.none))
    return true
  }

  @inline(never)
  private mutating func passesRarer(
    _ row: Int, _ side: Int, _ opcode: Int, _ pdu: PacketBytes, _ length: Int, isPart: Bool,
    frame: Int
  ) -> Bool {
    switch opcode {
    case 0x1D:
      return length >= 3
        && passes(
          row, server: side, pdu.u16(1), sender: side, isNotified: true, isPart: isPart,
          isIndicated: true,
          frame: frame)
    case 0x1E: return true
    case 0xD2:
      return length >= 15
        && passes(
          row, server: side ^ 1, pdu.u16(1), sender: side, isNotified: false, isPart: isPart,
          isTiny: length < 18,
          frame: frame)
    case 0x23: return !isPart && passesSeveral(row, side, pdu)
    case 0x0F, 0x21: return answer(row, side)
    case 0x0D:
      return rows[row].flags & Flag.partialRead(side ^ 1) == 0 && answer(row, side)
    case 0x05, 0x09, 0x11, 0x07: return passesDiscovered(row, side, pdu, isPart: isPart)
    case 0x01: return !isPart && length == 5 && passesError(row, side, pdu)
    case 0x17:
      return length >= 5 && rows[row].flags & Flag.prepared(side ^ 1) == 0
        && isUnwanted(row, server: side, pdu.u16(1)) && answer(row, side)
    case 0x19: return rows[row].flags & Flag.prepared(side ^ 1) == 0 && answer(row, side)
    default: return passesRequest(row, side, opcode, pdu, length, isPart: isPart)
    }
  }

  private mutating func passesRequest(
    _ row: Int, _ side: Int, _ opcode: Int, _ pdu: PacketBytes, _ length: Int, isPart: Bool
  ) -> Bool {
    guard rows[row].clients[side].kind != .heavy, !isPart || opcode == 0x16 else { return false }
    let flags = rows[row].flags
    switch opcode {
    case 0x0C:
      guard length >= 5, pdu.u16(3) > 0, flags & Flag.partialRead(side) == 0 else { return false }
      ask(row, side, Client(.other))
    case 0x0E:
      // Values that are read together are told apart only where they are of one handle.
      guard length == 5, pdu.u16(1) != pdu.u16(3) else { return false }
      ask(row, side, Client(.other))
    case 0x20:
      guard length >= 3 else { return false }
      for place in stride(from: 1, to: length &- 1, by: 2)
      where !isUnwanted(row, server: side ^ 1, pdu.u16(place)) { return false }
      ask(row, side, Client(.other))
    case 0x16:
      guard length >= 5, flags & Flag.prepared(side) == 0,
        isUnwanted(row, server: side ^ 1, pdu.u16(1))
      else { return false }
      ask(row, side, Client(.other))
    case 0x18:
      guard length >= 2, flags & Flag.prepared(side) == 0 else { return false }
      ask(row, side, Client(.other))
    case 0x04:
      guard length == 5 else { return false }
      ask(row, side, Client(.discovery, UInt64(pdu.u8(0)) | UInt64(pdu.u32(1)) << 8))
    case 0x08, 0x10:
      guard length == 7 else { return false }
      let range = UInt64(pdu.u8(0)) | UInt64(pdu.u32(1)) << 8
      ask(row, side, Client(.discovery, range | UInt64(pdu.u16(5)) << 40))
    default: return false
    }
    return true
  }

  /// Handle, length and value, again and again.
  private func passesSeveral(_ row: Int, _ side: Int, _ pdu: PacketBytes) -> Bool {
    var place = 1
    while place &+ 4 <= pdu.count {
      guard isUnwanted(row, server: side, pdu.u16(place)) else { return false }
      place &+= 4 &+ pdu.u16(place &+ 2)
    }
    return true
  }

  /// An answer to a discovery request that told nothing new when it last came.
  private mutating func passesDiscovered(
    _ row: Int, _ side: Int, _ pdu: PacketBytes, isPart: Bool
  ) -> Bool {
    let client = rows[row].clients[side ^ 1]
    guard client.kind == .discovery else { return answer(row, side) }
    let type = Int(client.detail >> 40)
    let isOfValues =
      pdu.u8(0) == 0x09 && client.detail & 0xFF == 0x08 && TrafficGate.isValue(type)
    guard !isPart,
      lessons.holds(
        server: UInt32(truncatingIfNeeded: row << 1 | side), stamp: rows[row].stamp,
        request: client.detail, pdu, isOfValues: isOfValues)
    else { return false }
    if isOfValues {
      var place = 2
      let size = pdu.u8(1)
      while size >= 2, place &+ size <= pdu.count {
        guard isUnwanted(row, server: side, pdu.u16(place)) else { return false }
        place &+= size
      }
    }
    ask(row, side ^ 1, Client(.none))
    return true
  }

  /// Whether attributes of a type have values that are looked at: declarations tell of the table
  /// (Vol 3 Part G, 3), and the database hash of all of it.
  private static func isValue(_ type: Int) -> Bool {
    !(0x2800...0x2803).contains(type) && type != 0x2B2A
  }

  /// An Error Response: what it refuses may be noted, and nothing found may teach.
  private mutating func passesError(_ row: Int, _ side: Int, _ pdu: PacketBytes) -> Bool {
    let client = rows[row].clients[side ^ 1]
    let flags = rows[row].flags
    switch pdu.u8(1) {
    case 0x0A: return false
    case 0x0C: if flags & Flag.partialRead(side ^ 1) != 0 { return false }
    case 0x12: if flags & Flag.configurations != 0 { return false }
    case 0x16, 0x18: if flags & Flag.prepared(side ^ 1) != 0 { return false }
    default: break
    }
    if client.kind == .discovery, pdu.u8(1) == Int(client.detail & 0xFF), pdu.u8(4) == 0x0A,
      !lessons.holds(
        server: UInt32(truncatingIfNeeded: row << 1 | side), stamp: rows[row].stamp,
        request: client.detail, pdu, isOfValues: false)
    {
      return false
    }
    return answer(row, side)
  }

  /// Notes that the answer to a discovery request told nothing new.
  public mutating func noteLesson(
    row: Int, isPeerServer: Bool, request: UInt64, answer: borrowing [UInt8]
  ) {
    guard row > 0 else { return }
    let server = UInt32(truncatingIfNeeded: row << 1 | (isPeerServer ? 1 : 0))
    let stamp = rows[row].stamp
    // The pointer does not leave the closure.
    unsafe answer.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      lessons.add(
        server: server, stamp: stamp, request: request,
        unsafe PacketBytes(base, count: bytes.count))
    }
  }
}
