import BluetoothProtocols
import WireBytes

/// Where a PDU came from, for the values in it.
struct PDUContext {
  var slot: Int
  var bearer: Int
  var sender: Side
  /// The frames that carried it; nil when it was the frame at hand alone.
  var frames: [Int]?
  var channel: UInt16?
  var isGuessed: Bool
  /// Bytes of the PDU as sent, its opcode included.
  var length: Int
}

extension LinkDissector {
  /// Takes one ATT PDU of `length` bytes, of which `reader` holds those that were captured.
  mutating func att(
    _ slot: Int, bearer: Int, sender: Side, _ reader: inout ByteReader, length: Int,
    frames: [Int]?, channel: UInt16?, isGuessed: Bool
  ) {
    guard let opcode = reader.peek() else { return }
    if length > reader.remaining, opcode < 0x12 { noteDiscoveryCut(opcode) }
    // The way most traffic goes: a value on a handle that is known not to be wanted.
    if opcode == 0x1B || opcode == 0x52, let low = reader.peek(1), let high = reader.peek(2) {
      let server = opcode == 0x1B ? sender : sender.other
      let handle = UInt16(low) | UInt16(high) << 8
      if connections[slot].link.isFromAir,
        connections[slot].unwanted.contains(handle, of: server, at: knowledgeGeneration)
      {
        return
      }
    }
    let context = PDUContext(
      slot: slot, bearer: bearer, sender: sender, frames: frames, channel: channel,
      isGuessed: isGuessed, length: length)
    if length == reader.remaining, let request = lessonRequest(opcode, context) {
      let bytes = [UInt8](reader.bytes)
      let before = knowledgeGeneration
      attPDU(opcode, &reader, context)
      if knowledgeGeneration == before { noteLesson(request, bytes, context) }
    } else {
      attPDU(opcode, &reader, context)
    }
  }

  private mutating func attPDU(
    _ opcode: UInt8, _ reader: inout ByteReader, _ context: PDUContext
  ) {
    let (slot, bearer, sender) = (context.slot, context.bearer, context.sender)
    let length = context.length
    do throws(DecodeError) {
      let pdu = try ATTPDU(&reader)
      if ATTOpcode.isRequest(opcode) {
        settlePending(slot, bearer: bearer, client: sender, keepsRead: opcode == 0x0C)
      }
      switch pdu {
      case .notification(let handle, let value):
        take(.notification, handle, value, length - 3, server: sender, context)
      case .indication(let handle, let value):
        take(.indication, handle, value, length - 3, server: sender, context)
        if !noteServiceChanged(handle, value, context) { passIndications(handle, context) }
      case .writeCommand(let handle, let value):
        noteConfiguration(handle, value, context)
        take(.writeCommand, handle, value, length - 3, server: sender.other, context)
      case .signedWriteCommand(let handle, let value):
        let signed = max(0, length - 3 - 12)
        let present = value.extracting(0..<min(signed, value.byteCount))
        take(.signedWriteCommand, handle, present, signed, server: sender.other, context)
      case .writeRequest(let handle, let value):
        noteConfiguration(handle, value, context)
        let entry = take(
          .writeRequest, handle, value, length - 3, server: sender.other, context,
          isAwaiting: true)
        expect(.write(entry), context)
      case .multipleNotification(var values):
        takeMultiple(&values, context)
      case .writeResponse:
        settlePending(slot, bearer: bearer, client: sender.other, isAnswered: true)
      case .executeWriteResponse:
        settlePending(slot, bearer: bearer, client: sender.other, isAnswered: true)
        // Where the request was lost, its parts are not to be taken for those of a next write.
        dropPrepared(slot, bearer: bearer, client: sender.other)
      case .errorResponse(let request, let handle, let code):
        noteRefusal(of: request, handle: handle, code: code, context)
        refuse(request: request, code: code, context)
      default:
        try discoveryOrRead(pdu, context)
      }
    } catch {
      // A PDU that is too short for its fixed part carries no value.
      return
    }
  }

