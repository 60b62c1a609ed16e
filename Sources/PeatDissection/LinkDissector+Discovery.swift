import BluetoothProtocols
import WireBytes

extension LinkDissector {
  private static let serviceChanged: UInt16 = 0x2A05
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
    case .readByGroupTypeRequest(_, _, let type): expect(.readByGroupType(type), context)
    case .readByGroupTypeResponse(let size, var entries):
      guard case .readByGroupType = answered(context)?.kind else { return }
      learn(context) { $0.learnServices(entrySize: size, &entries) }
    case .findByTypeValueRequest(_, _, let type, let value):
      var reader = ByteReader(value, layer: .att)
      let isService = type == 0x2800 || type == 0x2801
      let size = reader.remaining
      let uuid =
        isService && (size == 2 || size == 16) ? try BluetoothUUID(&reader, size: size) : nil
      expect(.findByTypeValue(uuid), context)
    case .findByTypeValueResponse(var entries):
      guard case .findByTypeValue(let uuid?) = answered(context)?.kind else { return }
      learn(context) { $0.learnService(uuid, ranges: &entries) }
    case .readByTypeRequest(_, _, let type): expect(.readByType(type), context)
    case .readByTypeResponse(let size, var entries):
      guard case .readByType(let type) = answered(context)?.kind else { return }
      try learnByType(type, size, &entries, context)
    case .findInformationRequest: expect(.findInformation, context)
    case .findInformationResponse(let size, var entries):
      guard case .findInformation = answered(context)?.kind else { return }
      learn(context) { $0.learnTypes(uuidSize: size, &entries) }
    default: try read(pdu, context)
    }
  }

  /// Learns about the server that sent the PDU at hand.
  private mutating func learn(
    _ context: PDUContext, _ change: (inout AttributeTable) -> Void
  ) {
    let side = context.sender
    let before = connections[context.slot].tables[side.rawValue].entryCount
    // One answer adds little, and a table that has room adds no more than one answer.
    guard openEntryCount < HandleKnowledge.entryLimit else { return }
    change(&connections[context.slot].tables[side.rawValue])
    openEntryCount += connections[context.slot].tables[side.rawValue].entryCount - before
    forgetUnwanted(context.slot)
    knowledgeGeneration += 1
    knowledge.remember(
      connections[context.slot].tables[side.rawValue], of: identity(context.slot, side),
      link: connections[context.slot].link.id)
  }

  /// A Read By Type response: characteristic declarations, or values of the type asked for.
  private mutating func learnByType(
    _ type: BluetoothUUID, _ size: Int, _ entries: inout ByteReader, _ context: PDUContext
  ) throws(DecodeError) {
    if type.short == 0x2803 {
      learn(context) { $0.learnCharacteristics(entrySize: size, &entries) }
      return
    }
    guard size >= 2 else { return }
    var left = context.length - 2
    while left >= size, entries.remaining >= 2 {
      let handle = try entries.le16()
      let value = try entries.view(min(size - 2, entries.remaining))
      left -= size
      if type.short == LinkDissector.databaseHash {
        let hash = [UInt8](value)
        learn(context) { $0.databaseHash = hash }
      } else {
        let isDescriptor = type.short.map { (0x2800...0x29FF).contains($0) } ?? false
        learn(context) {
          if isDescriptor {
            $0.learnOther(handle)
          } else {
            $0.learn(AttributeTable.Characteristic(handle: handle, uuid: type))
          }
        }
        take(.readByTypeResponse, handle, value, size - 2, server: context.sender, context)
      }
    }
  }

  /// Find Information, Find By Type Value, Read By Type and Read By Group Type responses.
  mutating func noteDiscoveryCut(_ opcode: UInt8) {
    guard opcode == 0x05 || opcode == 0x07 || opcode == 0x09 || opcode == 0x11 else { return }
    cuts.discoveryAnswers += 1
    if cuts.firstDiscovery == nil { cuts.firstDiscovery = (frame, time) }
  }

  /// A Service Changed indication: handles of its range mean something else from now on.
  mutating func noteServiceChanged(
    _ handle: UInt16, _ value: RawSpan, _ context: PDUContext
  ) {
    let table = connections[context.slot].tables[context.sender.rawValue]
    guard table.characteristic(at: handle)?.uuid.short == LinkDissector.serviceChanged else {
      return
    }
    var reader = ByteReader(value, layer: .att)
    do throws(DecodeError) {
      let start = try reader.le16()
      let end = try reader.le16()
      tell(.serviceChanged(start: start, end: end), of: context.slot)
      learn(context) { $0.forget(start: start, end: end) }
      knowledge.forget(identity(context.slot, context.sender), start: start, end: end)
    } catch {
      return
    }
  }
}
