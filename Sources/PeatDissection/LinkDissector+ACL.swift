import BluetoothProtocols
import CaptureFormats
import WireBytes

extension LinkDissector {
  /// Takes ACL data: whole L2CAP packets, which most are, are read where they lie.
  mutating func processACL(_ record: borrowing RecordView) {
    var reader = ByteReader(record.payload, base: record.fileOffset, layer: .acl)
    let header: ACLHeader
    do throws(DecodeError) { header = try ACLHeader(&reader) } catch { return }
    let slot: Int
    if let known = index[record.adapter, header.handle] {
      slot = known
    } else if !header.isVendorHandle,
      let new = openUnseen(adapter: record.adapter, handle: header.handle)
    {
      slot = new
    } else {
      return
    }
    takeGateChange(slot)
    defer { tellGate(slot) }
    if options.countsHandles { notePacket(slot) }
    // A record that was not cut holds what it holds, whatever the header claims.
    let isCut = record.originalLength > record.payload.byteCount
    if isCut { cuts.packets += 1 }
    let present = min(header.length, reader.remaining)
    let length = isCut ? header.length : present
    let fragment: RawSpan
    do throws(DecodeError) { fragment = try reader.view(present) } catch { return }

    let isStart = header.boundary != .continuing
    if isCut && isStart { noteHeadersOnly(fragment, length: length) }
    let isGuessed: Bool
    let sender: Side
    switch record.direction {
    case .sent:
      sender = .local
      isGuessed = record.directionGuessed
    case .received:
      sender = .peer
      isGuessed = record.directionGuessed
    case .unknown:
      sender = guessSender(slot, header.boundary, fragment, length: length)
      isGuessed = true
    }
    if isStart {
      start(
        slot, sender: sender, fragment: fragment, length: length, base: record.fileOffset + 4,
        isGuessed: isGuessed)
    } else {
      proceed(slot, sender: sender, fragment: fragment, length: length, isGuessed: isGuessed)
    }
  }

  /// A packet of which not even the attribute's handle is there: L2CAP header, opcode, handle.
  private mutating func noteHeadersOnly(_ fragment: RawSpan, length: Int) {
    guard length > fragment.byteCount, fragment.byteCount < 7 else { return }
    let reader = ByteReader(fragment, layer: .l2cap)
    // Signalling and pairing carry no attribute.
    if let low = reader.peek(2), let high = reader.peek(3), high == 0, low == 5 || low == 6 {
      return
    }
    traffic.headersOnly += 1
    if traffic.firstHeadersOnly == nil { traffic.firstHeadersOnly = frame }
  }

  /// A handle whose connection's beginning is not in the capture, if it has one.
  private mutating func openUnseen(adapter: Int, handle: UInt16) -> Int? {
    addConnection(
      Link(
        id: 0, adapter: adapter, connection: UInt32(handle),
        local: nil, peer: nil, peerType: nil, role: nil),
      isLE: true, wasSeenOpening: false)
  }

  /// Link type 187 has no direction. On LE a host starts packets with 00 and a controller with 10;
  /// a continuation belongs to the packet that it fits.
  private mutating func guessSender(
    _ slot: Int, _ boundary: ACLHeader.Boundary, _ fragment: RawSpan, length: Int
  ) -> Side {
    switch boundary {
    case .firstFlushable, .complete:
      connections[slot].hasFlushableStarts = true
      return .peer
    case .firstNonFlushable: return .local
    case .continuing:
      let local = connections[slot].reassemblers[Side.local.rawValue]
      let peer = connections[slot].reassemblers[Side.peer.rawValue]
      guard local.isPending && peer.isPending else { return local.isPending ? .local : .peer }
      let localMissing = local.missing ?? .max
      let peerMissing = peer.missing ?? .max
      if length > localMissing { return .peer }
      if length > peerMissing { return .local }
      if length == localMissing && length != peerMissing { return .local }
      if length == peerMissing && length != localMissing { return .peer }
      return (local.frames.last ?? 0) > (peer.frames.last ?? 0) ? .local : .peer
    }
  }

  /// Takes the first or only fragment of an L2CAP packet, of which `length` bytes were sent.
  mutating func start(
    _ slot: Int, sender: Side, fragment: RawSpan, length: Int, base: Int, isGuessed: Bool
  ) {
    let side = sender.rawValue
    if connections[slot].reassemblers[side].isPending {
      let pending = connections[slot].reassemblers[side]
      note(
        slot, .aclAbandonedStart,
        "a new packet began while \(Self.progress(pending)) of the last one had come")
      changePending(slot, by: -pending.pendingBytes)
      connections[slot].reassemblers[side].reset()
    }
    var reader = ByteReader(fragment, base: base, layer: .l2cap)
    if fragment.byteCount >= 4 {
      do throws(DecodeError) {
        let announced = Int(try reader.le16())
        let cid = try reader.le16()
        // Most of BR/EDR is no concern of ours, and much.
        if !connections[slot].isLE, !isFollowed(cid, slot) { return }
        if announced + 4 == length {
          l2cap(
            slot, sender: sender, cid: cid, &reader, length: announced, frames: nil,
            isGuessed: isGuessed)
          return
        }
        if announced + 4 < length {
          noteOverrun(slot, announced: announced + 4, received: length)
          return
        }
      } catch {
        return
      }
    }
    connections[slot].reassemblers[side].start(fragment, length: length, frame: frame)
    changePending(slot, by: connections[slot].reassemblers[side].pendingBytes)
  }

