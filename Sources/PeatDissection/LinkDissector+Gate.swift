import BluetoothProtocols
import CaptureFormats
import WireBytes

/// What the dissector tells the gate, and takes back from it: the gate stands before everything
/// here, and for a connection of which packets were passed over it knows more.
extension LinkDissector {
  /// The row of a connection in the gate; 0 where it has none.
  private func row(_ slot: Int) -> Int {
    let link = connections[slot].link
    guard !link.isFromAir, link.id > 0 || link.id == -1 else { return 0 }
    return gate.row(
      adapter: link.adapter, connection: UInt16(truncatingIfNeeded: link.connection))
  }

  /// Takes over what the packets passed over have changed of a connection.
  mutating func takeGateChange(_ slot: Int) {
    guard let change = gate.takeChange(row: row(slot)) else { return }
    for (side, client) in [(0, change.clients.local), (1, change.clients.peer)] {
      let pending: PendingRequest.Kind? =
        switch client.kind {
        case .none: nil
        case .write: .write(nil)
        case .read: .read(UInt16(truncatingIfNeeded: client.detail))
        case .other: .readMultiple([])
        case .discovery: PendingRequest.Kind(gateDetail: client.detail)
        case .heavy: connections[slot].bearers[0].clients[side].request?.kind
        }
      guard client.kind != .heavy else { continue }
      connections[slot].bearers[0].clients[side].request = pending.map {
        PendingRequest(kind: $0, losses: gateMark)
      }
    }
    for (side, skipped) in [(0, change.local), (1, change.peer)] where skipped.left > 0 {
      connections[slot].reassemblers[side].start(
        passedOver: skipped.whole - skipped.left, of: skipped.whole, frame: frame)
      changePending(slot, by: connections[slot].reassemblers[side].pendingBytes)
    }
  }

  /// Says what holds of a connection from the next packet on.
  mutating func tellGate(_ slot: Int) {
    let connection = connections[slot]
    // What is counted must be met.
    guard !options.countsHandles, !connection.link.isFromAir, connection.link.id != 0 else {
      return
    }
    let row = gate.openRow(
      adapter: connection.link.adapter,
      connection: UInt16(truncatingIfNeeded: connection.link.connection))
    guard row > 0 else { return }
    let isWholly = connection.channels.channels.isEmpty && connection.bearers.count == 1
    let traffic: TrafficGate.Traffic =
      if !isWholly {
        .unknown
      } else if !connection.isLE {
        .classic
      } else {
        connection.isConfirmed ? .lowEnergy : .unknown
      }
    let mark = lossMark
    let local = connection.bearers[0].clients[0]
    let peer = connection.bearers[0].clients[1]
    gate.set(
      row: row, traffic, mtu: connection.bearers[0].mtu,
      clients: (local.gateState(mark), peer.gateState(mark)),
      hasPartialRead: (local.read != nil, peer.read != nil),
      hasPrepared: (!local.prepared.isEmpty, !peer.prepared.isEmpty),
      isPending: (
        connection.reassemblers[0].isPending, connection.reassemblers[1].isPending
      ),
      hasConfigurations: facts.hasConfigurations(connection.link.id),
      hasFlushableStarts: connection.hasFlushableStarts)
  }

  /// Values of a handle need no look from here on, until more is learnt of the server.
  mutating func passOver(_ handle: UInt16, _ slot: Int, _ server: Side) {
    guard mayDecide(slot, server) else { return }
    gate.pass(row: openRow(slot), isPeerServer: server == .peer, attribute: handle)
  }

  /// Values of a handle that nothing names are only counted from here on, where they come as this
  /// one did.
  mutating func onlyCount(
    _ handle: UInt16, _ slot: Int, _ server: Side, sender: Side, isNotified: Bool
  ) {
    // Packets that another capture shows are not counted.
    guard leftOut == nil, mayDecide(slot, server) else { return }
    gate.count(
      row: openRow(slot), isPeerServer: server == .peer, attribute: handle,
      isFromPeer: sender == .peer, isNotified: isNotified)
  }

  /// An indication that says nothing of other handles.
  mutating func passIndications(_ handle: UInt16, _ context: PDUContext) {
    guard context.bearer == 0 else { return }
    gate.passIndications(
      row: row(context.slot), isPeerServer: context.sender == .peer, attribute: handle)
  }

  /// Whether a decision holds until something is learnt: in a second reading, what is known may
  /// tell of a change at a packet to come.
  private func mayDecide(_ slot: Int, _ server: Side) -> Bool {
    guard !options.countsHandles, !connections[slot].link.isFromAir else { return false }
    return !knowledge.isComplete || !knowledge.changesLater(identity(slot, server))
  }

