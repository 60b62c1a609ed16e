import BluetoothProtocols
import WireBytes

extension LinkDissector {
  /// The longest attribute value (Vol 3 Part F, 3.2.9).
  private static let valueLimit = 512

  /// Reads of one or several values, and long writes.
  mutating func read(_ pdu: borrowing ATTPDU, _ context: PDUContext) throws(DecodeError) {
    let slot = context.slot
    let bearer = context.bearer
    switch pdu {
    case .readRequest(let handle): expect(.read(handle), context)
    case .readResponse(let value):
      guard case .read(let handle) = answered(context)?.kind else { return }
      proceedRead(
        PartialRead(handle: handle, bytes: [], length: 0, frames: []), value, context,
        opcode: .readResponse)
    case .readBlobRequest(let handle, let offset):
      expect(.readBlob(handle: handle, offset: Int(offset)), context)
      let client = context.sender.rawValue
      let pending = connections[slot].bearers[bearer].clients[client].read
      if let read = pending, read.entry != nil, read.handle == handle, read.length < Int(offset) {
        // The client has more than the capture: a part is missing, and the rest follows.
        connections[slot].bearers[bearer].clients[client].read?.length = Int(offset)
      } else if let entry = pending?.entry,
        pending?.handle != handle || pending?.length != Int(offset)
      {
        queue.settle(entry, isOpenEnded: true)
        connections[slot].bearers[bearer].clients[client].read = nil
      }
    case .readBlobResponse(let part):
      guard case .readBlob(let handle, let offset) = answered(context)?.kind else { return }
      let client = context.sender.other.rawValue
      let pending = connections[slot].bearers[bearer].clients[client].read
      if let pending, pending.handle == handle, pending.length == offset {
        if let entry = pending.entry { queue.remove(entry) }
        proceedRead(pending, part, context, opcode: .readBlob)
      } else if offset == 0 {
        proceedRead(
          PartialRead(handle: handle, bytes: [], length: 0, frames: []), part, context,
          opcode: .readBlob)
      }
    case .readMultipleRequest(var handles):
      expect(.readMultiple(try LinkDissector.handles(&handles)), context)
    case .readMultipleVariableRequest(var handles):
      expect(.readMultipleVariable(try LinkDissector.handles(&handles)), context)
    case .readMultipleVariableResponse(var values):
      guard case .readMultipleVariable(let handles) = answered(context)?.kind else { return }
      try takeVariable(handles, &values, context)
    case .readMultipleResponse(let values):
      guard case .readMultiple(let handles) = answered(context)?.kind else { return }
      takeJoined(handles, values, context)
    case .prepareWriteRequest(let handle, let offset, let part):
      prepare(handle, Int(offset), part, context)
    case .prepareWriteResponse(let handle, let offset, let part):
      confirm(handle, Int(offset), part, context)
    case .executeWriteRequest(let isWrite): execute(isWrite: isWrite, context)
    default: break
    }
  }

  private static func handles(_ reader: inout ByteReader) throws(DecodeError) -> [UInt16] {
    var handles: [UInt16] = []
    while reader.remaining >= 2 { handles.append(try reader.le16()) }
    return handles
  }

  /// One more part of a value that is read: a full part may have a next one behind it.
  private mutating func proceedRead(
    _ before: PartialRead, _ part: RawSpan, _ context: PDUContext, opcode: ValueOpcode
  ) {
    var read = before
    let client = context.sender.other.rawValue
    let partLength = max(0, context.length - 1)
    if read.bytes.count == read.length { read.bytes += [UInt8](part) }
    read.length += partLength
    read.frames += context.frames ?? [frame]
    read.entry = nil
    let verdict = verdict(of: read.handle, slot: context.slot, server: context.sender)
    let isFull =
      partLength == connections[context.slot].bearers[context.bearer].mtu - 1
      && read.length < LinkDissector.valueLimit
    read.entry = put(
      opcode, read.handle, read.bytes, read.length, frames: read.frames, verdict: verdict,
      server: context.sender, context, isAwaiting: isFull)
    connections[context.slot].bearers[context.bearer].clients[client].read = isFull ? read : nil
  }

