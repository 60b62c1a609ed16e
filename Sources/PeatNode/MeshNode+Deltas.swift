package import PeatProtocol

extension MeshNode {
  /// A delta of all that this node knows, for sending (protocol.md 7.3).
  package func fullDelta(now: UInt64) -> [UInt8]? {
    delta(
      DeltaContents.operations(of: document, apps: apps, stamp: .now(now)), now: now)
  }

  /// A delta of what a peer was not sent yet, for sending; nil where there is nothing new.
  package mutating func delta(for peer: NodeID, now: UInt64) -> [UInt8]? {
    let all = DeltaContents.operations(of: document, apps: apps, stamp: .content)
    let news = deltas.news(of: all, for: peer)
    guard !news.isEmpty, let frame = delta(news, now: now) else { return nil }
    deltas.sent(news, size: frame.count, to: peer)
    return frame
  }

  /// Tracks what a peer is sent from now on.
  package mutating func trackDeltas(of peer: NodeID) { deltas.register(peer) }

  /// Forgets a peer's tracking.
  package mutating func untrackDeltas(of peer: NodeID) { deltas.unregister(peer) }

  /// Makes the next delta for a peer a whole one.
  package mutating func resetDeltas(of peer: NodeID) { deltas.reset(peer) }

  /// Stores an application's document; tells whether that changed anything.
  package mutating func store(_ document: some AppDocument) -> Bool { apps.store(document) }

  private func delta(_ operations: [DeltaOperation], now: UInt64) -> [UInt8]? {
    // The count of operations has 16 bits on the wire.
    let delta = DeltaDocument(
      origin: configuration.node, timestamp: now,
      operations: Array(operations.prefix(Int(UInt16.max))))
    return sealed(delta.encoded)
  }

  /// Takes a delta that came over the link to `link`.
  ///
  /// As in the reference, counters and emergencies are told of and not taken (protocol.md 4.9).
  mutating func receive(delta bytes: [UInt8], from link: NodeID) -> ReceivedReport? {
    guard let delta = try? DeltaDocument(bytes: bytes), delta.origin != configuration.node else {
      return nil
    }
    deltas.received(size: bytes.count, from: link)
    var report = ReceivedReport(source: delta.origin, total: document.counter.total)
    for operation in delta.operations { note(operation, of: delta.origin, in: &report) }
    raiseEvents(of: report)
    return report
  }

  private mutating func note(
    _ operation: DeltaOperation, of origin: NodeID, in report: inout ReceivedReport
  ) {
    switch operation {
    case .counter(_, let node, let amount, _):
      if amount > document.counter[node] { report.counterChanged = true }
    case .peripheral(_, let peripheral):
      keep(peripheral, of: origin)
      report.peripheral = peripheral
      if let event = peripheral.event { report.eventTime = event.time }
    case .setEmergency(_, let time, _):
      report.isEmergency = true
      report.emergencyChanged = true
      report.eventTime = time
    case .acknowledgeEmergency(_, let time):
      report.isAcknowledgement = true
      report.emergencyChanged = true
      report.eventTime = time
    case .clearEmergency(let time):
      report.emergencyChanged = true
      report.eventTime = time
    case .app(let operation):
      let isChanged = apps.apply(operation)
      events.append(
        .appDocumentReceived(
          operation.type, source: operation.source, timestamp: operation.documentTimestamp,
          isChanged: isChanged))
    }
  }
}
