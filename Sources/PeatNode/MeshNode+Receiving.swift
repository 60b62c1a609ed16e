package import PeatProtocol
internal import PeatSecurity

/// The four receive calls differ in which frames they know and in what they learn of the sender
/// (protocol.md 2.9, 8.4).
extension MeshNode {
  /// Takes a frame from a device that must be known: a notification or an answered read.
  package mutating func receive(
    _ frame: [UInt8], fromKnown identifier: String, now: UInt64
  ) -> ReceivedReport? {
    guard let node = peers.node(of: identifier) else { return nil }
    let route = Route(link: node, neighbour: nil, name: identifier)
    return receive(frame, route, now: now)
  }

  /// Takes a frame from a node that the caller knows.
  package mutating func receive(
    _ frame: [UInt8], from node: NodeID, now: UInt64
  ) -> ReceivedReport? {
    receive(frame, Route(link: node, neighbour: node, name: "node:\(node)"), now: now)
  }

  /// Takes a frame from whom it may come, as a write to a peripheral; the sender of a plain
  /// document becomes a peer with a link.
  package mutating func receive(
    _ frame: [UInt8], fromAny identifier: String, now: UInt64
  ) -> ReceivedReport? {
    let neighbour = peers.node(of: identifier)
    let route = Route(link: nil, neighbour: neighbour, name: identifier)
    return receive(frame, route, now: now)
  }

  /// Takes a frame whose sender is learnt from the bytes: where a plain document has its node id,
  /// whatever the frame is, so that for others a wrong node is learnt (protocol.md 9.4).
  package mutating func receive(
    _ frame: [UInt8], fromAnonymous identifier: String, now: UInt64
  ) -> ReceivedReport? {
    guard let plaintext = decrypted(frame, source: identifier),
      let node = MeshNode.senderOfPlainDocument(plaintext)
    else { return nil }
    peers.register(identifier, as: node)
    if MeshNode.starts(plaintext, with: DeltaDocument.marker, size: 1) {
      return receive(delta: plaintext, from: node)
    }
    if MeshNode.starts(plaintext, with: CannedMessage.marker) {
      var report = ReceivedReport(source: node, total: document.counter.total)
      report.eventTime = now
      report.relayed = plaintext
      return report
    }
    return receive(document: plaintext)?.report
  }

  /// The plaintext of a frame, or the frame itself where clear frames are taken; nil where it is
  /// refused (protocol.md 6.1).
  package mutating func decrypted(_ frame: [UInt8], source: String?) -> [UInt8]? {
    guard MeshNode.starts(frame, with: EncryptedFrame.marker) else {
      guard configuration.isStrict, cipher != nil else { return frame }
      events.append(.securityViolation(.unencryptedInStrictMode, source: source))
      return nil
    }
    guard let cipher else { return nil }
    if let encrypted = try? EncryptedFrame(frame), let plaintext = cipher.open(encrypted) {
      return plaintext
    }
    events.append(.securityViolation(.decryptionFailed, source: source))
    return nil
  }

  static func starts(_ frame: [UInt8], with marker: UInt8, size: Int = 2) -> Bool {
    frame.count >= size && frame.first == marker
  }

  private static func senderOfPlainDocument(_ bytes: [UInt8]) -> NodeID? {
    guard bytes.count >= 8 else { return nil }
    return NodeID(rawValue: bytes[4..<8].reversed().reduce(0) { $0 << 8 | UInt32($1) })
  }
}

/// What a receive call knows of the way that a frame came.
private struct Route {
  /// The peer whose link it is; nil for the plain entry, which knows neither deltas nor whom it
  /// speaks with, and learns the sender from the document.
  let link: NodeID?
  /// The neighbour that indirect peers are entered by.
  let neighbour: NodeID?
  /// What security events call the sender.
  let name: String
}

extension MeshNode {
  private mutating func receive(
    _ frame: [UInt8], _ route: Route, now: UInt64
  ) -> ReceivedReport? {
    if MeshNode.starts(frame, with: KeyExchange.marker) {
      _ = receive(keyExchange: frame, now: now)
      return nil
    }
    if MeshNode.starts(frame, with: PeerMessage.marker) {
      receive(peerMessage: frame, now: now)
      return nil
    }
    if MeshNode.starts(frame, with: RelayEnvelope.marker) {
      return receiveEnvelope(frame, route, now: now)
    }
    let report = receivePayload(frame, route, now: now)
    if let report, route.link == nil {
      _ = peers.linked(identifier: route.name, node: report.source, now: now)
    }
    if let report { peers.synced(report.source, now: now) }
    return report
  }

  private mutating func receiveEnvelope(
    _ frame: [UInt8], _ route: Route, now: UInt64
  ) -> ReceivedReport? {
    guard let decision = takeEnvelope(frame, from: route.neighbour, now: now),
      var report = receivePayload(decision.envelope.payload, route, now: now)
    else { return nil }
    let envelope = decision.envelope
    report.origin = envelope.origin
    report.hopCount = envelope.hopCount
    guard let copy = decision.copy else { return report }
    report.relayed = copy.encoded
    let targets = relayTargets(excluding: route.link ?? report.source)
    events.append(
      .messageRelayed(
        origin: envelope.origin, hopCount: envelope.hopCount, targets: targets.count))
    return report
  }

  private mutating func receivePayload(
    _ frame: [UInt8], _ route: Route, now: UInt64
  ) -> ReceivedReport? {
    guard let plaintext = decrypted(frame, source: route.name) else { return nil }
    guard let link = route.link else { return receive(document: plaintext)?.report }
    if MeshNode.starts(plaintext, with: DeltaDocument.marker, size: 1) {
      return receive(delta: plaintext, from: link)
    }
    guard let received = receive(document: plaintext) else { return nil }
    if let peripheral = received.document.peripheral {
      keep(peripheral, of: received.document.node)
    }
    return received.report
  }

  private mutating func receive(
    document bytes: [UInt8]
  ) -> (document: Document, report: ReceivedReport)? {
    guard let theirs = try? Document.decode(bytes, chat: false).document,
      theirs.node != configuration.node
    else { return nil }
    let changed = document.mergeParts(of: theirs)
    var report = ReceivedReport(
      source: theirs.node, total: document.counter.total, peripheral: theirs.peripheral)
    report.counterChanged = changed.contains(.counter)
    report.emergencyChanged = changed.contains(.emergency)
    report.isEmergency = theirs.peripheral?.event?.type == .emergency
    report.isAcknowledgement = theirs.peripheral?.event?.type == .ack
    raiseEvents(of: report)
    return (theirs, report)
  }

  mutating func raiseEvents(of report: ReceivedReport) {
    if report.isEmergency {
      events.append(.emergencyReceived(report.source))
    } else if report.isAcknowledgement {
      events.append(.acknowledgementReceived(report.source))
    }
    if report.counterChanged {
      events.append(.documentSynced(report.source, total: report.total))
    }
  }
}
