import BluetoothProtocols
import CaptureFormats
import WireBytes

extension LinkDissector {
  private static let databaseHash: UInt16 = 0x2B2A

  /// The PDUs by which clients learn a server's attributes, and those by which they read values.
  mutating func discoveryOrRead(
    _ pdu: borrowing ATTPDU, _ context: PDUContext
  ) throws(DecodeError) {
    switch pdu {
    case .exchangeMTURequest(let mtu): expect(.exchangeMTU(Int(mtu)), context)
    case .exchangeMTUResponse(let mtu):
      guard case .exchangeMTU(let asked) = answered(context)?.kind else { return }
      let agreed = max(ATTBearer.defaultMTU, min(asked, Int(mtu)))
      connections[context.slot].bearers[context.bearer].mtu = agreed
      if context.bearer == 0 { noteMTU(context.slot, agreed) }
    case .readByGroupTypeRequest(let start, let end, let type):
      expect(.readByGroupType(type, .init(start: start, end: end)), context)
    case .readByGroupTypeResponse(let size, var entries):
      guard let request = answered(context),
        case .readByGroupType(let type, let range) = request.kind
      else { return }
      learn(
        DiscoveryAnswer(
          services: &entries, entrySize: size, isPrimary: type.short != 0x2801,
          start: range.start), request, context)
    case .findByTypeValueRequest(let start, let end, let type, let value):
      var reader = ByteReader(value, layer: .att)
      let isService = type == 0x2800 || type == 0x2801
      let size = reader.remaining
      let uuid =
        isService && (size == 2 || size == 16) ? try BluetoothUUID(&reader, size: size) : nil
      let kind = PendingRequest.Kind.findByTypeValue(
        uuid, isPrimary: type == 0x2800, .init(start: start, end: end))
      expect(kind, context)
    case .findByTypeValueResponse(var entries):
      guard let request = answered(context),
        case .findByTypeValue(let uuid?, let isPrimary, let range) = request.kind
      else { return }
      learn(
        DiscoveryAnswer(rangesOf: uuid, isPrimary: isPrimary, &entries, start: range.start),
        request, context)
    case .readByTypeRequest(let start, let end, let type):
      expect(.readByType(type, .init(start: start, end: end)), context)
    case .readByTypeResponse(let size, var entries):
      guard let request = answered(context), case .readByType(let type, let range) = request.kind
      else { return }
      try learnByType(type, range, size, &entries, request, context)
    case .findInformationRequest(let start, let end):
      expect(.findInformation(.init(start: start, end: end)), context)
    case .findInformationResponse(let size, var entries):
      guard let request = answered(context), case .findInformation(let range) = request.kind
      else { return }
      learn(
        DiscoveryAnswer(types: &entries, uuidSize: size, start: range.start), request, context)
    default:
      noteHashRead(pdu, context)
      try read(pdu, context)
    }
  }

  /// Attribute Not Found: what was asked for is nowhere in the range (Vol 3 Part F, 3.4.1.1).
  mutating func learnNothing(_ request: PendingRequest, _ context: PDUContext) {
    let scope: DiscoveryAnswer.Scope
    let asked: PendingRequest.HandleRange
    switch request.kind {
    case .readByGroupType(let type, let range):
      scope = .services(isPrimary: type.short != 0x2801)
      asked = range
    case .findByTypeValue(let uuid?, let isPrimary, let range):
      scope = .service(uuid, isPrimary: isPrimary)
      asked = range
    case .readByType(let type, let range):
      scope = type.short == 0x2803 ? .characteristics : .values(type)
      asked = range
    case .findInformation(let range):
      scope = .attributes
      asked = range
    default: return
    }
    learn(
      DiscoveryAnswer(nothing: scope, start: asked.start, end: asked.end), request, context)
  }

  /// Learns about the server that sent the PDU at hand.
  private mutating func learn(
    _ answer: DiscoveryAnswer, _ request: PendingRequest, _ context: PDUContext
  ) {
    var answer = answer
    // An answer to a request that was lost may look like one to this.
    if request.losses != lossMark { answer.forgetRange() }
    let frame = frame
    changeTable(context) { $0.learn(answer, frame: frame) }
    let isNew = knowledge.learn(
      answer, own: connections[context.slot].tables[context.sender.rawValue].latest,
      of: identity(context.slot, context.sender), link: connections[context.slot].link.id,
      frame: frame)
    if isNew { knowMore() }
    heedStrayIndications(context)
  }

  /// Discovery named the handle of Service Changed: what it indicated before holds, too.
  private mutating func heedStrayIndications(_ context: PDUContext) {
    guard !strayIndications.isEmpty else { return }
    let table = connections[context.slot].tables[context.sender.rawValue].latest
    let key = ServerKey(link: connections[context.slot].link.id, side: context.sender)
    let server = identity(context.slot, context.sender)
    let understood = strayIndications.take(of: key, server) {
      table.characteristic(at: $0)?.uuid.short == AttributeTable.serviceChanged
    }
    for indication in understood {
      if indication.key == key {
        changeTable(context) { $0.withdrawEarlier(indication.range, frame: indication.frame) }
      }
      knowledge.withdrawEarlier(indication.range, of: server, frame: indication.frame)
    }
    if !understood.isEmpty { knowMore() }
  }

