import BluetoothProtocols

/// The security manager: pairing refused, or Just Works where a peer insists (Core Specification
/// Vol 3 Part H).
extension Host {
  /// Pairings that a link may begin.
  private static let pairingLimit = 3

  /// What becomes of a wish to pair: a controller that cannot encrypt refuses it always.
  var pairingPolicy: PairingPolicy { hasEncryption ? configuration.pairing : .none }

  mutating func receiveSecurity(_ handle: UInt16, _ bytes: [UInt8]) {
    guard let code = bytes.first, let link = links[handle] else { return }
    switch code {
    case 0x05: links[handle]?.pairing = nil
    case 0x01 where pairingPolicy == .none, 0x0B where pairingPolicy == .none:
      fail(handle, .notSupported)
    case 0x01 where !link.isCentral: takeRequest(handle, bytes)
    case 0x0B where link.isCentral: pair(handle)
    case 0x02, 0x03, 0x04:
      guard let pairing = link.pairing else { return fail(handle, .unspecified) }
      links[handle]?.pairing?.deadline = now &+ LegacyPairing.timeout
      switch code {
      case 0x02: takeResponse(handle, bytes, pairing)
      case 0x03: takeConfirm(handle, bytes, pairing)
      default: takeRandom(handle, bytes, pairing)
      }
    default: fail(handle, .commandNotSupported)
    }
  }

  /// Begins to pair as a central, where this is allowed and not under way.
  mutating func pair(_ handle: UInt16) {
    guard pairingPolicy == .justWorks, let link = links[handle], link.isCentral,
      link.pairing == nil, !link.isEncrypted, admitPairing(handle)
    else { return }
    let request = [0x01] + LegacyPairing.features
    links[handle]?.pairing = LegacyPairing(
      isInitiator: true, request: request, response: [], now: now)
    sendFrame(handle, channel: L2CAPChannel.security, request)
  }

  private mutating func admitPairing(_ handle: UInt16) -> Bool {
    links[handle]?.pairingCount += 1
    guard let count = links[handle]?.pairingCount, count <= Host.pairingLimit else {
      fail(handle, .repeatedAttempts)
      return false
    }
    return true
  }

  private mutating func takeRequest(_ handle: UInt16, _ bytes: [UInt8]) {
    guard links[handle]?.pairing == nil else { return fail(handle, .unspecified) }
    guard admitPairing(handle) else { return }
    if let fault = LegacyPairing.fault(bytes) { return fail(handle, fault) }
    let response = [0x02] + LegacyPairing.features
    links[handle]?.pairing = LegacyPairing(
      isInitiator: false, request: bytes, response: response, now: now)
    sendFrame(handle, channel: L2CAPChannel.security, response)
    drawRandom(handle)
  }

  private mutating func takeResponse(
    _ handle: UInt16, _ bytes: [UInt8], _ pairing: LegacyPairing
  ) {
    guard pairing.isInitiator, pairing.response.isEmpty else { return fail(handle, .unspecified) }
    if let fault = LegacyPairing.fault(bytes) { return fail(handle, fault) }
    links[handle]?.pairing?.response = bytes
    drawRandom(handle)
  }

  private mutating func takeConfirm(
    _ handle: UInt16, _ bytes: [UInt8], _ pairing: LegacyPairing
  ) {
    guard bytes.count == 17, pairing.peerConfirm == nil, !pairing.response.isEmpty,
      pairing.hasConfirmed || !pairing.isInitiator
    else { return fail(handle, .invalidParameters) }
    links[handle]?.pairing?.peerConfirm = Array(bytes[1...])
    if pairing.isInitiator {
      sendFrame(handle, channel: L2CAPChannel.security, [0x04] + pairing.ownRandom)
    } else {
      confirmWhenReady(handle)
    }
  }

  private mutating func takeRandom(
    _ handle: UInt16, _ bytes: [UInt8], _ pairing: LegacyPairing
  ) {
    guard bytes.count == 17, pairing.peerConfirm != nil, pairing.hasConfirmed,
      pairing.peerRandom == nil
    else { return fail(handle, .invalidParameters) }
    links[handle]?.pairing?.peerRandom = Array(bytes[1...])
    confirm(handle, .peer)
  }

  private mutating func drawRandom(_ handle: UInt16) {
    guard let serial = links[handle]?.serial else { return }
    // The controller draws 8 bytes at a time.
    compute(.random(link: handle, serial: serial))
    compute(.random(link: handle, serial: serial))
  }

  /// The initiator confirms first, the responder when it has the initiator's confirmation.
  private mutating func confirmWhenReady(_ handle: UInt16) {
    guard let pairing = links[handle]?.pairing, pairing.ownRandom.count == 16,
      pairing.isInitiator || pairing.peerConfirm != nil
    else { return }
    confirm(handle, .own)
  }

  private mutating func confirm(_ handle: UInt16, _ side: LegacyPairing.Side) {
    guard let serial = links[handle]?.serial else { return }
    compute(.inner(link: handle, serial: serial, side))
  }

  /// Ends a pairing and tells the peer why.
  private mutating func fail(_ handle: UInt16, _ reason: PairingFailure) {
    guard let link = links[handle] else { return }
    links[handle]?.pairing = nil
    sendFrame(handle, channel: L2CAPChannel.security, [0x05, reason.rawValue])
    if reason != .notSupported { events.append(.refused("\(link.peer): pairing, \(reason)")) }
  }