  private mutating func openRow(_ slot: Int) -> Int {
    let link = connections[slot].link
    return gate.openRow(
      adapter: link.adapter, connection: UInt16(truncatingIfNeeded: link.connection))
  }

  /// Something was learnt that may name handles of any connection.
  mutating func knowMore() {
    takeGateCounts()
    gate.forgetAll()
    knowledgeGeneration += 1
  }

  /// The connection ends.
  mutating func closeGate(_ slot: Int) {
    takeGateCounts()
    gate.close(row: row(slot))
  }

  /// Takes over what was counted while packets were passed over.
  mutating func takeGateCounts() {
    for counted in gate.takeCounts() {
      guard let slot = index[counted.adapter, counted.connection], connections[slot].link.id > 0
      else { continue }
      let side: Side = counted.isPeerServer ? .peer : .local
      let link = connections[slot].link
      unnamed.add(
        UnnamedValues.Place(link: link.id, side: side, handle: counted.attribute),
        count: counted.count)
      guard isSurvey else { continue }
      noteSurveyed(
        SurveyHandle(
          key: ServerKey(link: link.id, side: side), identity: identity(slot, side),
          handle: counted.attribute),
        frame: counted.frame)
    }
  }

  /// The request that an answer of discovery belongs to, as the gate knows it.
  func lessonRequest(_ opcode: UInt8, _ context: PDUContext) -> UInt64? {
    guard context.bearer == 0, context.frames == nil, context.length <= 64,
      opcode == 0x05 || opcode == 0x09 || opcode == 0x11 || opcode == 0x01
    else { return nil }
    let client = connections[context.slot].bearers[0].clients[context.sender.other.rawValue]
    let state = client.gateState(lossMark)
    return state.kind == .discovery ? state.detail : nil
  }

  /// An answer told nothing new.
  mutating func noteLesson(_ request: UInt64, _ answer: [UInt8], _ context: PDUContext) {
    gate.noteLesson(
      row: row(context.slot), isPeerServer: context.sender == .peer, request: request,
      answer: answer)
  }
}

extension ClientProgress {
  /// What the gate may know of it; `losses` is how many gaps there were until now.
  func gateState(_ losses: Int) -> TrafficGate.Client {
    if read?.entry != nil { return TrafficGate.Client(.heavy) }
    guard let request else { return TrafficGate.Client(.none) }
    // What was asked for before a gap has an answer of its own kind.
    guard request.losses == losses else { return TrafficGate.Client(.heavy) }
    switch request.kind {
    case .write(nil): return TrafficGate.Client(.write)
    case .executeWrite(let entries) where entries.isEmpty: return TrafficGate.Client(.other)
    case .read(let handle): return TrafficGate.Client(.read, UInt64(handle))
    case .prepareWrite: return TrafficGate.Client(.other)
    case .readMultiple(let handles):
      let isOne = handles.first.map { first in handles.allSatisfy { $0 == first } } ?? false
      return TrafficGate.Client(isOne ? .heavy : .other)
    case .readByGroupType(let type, let range): return TrafficGate.Client(0x10, type, range)
    case .readByType(let type, let range): return TrafficGate.Client(0x08, type, range)
    case .findInformation(let range): return TrafficGate.Client(0x04, BluetoothUUID(0), range)
    case .write, .executeWrite, .exchangeMTU, .findByTypeValue, .readBlob, .readMultipleVariable:
      return TrafficGate.Client(.heavy)
    }
  }
}

extension TrafficGate.Client {
  fileprivate init(
    _ opcode: UInt64, _ type: BluetoothUUID, _ range: PendingRequest.HandleRange
  ) {
    guard let short = type.short else {
      self.init(.heavy)
      return
    }
    self.init(
      .discovery,
      opcode | UInt64(range.start) << 8 | UInt64(range.end) << 24 | UInt64(short) << 40)
  }
}

extension PendingRequest.Kind {
  fileprivate init(gateDetail detail: UInt64) {
    let range = PendingRequest.HandleRange(
      start: UInt16(truncatingIfNeeded: detail >> 8),
      end: UInt16(truncatingIfNeeded: detail >> 24))
    let type = BluetoothUUID(UInt16(truncatingIfNeeded: detail >> 40))
    switch detail & 0xFF {
    case 0x04: self = .findInformation(range)
    case 0x08: self = .readByType(type, range)
    default: self = .readByGroupType(type, range)
    }
  }
}