  /// Who reads the attribute of the database hash by its handle learns the hash as well.
  private mutating func noteHashRead(_ pdu: borrowing ATTPDU, _ context: PDUContext) {
    let request = connections[context.slot].bearers[context.bearer]
      .clients[context.sender.other.rawValue].request
    guard case .read(let handle)? = request?.kind else { return }
    var hash: [UInt8] = []
    switch pdu {
    case .readResponse(let value) where value.byteCount == 16: hash = [UInt8](value)
    default: return
    }
    let own = connections[context.slot].tables[context.sender.rawValue].latest
    let known =
      own.characteristic(at: handle)
      ?? knowledge.table(of: identity(context.slot, context.sender), hash: nil)?
      .characteristic(at: handle)
    if known?.uuid.short == LinkDissector.databaseHash { learn(hash: hash, context) }
  }

  private mutating func learn(hash: [UInt8], _ context: PDUContext) {
    let frame = frame
    changeTable(context) { $0.learn(hash: hash, table: nil, frame: frame) }
    let isNew = knowledge.learn(
      hash: hash, own: connections[context.slot].tables[context.sender.rawValue].latest,
      of: identity(context.slot, context.sender), link: connections[context.slot].link.id,
      frame: frame)
    if isNew { knowMore() }
  }

  /// Changes the table of the server that sent the PDU at hand.
  private mutating func changeTable(
    _ context: PDUContext, _ change: (inout TableHistory) -> Void
  ) {
    let side = context.sender.rawValue
    // One answer adds little, and a table that has room adds no more than one answer.
    guard openEntryCount < HandleKnowledge.entryLimit else { return }
    let before = connections[context.slot].tables[side]
    change(&connections[context.slot].tables[side])
    let after = connections[context.slot].tables[side]
    openEntryCount += after.entryCount - before.entryCount
    guard !after.isSame(as: before) else { return }
    takeGateCounts()
    let link = connections[context.slot].link
    gate.forget(
      row: gate.row(
        adapter: link.adapter, connection: UInt16(truncatingIfNeeded: link.connection)))
    knowledgeGeneration += 1
  }

  /// A Read By Type response: characteristic declarations, or values of the type asked for.
  private mutating func learnByType(
    _ type: BluetoothUUID, _ range: PendingRequest.HandleRange, _ size: Int,
    _ entries: inout ByteReader, _ request: PendingRequest, _ context: PDUContext
  ) throws(DecodeError) {
    if type.short == 0x2803 {
      learn(
        DiscoveryAnswer(characteristics: &entries, entrySize: size, start: range.start), request,
        context)
      return
    }
    guard size >= 2 else { return }
    var values = entries
    var answer = DiscoveryAnswer(valuesOf: type, start: range.start)
    var left = context.length - 2
    while left >= size, entries.remaining >= 2 {
      answer.add(try entries.le16(), of: type)
      let value = try entries.view(min(size - 2, entries.remaining))
      left -= size
      if type.short == LinkDissector.databaseHash, value.byteCount == 16 {
        learn(hash: [UInt8](value), context)
      }
    }
    learn(answer, request, context)
    if type.short == LinkDissector.databaseHash { return }
    left = context.length - 2
    while left >= size, values.remaining >= 2 {
      let handle = try values.le16()
      let value = try values.view(min(size - 2, values.remaining))
      left -= size
      take(.readByTypeResponse, handle, value, size - 2, server: context.sender, context)
    }
  }

  /// Find Information, Find By Type Value, Read By Type and Read By Group Type responses.
  mutating func noteDiscoveryCut(_ opcode: UInt8) {
    guard opcode == 0x05 || opcode == 0x07 || opcode == 0x09 || opcode == 0x11 else { return }
    cuts.discoveryAnswers += 1
    if cuts.firstDiscovery == nil { cuts.firstDiscovery = (frame, time) }
  }

  /// A Service Changed indication: handles of its range mean something else from now on.
  /// False where it is none.
  mutating func noteServiceChanged(
    _ handle: UInt16, _ value: RawSpan, _ context: PDUContext
  ) -> Bool {
    let server = identity(context.slot, context.sender)
    let own = connections[context.slot].tables[context.sender.rawValue].latest
    guard knowledge.isServiceChanged(handle, own: own, identity: server) else {
      strayIndications.note(
        handle, value, ServerKey(link: connections[context.slot].link.id, side: context.sender),
        server, frame: frame)
      return false
    }
    var reader = ByteReader(value, layer: .att)
    do throws(DecodeError) {
      let start = try reader.le16()
      let end = try reader.le16()
      tell(.serviceChanged(start: start, end: end), of: context.slot)
      guard start <= end else { return true }
      let frame = frame
      changeTable(context) { $0.withdraw(start...end, frame: frame) }
      knowledge.withdraw(start...end, of: server, frame: frame)
      knowMore()
    } catch {
      return true
    }
    return true
  }
}
