import BluetoothProtocols
import CaptureFormats
import PeatProtocol
import WireBytes

extension LinkDissector {
  /// Takes a value; returns its place in the queue when it is one that is shown.
  @discardableResult
  mutating func take(
    _ opcode: ValueOpcode, _ handle: UInt16, _ value: RawSpan, _ length: Int, server: Side,
    _ context: PDUContext, isAwaiting: Bool = false, parts: ValueParts = ValueParts()
  ) -> UInt64? {
    if options.countsHandles {
      connections[context.slot].uses.add(
        opcode, handle, bytes: length, server: server, sender: context.sender)
    }
    let verdict = verdict(of: handle, slot: context.slot, server: server)
    if verdict == .unwanted { return nil }
    if verdict == .unresolved {
      let isNotified = context.sender == server && !opcode.isRead
      guard isWorthHolding(length, isNotified: isNotified, context.slot, server) else { return nil }
    }
    return put(
      opcode, handle, [UInt8](value), length, frames: context.frames ?? [frame],
      verdict: verdict, server: server, context, isAwaiting: isAwaiting, parts: parts)
  }

  /// Puts a value into the queue.
  mutating func put(
    _ opcode: ValueOpcode, _ handle: UInt16, _ bytes: [UInt8], _ length: Int, frames: [Int],
    verdict: HandleVerdict, server: Side, _ context: PDUContext, isAwaiting: Bool,
    parts: ValueParts = ValueParts()
  ) -> UInt64? {
    if verdict.isForPeat { noteValue(opcode, context) }
    let link = connections[context.slot].link
    var value = CapturedValue(
      frame: frame, frames: frames, time: time, link: link,
      direction: link.direction(from: context.sender),
      isDirectionGuessed: context.isGuessed, opcode: opcode, handle: handle,
      characteristic: nil, service: nil, resolution: nil,
      mtu: connections[context.slot].bearers[context.bearer].mtu, channel: context.channel,
      outcome: nil, role: .document, length: max(0, length), payload: bytes,
      fileOffset: fileOffset, gaps: lossMark)
    value.announced = parts.announced
    value.hasHole = parts.hasHole
    value.spansLoss = parts.spansLoss
    switch verdict {
    case .unwanted: return nil
    case .wanted(let resolved):
      if isSurvey {
        surveyMissed = true
        return nil
      }
      value.resolve(as: resolved)
      return queue.append(value, isAwaiting: isAwaiting, unresolved: nil)
    case .unresolved:
      let key = ServerKey(link: link.id, side: server)
      connections[context.slot].hasUnresolved = true
      let isNotified = opcode.isNotified
      if isSecondReading {
        countUnnamed(handle, at: frame, of: link, server)
        onlyCount(
          handle, context.slot, server, sender: context.sender, isNotified: isNotified)
        return nil
      }
      let isWeighed = knowledge.weigh(
        value, key: key, identity: identity(context.slot, server),
        isFromServer: context.sender == server, opens: options.opensFrame)
      if isSurvey {
        noteSurveyed(
          SurveyHandle(key: key, identity: identity(context.slot, server), handle: handle),
          frame: frame)
        countUnnamed(handle, at: frame, of: link, server)
        if isWeighed {
          onlyCount(
            handle, context.slot, server, sender: context.sender, isNotified: isNotified)
        }
        return nil
      }
      if isReadOnce, isWeighed,
        let isFirst = knowledge.giveUp(value, key, identity(context.slot, server))
      {
        if isFirst { giveUp(handle, key) }
        countUnnamed(handle, at: frame, of: link, server)
        onlyCount(
          handle, context.slot, server, sender: context.sender, isNotified: isNotified)
        return nil
      }
      return queue.append(value, isAwaiting: isAwaiting, unresolved: key)
    }
  }

  /// A value of one or two bytes on a handle that discovery passed over is a descriptor's, mostly
  /// the client characteristic configuration. Holding it would hold up everything behind it.
  private func isWorthHolding(
    _ length: Int, isNotified: Bool, _ slot: Int, _ server: Side
  ) -> Bool {
    // Only values are notified.
    if isNotified || length > 2 { return true }
    return connections[slot].tables[server.rawValue].latest.characteristics.isEmpty
  }