  /// A peer that falls silent while pairing is of no more use (Vol 3 Part H, 3.4).
  mutating func endSilentPairings() {
    for (handle, link) in links {
      guard let deadline = link.pairing?.deadline, now >= deadline else { continue }
      links[handle]?.pairing = nil
      events.append(.refused("\(link.peer): no answer while pairing"))
      close(handle)
    }
  }

  // MARK: - What the controller computes

  /// Asks the controller for random bytes or for an encryption.
  mutating func compute(_ job: SecurityJob, block: [UInt8] = []) {
    switch job {
    case .addressSeed, .random: queue(job, .leRand, [])
    case .addressHash: queue(job, .leEncrypt, (configuration.privacy?.resolvingKey ?? []) + block)
    case .inner(let handle, _, let side):
      guard let link = links[handle], let pairing = link.pairing else { return }
      let random = side == .own ? pairing.ownRandom : pairing.peerRandom ?? []
      let types = ends(link, own: link.own.type, peer: link.peerType.rawValue & 1)
      let block = pairing.innerBlock(
        random, initiatorType: types.initiator, responderType: types.responder)
      queue(job, .leEncrypt, LegacyPairing.temporaryKey + block)
    case .outer, .key: queue(job, .leEncrypt, LegacyPairing.temporaryKey + block)
    }
  }

  private mutating func queue(_ job: SecurityJob, _ opcode: HCIOpcode, _ parameters: [UInt8]) {
    jobs.append(job)
    send(opcode, parameters)
  }

  /// What belongs to the initiator of a link, and what to the responder.
  private func ends<Value>(
    _ link: HostLink, own: Value, peer: Value
  ) -> (initiator: Value, responder: Value) {
    link.isCentral ? (own, peer) : (peer, own)
  }

  /// Takes the controller's answer to the oldest job; nil where it failed.
  mutating func computed(_ result: [UInt8]?) {
    guard !jobs.isEmpty else { return }
    let job = jobs.removeFirst()
    switch job {
    case .addressSeed:
      guard let result else { return }
      let seed = Host.addressSeed(result)
      compute(.addressHash(seed), block: Host.padded(seed: seed))
    case .addressHash(let seed):
      guard let result else { return }
      nextAddress = Host.privateAddress(seed: seed, hash: result)
    case .random(let handle, let serial), .inner(let handle, let serial, _),
      .outer(let handle, let serial, _), .key(let handle, let serial):
      guard let link = links[handle], link.serial == serial, let pairing = link.pairing else {
        return
      }
      guard let result, result.count == (isRandom(job) ? 8 : 16) else {
        return fail(handle, .unspecified)
      }
      computed(job, result, link, pairing)
    }
  }

  private func isRandom(_ job: SecurityJob) -> Bool {
    if case .random = job { true } else { false }
  }

  private mutating func computed(
    _ job: SecurityJob, _ result: [UInt8], _ link: HostLink, _ pairing: LegacyPairing
  ) {
    let handle = link.handle
    switch job {
    case .random:
      guard pairing.ownRandom.count < 16 else { return }
      links[handle]?.pairing?.ownRandom += result
      confirmWhenReady(handle)
    case .inner(_, let serial, let side):
      let addresses = ends(link, own: le(link.own.address), peer: le(link.peer))
      let block = pairing.outerBlock(
        result, initiator: addresses.initiator, responder: addresses.responder)
      compute(.outer(link: handle, serial: serial, side), block: block)
    case .outer(_, _, .own):
      links[handle]?.pairing?.hasConfirmed = true
      sendFrame(handle, channel: L2CAPChannel.security, [0x03] + result)
    case .outer(_, let serial, .peer):
      guard result == pairing.peerConfirm, let block = pairing.keyBlock else {
        return fail(handle, .confirmValueFailed)
      }
      compute(.key(link: handle, serial: serial), block: block)
    case .key:
      links[handle]?.pairing?.key = result
      if pairing.isInitiator {
        // Random and diversifier 0: the key is of this pairing.
        send(.leEnableEncryption, le(handle) + [UInt8](repeating: 0, count: 10) + result)
      } else {
        sendFrame(handle, channel: L2CAPChannel.security, [0x04] + pairing.ownRandom)
      }
    case .addressSeed, .addressHash: break
    }
  }

  /// Hands the controller the key of a link that its peer encrypts.
  mutating func answerKeyRequest(_ handle: UInt16, isOfPairing: Bool) {
    guard isOfPairing, let key = links[handle]?.pairing?.key else {
      return send(.leLongTermKeyNegativeReply, le(handle))
    }
    send(.leLongTermKeyReply, le(handle) + key)
  }

  mutating func encryptionChanged(_ handle: UInt16, isOn: Bool) {
    guard let link = links[handle] else { return }
    links[handle]?.pairing = nil
    guard isOn else {
      events.append(.refused("\(link.peer): the link could not be encrypted"))
      return
    }
    links[handle]?.isEncrypted = true
    events.append(.encrypted(link: handle))
    // What was refused before is allowed now.
    guard link.isCentral, link.client != nil else { return }
    links[handle]?.client = nil
    startSearch(handle)
  }
}
