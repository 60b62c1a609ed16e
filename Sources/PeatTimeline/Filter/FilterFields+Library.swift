import PeatProtocol
import WireBytes

private func each<Body>(
  _ get: @escaping @Sendable (MessageBody) -> Body?
) -> @Sendable (FilterSubject, (Body) -> Bool) -> Bool {
  { row, test in row.message.anyLevel { get($0.body).map(test) ?? false } }
}

extension FilterField {
  /// The fields of the library's characteristics, chunks and peat-lite frames.
  static let libraryFields: [FilterField] = infoFields + stateFields + partFields

  private static let infoFields: [FilterField] = {
    let each = each { if case .nodeInfo(let info) = $0 { info } else { nil } }
    let answer = PeatTimeline.each { if case .nodeID(let value) = $0 { value } else { nil } }
    return [
      node("node_id.node", "the node that answers") { row, test in
        answer(row) { test($0.node) }
      },
      node("node_info.node", "whose information") { row, test in each(row) { test($0.node) } },
      integer("node_info.protocol_version", "its version") { row, test in
        each(row) { test(Int128($0.protocolVersion)) }
      },
      text("node_info.hierarchy", "the node's level") { row, test in
        each(row) { test($0.level.name) }
      },
      integer("node_info.battery", "percent") { row, test in
        each(row) { $0.battery != Beacon.unknownBattery && test(Int128($0.battery)) }
      },
    ]
  }()

  private static let stateFields: [FilterField] = {
    let state = each { if case .syncState(let value) = $0 { value } else { nil } }
    let command = each { if case .command(let value) = $0 { value } else { nil } }
    let status = each { if case .status(let value) = $0 { value } else { nil } }
    let phases: [(String, SyncStateValue.Phase)] = [
      ("idle", .idle), ("syncing", .syncing), ("complete", .complete), ("error", .error),
    ]
    let commands: [(String, CommandValue.Kind)] = [
      ("start_sync", .startSync), ("stop_sync", .stopSync), ("refresh_info", .refreshInfo),
      ("set_hierarchy", .setHierarchy), ("ping", .ping), ("reset", .reset),
    ]
    return [
      word("sync_state.state", "how far it is", phases) { row, test in
        state(row) { test($0.phase) }
      },
      integer("sync_state.progress", "percent") { row, test in
        state(row) { test(Int128($0.progress)) }
      },
      integer("sync_state.pending_documents", "how many wait") { row, test in
        state(row) { test(Int128($0.pendingDocuments)) }
      },
      integer("sync_state.last_sync", "when it last was whole") { row, test in
        state(row) { test(Int128($0.lastSync)) }
      },
      word("command.command", "what is asked", commands) { row, test in
        command(row) { test($0.kind) }
      },
      bytes("command.payload", "with what") { row, test in command(row) { test($0.payload) } },
      integer("status.flags", "its bits") { row, test in
        status(row) { test(Int128($0.flags.rawValue)) }
      },
      integer("status.child_count", "nodes below") { row, test in
        status(row) { test(Int128($0.childCount)) }
      },
      integer("status.parent_rssi", "signal in dBm") { row, test in
        status(row) { $0.parentRSSI != 127 && test(Int128($0.parentRSSI)) }
      },
      integer("status.uptime_minutes", "since it was started") { row, test in
        status(row) { test(Int128($0.uptimeMinutes)) }
      },
    ]
  }()

  private static let partFields: [FilterField] = {
    let chunk = each { if case .chunk(let value) = $0 { value } else { nil } }
    let lite = each { if case .lite(let value) = $0 { value } else { nil } }
    return [
      integer("chunk.message_id", "the message it is part of") { row, test in
        chunk(row) { test(Int128($0.messageID)) }
      },
      integer("chunk.chunk_index", "which part") { row, test in
        chunk(row) { test(Int128($0.index)) }
      },
      integer("chunk.total_chunks", "of how many") { row, test in
        chunk(row) { test(Int128($0.total)) }
      },
      bytes("chunk.payload", "the part") { row, test in chunk(row) { test($0.payload) } },
      integer("lite.flags", "its flags") { row, test in lite(row) { test(Int128($0.flags)) } },
      node("lite.node", "the sender") { row, test in lite(row) { test($0.node) } },
      integer("lite.sequence", "counts frames") { row, test in
        lite(row) { test(Int128($0.sequence)) }
      },
      bytes("lite.payload", "what it carries") { row, test in lite(row) { test($0.payload) } },
    ]
  }()
}