  /// What a handle of a server is, by everything known so far.
  mutating func verdict(of handle: UInt16, slot: Int, server: Side) -> HandleVerdict {
    if connections[slot].unwanted.contains(handle, of: server, at: knowledgeGeneration) {
      passOver(handle, slot, server)
      return .unwanted
    }
    let own = connections[slot].tables[server.rawValue]
    var verdict = resolve(
      handle, at: frame, key: ServerKey(link: connections[slot].link.id, side: server),
      identity: identity(slot, server), own: own)
    if case .wanted(let resolved) = verdict, !isShown(resolved) {
      verdict = .unwanted
    }
    if verdict == .unwanted { noteUnwanted(handle, slot, server) }
    return verdict
  }

  /// From here on values of a handle need not be looked at, until more is learnt of the server.
  private mutating func noteUnwanted(_ handle: UInt16, _ slot: Int, _ server: Side) {
    // What is counted must be met.
    if options.countsHandles { return }
    connections[slot].unwanted.insert(handle, of: server, at: knowledgeGeneration)
    passOver(handle, slot, server)
  }

  private func isShown(_ resolved: ResolvedHandle) -> Bool {
    resolved.isAlwaysShown || options.includesSiblings
  }

  /// The device behind a server, where its address is known.
  func identity(_ slot: Int, _ server: Side) -> ServerIdentity? {
    identity(of: connections[slot].link, server)
  }

  /// The same with private addresses resolved, where a key tells whose they are.
  func identity(of link: Link, _ server: Side) -> ServerIdentity? {
    // Without a closure, for which the optimiser would copy all of this.
    guard let identity = link.identity(of: server) else { return nil }
    return ServerIdentity(side: identity.side, address: addresses.identity(of: identity.address))
  }

  /// A Multiple Handle Value Notification: handle, length and value, again and again.
  mutating func takeMultiple(_ values: inout ByteReader, _ context: PDUContext) {
    do throws(DecodeError) {
      var left = context.length - 1
      while values.remaining >= 4 {
        let handle = try values.le16()
        let length = Int(try values.le16())
        left -= 4
        let sent = min(length, max(0, left))
        let part = try values.view(min(sent, values.remaining))
        left -= sent
        take(
          .multipleNotification, handle, part, sent, server: context.sender, context,
          parts: ValueParts(announced: sent < length ? length : nil))
      }
    } catch {
      return
    }
  }

  /// What can be shown now, in file order.
  mutating func nextValue() -> CapturedValue? {
    while let entry = queue.first() {
      if entry.isAwaiting && queue.isPatient { return nil }
      guard let key = entry.unresolved else {
        queue.dropFirst()
        collector.met(entry.value)
        var value = entry.value
        tellGap(&value)
        return value
      }
      let block = Block(
        place: queue.firstPlace, generation: knowledgeGeneration, settled: knowledge.settledCount)
      if block == blocked { return nil }
      switch lateVerdict(of: entry.value, key: key) {
      case .unresolved:
        blocked = block
        return nil
      case .unwanted: queue.dropFirst()
      case .wanted(let resolved):
        queue.dropFirst()
        guard isShown(resolved) else { continue }
        var value = entry.value
        value.resolve(as: resolved)
        collector.met(value)
        tellGap(&value)
        return value
      }
    }
    return nil
  }

  /// What a value's handle is by what was learnt since it was captured.
  func lateVerdict(of value: CapturedValue, key: ServerKey) -> HandleVerdict {
    var own: TableHistory?
    if let slot = index[value.link], connections[slot].link.id == value.link.id {
      own = connections[slot].tables[key.side.rawValue]
    }
    return resolve(
      value.handle, at: value.frame, key: key, identity: identity(of: value.link, key.side),
      own: own)
  }

  /// What a handle was at a packet: the user's word counts before discovery that says otherwise.
  func resolve(
    _ handle: UInt16, at frame: Int, key: ServerKey, identity: ServerIdentity?, own: TableHistory?
  ) -> HandleVerdict {
    let verdict = knowledge.verdict(of: handle, at: frame, key: key, identity: identity, own: own)
    if case .wanted(let resolved) = verdict, resolved.owner == .peat, resolved.role == .document,
      resolved.resolution != .content
    {
      return verdict
    }
    guard let hinted = knowledge.hinted(handle, identity) else { return verdict }
    return .wanted(hinted)
  }
}

/// A value at the front of the queue that nothing named, by what was known then.
struct Block: Equatable {
  var place: UInt64
  var generation: Int
  var settled: Int
}

/// What is known of a value's parts besides their bytes.
struct ValueParts {
  var announced: Int?
  var hasHole = false
  var spansLoss = false
}

extension CapturedValue {
  mutating func resolve(as resolved: ResolvedHandle) {
    characteristic = resolved.characteristic
    service = resolved.service
    resolution = resolved.resolution
    owner = resolved.owner
    role = resolved.role
  }
}