  /// Takes a further fragment of an L2CAP packet, of which `length` bytes were sent.
  mutating func proceed(
    _ slot: Int, sender: Side, fragment: RawSpan, length: Int, isGuessed: Bool
  ) {
    let side = sender.rawValue
    guard connections[slot].reassemblers[side].isPending else {
      note(slot, .aclOrphanContinuation, "a continuation came with no packet started")
      return
    }
    let before = connections[slot].reassemblers[side].pendingBytes
    connections[slot].reassemblers[side].add(fragment, length: length, frame: frame)
    let state = connections[slot].reassemblers[side].state
    if state == .partial {
      changePending(slot, by: connections[slot].reassemblers[side].pendingBytes - before)
      return
    }
    changePending(slot, by: -before)
    switch state {
    case .partial: return
    case .unusable: connections[slot].reassemblers[side].reset()
    case .overrun(let announced, let received):
      noteOverrun(slot, announced: announced, received: received)
      connections[slot].reassemblers[side].reset()
    case .complete:
      let bytes = connections[slot].reassemblers[side].bytes
      let frames = connections[slot].reassemblers[side].frames
      connections[slot].reassemblers[side].reset()
      var reader = ByteReader(bytes.rawBytes, layer: .l2cap)
      do throws(DecodeError) {
        let announced = Int(try reader.le16())
        let cid = try reader.le16()
        l2cap(
          slot, sender: sender, cid: cid, &reader, length: announced, frames: frames,
          isGuessed: isGuessed)
      } catch {
        return
      }
    }
  }

  private mutating func noteOverrun(_ slot: Int, announced: Int, received: Int) {
    note(
      slot, .aclOverrun,
      "\(received) bytes came for an L2CAP packet of \(announced); it was thrown away")
  }

  private static func progress(_ reassembler: Reassembler) -> String {
    let received = "\(reassembler.bytes.count) byte\(reassembler.bytes.count == 1 ? "" : "s")"
    return reassembler.announced.map { "\(reassembler.bytes.count) of \($0) bytes" } ?? received
  }

  /// Takes a whole L2CAP packet: its data is `reader`'s rest, of which `length` bytes were sent.
  mutating func l2cap(
    _ slot: Int, sender: Side, cid: UInt16, _ reader: inout ByteReader, length: Int,
    frames: [Int]?, isGuessed: Bool
  ) {
    switch cid {
    case 0x0004...0x0006 where connections[slot].isLE:
      if !connections[slot].isConfirmed { confirm(slot) }
      if cid == 0x0005 {
        signalling(slot, sender: sender, &reader)
      } else if cid == 0x0006 {
        securityManager(slot, sender: sender, &reader)
      } else {
        att(
          slot, bearer: 0, sender: sender, &reader, length: length, frames: frames, channel: nil,
          isGuessed: isGuessed)
      }
    case 0x0001:
      // Signalling of BR/EDR: this connection began before the capture and is no LE one.
      if !connections[slot].isConfirmed { connections[slot].isLE = false }
      if !connections[slot].isLE { signalling(slot, sender: sender, &reader) }
    case 0x0040...UInt16.max:
      if !connections[slot].channels.channels.isEmpty {
        channelData(
          slot, sender: sender, cid: cid, &reader, length: length, frames: frames,
          isGuessed: isGuessed)
      }
    default: break
    }
  }

  /// Whether a BR/EDR channel is read: signalling, and channels that carry ATT.
  private func isFollowed(_ cid: UInt16, _ slot: Int) -> Bool {
    cid == 0x0001 || connections[slot].channels.channels.contains { $0.cid == cid }
  }

  /// The Security Manager: which device a private address belongs to (Vol 3 Part H, 3.6.4).
  private mutating func securityManager(_ slot: Int, sender: Side, _ reader: inout ByteReader) {
    guard sender == .peer else { return }
    do throws(DecodeError) {
      switch try reader.u8() {
      case 0x08:
        let key = try reader.view(16)
        connections[slot].identityKey = [UInt8](key)
      case 0x09:
        try reader.skip(1)
        let identity = DeviceAddress(value: try reader.le48())
        guard let key = connections[slot].identityKey, identity.value != 0 else { return }
        connections[slot].identityKey = nil
        let found = addresses.learn(key, of: identity, usedBy: connections[slot].link.peer)
        for address in found {
          knowledge.rename(address, to: identity)
          for slot in connections.indices where connections[slot].link.peer == address {
            connections[slot].link.identity = identity
          }
        }
        if !found.isEmpty { knowMore() }
      default: return
      }
    } catch {
      return
    }
  }
}
