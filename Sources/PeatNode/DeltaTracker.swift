package import PeatProtocol

/// What each peer was sent, so that a delta holds only what is newer (protocol.md 7.3).
package struct DeltaTracker: Sendable {
  /// What went to and came from one peer.
  package struct Statistics: Equatable, Sendable {
    /// Bytes of deltas sent, as they went on the air.
    package var sent: UInt64 = 0
    /// Bytes of deltas received, in clear.
    package var received: UInt64 = 0
    /// Deltas sent.
    package var syncs: UInt32 = 0
  }

  private struct Entry: Sendable {
    var statistics = Statistics()
    var sentTimes: [String: UInt64] = [:]
  }

  private var entries: [NodeID: Entry] = [:]

  /// Makes a tracker of no peers.
  package init() {}

  /// Number of tracked peers.
  package var count: Int { entries.count }

  /// The sum of all tracked peers' statistics.
  package var total: Statistics {
    entries.values.reduce(into: Statistics()) { total, entry in
      total.sent &+= entry.statistics.sent
      total.received &+= entry.statistics.received
      total.syncs &+= entry.statistics.syncs
    }
  }

  /// One peer's statistics; nil for a peer that is not tracked.
  package subscript(peer: NodeID) -> Statistics? { entries[peer]?.statistics }

  /// Tracks a peer from now on; what is tracked stays.
  mutating func register(_ peer: NodeID) {
    if entries[peer] == nil { entries[peer] = Entry() }
  }

  /// Forgets a peer.
  mutating func unregister(_ peer: NodeID) { entries[peer] = nil }

  /// Forgets what a peer was sent, and keeps its statistics.
  mutating func reset(_ peer: NodeID) { entries[peer]?.sentTimes = [:] }

  /// The operations that a peer was not sent yet; all of them for one that is not tracked.
  func news(of operations: [DeltaOperation], for peer: NodeID) -> [DeltaOperation] {
    guard let entry = entries[peer] else { return operations }
    return operations.filter { operation in
      entry.sentTimes[operation.key].map { operation.timestamp > $0 } ?? true
    }
  }

  /// Notes that a tracked peer was sent operations in a frame of `size` bytes.
  mutating func sent(_ operations: [DeltaOperation], size: Int, to peer: NodeID) {
    guard var entry = entries[peer] else { return }
    for operation in operations { entry.sentTimes[operation.key] = operation.timestamp }
    entry.statistics.sent &+= UInt64(size)
    entry.statistics.syncs &+= 1
    entries[peer] = entry
  }

  /// Notes that a tracked peer sent a delta of `size` bytes.
  mutating func received(size: Int, from peer: NodeID) {
    entries[peer]?.statistics.received &+= UInt64(size)
  }
}

/// The operations that tell all of a node's state (protocol.md 7.3, "Sender contents").
enum DeltaContents {
  /// The times that operations without one of their own carry.
  enum Stamp {
    /// A full delta's: the time of its making.
    case now(UInt64)
    /// A per-peer delta's: the counter's total and 1.
    case content
  }

  static func operations(
    of document: Document, apps: AppDocumentStore, stamp: Stamp
  ) -> [DeltaOperation] {
    var operations: [DeltaOperation] = []
    for entry in document.counter.entries {
      let time =
        switch stamp {
        case .now(let now): now
        case .content: entry.count
        }
      operations.append(
        .counter(id: 0, node: entry.node, amount: entry.count, timestamp: time))
    }
    if let peripheral = document.peripheral {
      let time =
        switch stamp {
        case .now(let now): peripheral.event?.time ?? now
        case .content: peripheral.event?.time ?? 1
        }
      operations.append(.peripheral(timestamp: time, peripheral))
    }
    if let emergency = document.emergency {
      // The count of nodes is one byte on the wire; more than 255 would be read as others.
      operations.append(
        .setEmergency(
          source: emergency.source, timestamp: emergency.time,
          knownPeers: emergency.acks.prefix(255).map(\.node)))
      for node in emergency.acked {
        operations.append(
          .acknowledgeEmergency(node: node, emergencyTimestamp: emergency.time))
      }
    }
    return operations + apps.documents.map { .app($0.operation) }
  }
}