  mutating func expect(_ kind: PendingRequest.Kind, _ context: PDUContext) {
    connections[context.slot].bearers[context.bearer].clients[context.sender.rawValue].request =
      PendingRequest(kind: kind, losses: lossMark)
  }

  /// Takes the request that a response of this PDU's sender answers, be it a read or discovery.
  mutating func answered(_ context: PDUContext) -> PendingRequest? {
    let request = takeRequest(context)
    settle(unanswered: request)
    return request
  }

  private mutating func takeRequest(_ context: PDUContext) -> PendingRequest? {
    let client = context.sender.other.rawValue
    let request = connections[context.slot].bearers[context.bearer].clients[client].request
    connections[context.slot].bearers[context.bearer].clients[client].request = nil
    return request
  }

  /// An answer of another kind came: the one to a write was lost, or the packet was, and what
  /// became of it will never be known.
  private mutating func settle(unanswered request: PendingRequest?) {
    switch request?.kind {
    case .write(let entry?): queue.settle(entry)
    case .executeWrite(let entries): for entry in entries { queue.settle(entry) }
    default: break
    }
  }

  /// A client goes on: what waited for the answer to its last request, or for a next part, is as
  /// it will ever be.
  ///
  /// A Read Blob request may be for that next part; whether it is shows in its answer.
  mutating func settlePending(
    _ slot: Int, bearer: Int, client: Side, keepsRead: Bool = false, isAnswered: Bool = false
  ) {
    let progress = connections[slot].bearers[bearer].clients[client.rawValue]
    guard progress.request != nil || progress.read?.entry != nil else { return }
    switch progress.request?.kind {
    case .write(let entry?): queue.settle(entry, isAnswered: isAnswered)
    case .executeWrite(let entries):
      for entry in entries { queue.settle(entry, isAnswered: isAnswered) }
    default: break
    }
    connections[slot].bearers[bearer].clients[client.rawValue].request = nil
    if !keepsRead, let entry = progress.read?.entry {
      queue.settle(entry, isOpenEnded: true)
      connections[slot].bearers[bearer].clients[client.rawValue].read?.entry = nil
    }
  }

  /// The queue of a long write ends.
  private mutating func dropPrepared(_ slot: Int, bearer: Int, client: Side) {
    changePending(
      slot, by: -connections[slot].bearers[bearer].clients[client.rawValue].preparedBytes)
    connections[slot].bearers[bearer].clients[client.rawValue].prepared = []
  }

  /// An Error Response: the request it names was not done (Vol 3 Part F, 3.4.1.1).
  private mutating func refuse(request: UInt8, code: UInt8, _ context: PDUContext) {
    let client = context.sender.other.rawValue
    let slot = context.slot
    let bearer = context.bearer
    let pending = takeRequest(context)
    if pending?.opcode != request { settle(unanswered: pending) }
    if let pending, pending.opcode == request, code == 0x0A { learnNothing(pending, context) }
    switch (request, pending?.kind) {
    case (0x12, .write(let entry?)): queue.settle(entry, outcome: .refused(code))
    case (0x16, .prepareWrite):
      let last = connections[slot].bearers[bearer].clients[client].prepared.count - 1
      if last >= 0 {
        connections[slot].bearers[bearer].clients[client].prepared[last].isRefused = true
      }
    case (0x18, .executeWrite(let entries)):
      for entry in entries { queue.settle(entry, outcome: .refused(code)) }
      dropPrepared(slot, bearer: bearer, client: context.sender.other)
    case (0x0C, _):
      // Nothing follows: what was read so far is the value.
      if let entry = connections[slot].bearers[bearer].clients[client].read?.entry {
        queue.settle(entry)
      }
      connections[slot].bearers[bearer].clients[client].read = nil
    default: break
    }
  }
}