  /// A Read Multiple Variable Length response: length and value in the order asked for.
  private mutating func takeVariable(
    _ handles: [UInt16], _ values: inout ByteReader, _ context: PDUContext
  ) throws(DecodeError) {
    var left = context.length - 1
    for handle in handles {
      guard values.remaining >= 2 else { return }
      let length = Int(try values.le16())
      left -= 2
      let part = try values.view(min(length, values.remaining))
      let sent = min(length, max(0, left))
      left -= length
      take(
        .readMultipleVariable, handle, part, sent, server: context.sender, context,
        parts: ValueParts(announced: sent < length ? length : nil))
    }
  }

  /// A Read Multiple response joins values without their lengths: only the last one's start can be
  /// told, and only when every other value was asked for alone before. What is sure is a set that
  /// asks for the document alone.
  private mutating func takeJoined(
    _ handles: [UInt16], _ values: RawSpan, _ context: PDUContext
  ) {
    guard let first = handles.first, handles.allSatisfy({ $0 == first }) else { return }
    take(.readMultiple, first, values, context.length - 1, server: context.sender, context)
  }

  private mutating func prepare(
    _ handle: UInt16, _ offset: Int, _ part: RawSpan, _ context: PDUContext
  ) {
    expect(.prepareWrite, context)
    queuePart(handle, offset, part, context, client: context.sender)
  }

  /// The answer repeats the part: where the request was lost, the server has it all the same.
  private mutating func confirm(
    _ handle: UInt16, _ offset: Int, _ part: RawSpan, _ context: PDUContext
  ) {
    let client = context.sender.other
    if case .prepareWrite = answered(context)?.kind {
      let last = connections[context.slot].bearers[context.bearer].clients[client.rawValue]
        .prepared.last
      if last?.handle == handle, last?.offset == offset { return }
    }
    queuePart(handle, offset, part, context, client: client)
  }

  private mutating func queuePart(
    _ handle: UInt16, _ offset: Int, _ part: RawSpan, _ context: PDUContext, client: Side
  ) {
    let parts = connections[context.slot].bearers[context.bearer].clients[client.rawValue].prepared
    guard parts.count < ClientProgress.preparedLimit else { return }
    let prepared = PreparedPart(
      handle: handle, offset: offset, bytes: [UInt8](part),
      length: max(0, context.length - 5), frames: context.frames ?? [frame], losses: lossMark)
    connections[context.slot].bearers[context.bearer].clients[client.rawValue].prepared
      .append(prepared)
    changePending(context.slot, by: prepared.cost)
  }

  /// Executes or cancels the queue of the bearer: it may hold values of several handles.
  private mutating func execute(isWrite: Bool, _ context: PDUContext) {
    let client = context.sender.rawValue
    let parts = connections[context.slot].bearers[context.bearer].clients[client].prepared
    changePending(
      context.slot,
      by: -connections[context.slot].bearers[context.bearer].clients[client].preparedBytes)
    connections[context.slot].bearers[context.bearer].clients[client].prepared = []
    var entries: [UInt64] = []
    var handles: [UInt16] = []
    for part in parts where !part.isRefused && !handles.contains(part.handle) {
      handles.append(part.handle)
    }
    for handle in handles {
      let server = context.sender.other
      if options.countsHandles, isWrite {
        let bytes = parts.reduce(0) { $1.handle == handle && !$1.isRefused ? $0 + $1.length : $0 }
        connections[context.slot].uses.add(
          .executeWrite, handle, bytes: bytes, server: server, sender: context.sender)
      }
      let verdict = verdict(of: handle, slot: context.slot, server: server)
      guard verdict != .unwanted else { continue }
      var joined = JoinedParts()
      for part in parts where part.handle == handle && !part.isRefused { joined.add(part) }
      let parts = ValueParts(hasHole: joined.hasHole, spansLoss: joined.losses != lossMark)
      let entry = put(
        .executeWrite, handle, joined.known, joined.length,
        frames: joined.frames + (context.frames ?? [frame]), verdict: verdict, server: server,
        context, isAwaiting: isWrite, parts: parts)
      guard let entry else { continue }
      if isWrite {
        entries.append(entry)
      } else {
        queue.settle(entry, outcome: .cancelled)
      }
    }
    expect(.executeWrite(entries), context)
  }
}
