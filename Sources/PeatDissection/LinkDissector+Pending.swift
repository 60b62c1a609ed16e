import BluetoothProtocols

extension LinkDissector {
  /// Bytes that wait for the rest of a packet, an SDU or a long write, over all connections.
  static let pendingByteLimit = 8 << 20

  /// More or less waits on a connection than before; beyond the limit, the oldest is given up.
  mutating func changePending(_ slot: Int, by change: Int) {
    connections[slot].pendingBytes += change
    pendingBytes += change
    if pendingBytes > LinkDissector.pendingByteLimit { abandonOldest() }
  }

  /// One thing that waits, by where it is.
  private struct Pending {
    enum Kind {
      case packet(Side)
      case channel(Int)
      case longWrite(bearer: Int, client: Int)
    }

    var frame: Int
    var slot: Int
    var kind: Kind
  }

  /// Gives up what has waited longest until half the room is free, so that this is done seldom.
  private mutating func abandonOldest() {
    var waiting: [Pending] = []
    for slot in openSlots.values.joined() { collectPending(slot, &waiting) }
    waiting.sort { ($0.frame, $0.slot) < ($1.frame, $1.slot) }
    var count = 0
    for pending in waiting where pendingBytes > LinkDissector.pendingByteLimit / 2 {
      abandon(pending)
      count += 1
    }
    note(
      .aclAbandonedStart,
      "too many bytes waited for the rest of their packets; the oldest \(count) were given up")
  }

  private func collectPending(_ slot: Int, _ waiting: inout [Pending]) {
    let connection = connections[slot]
    guard connection.pendingBytes > 0 else { return }
    for side in [Side.local, .peer] {
      if let first = connection.reassemblers[side.rawValue].frames.first {
        waiting.append(Pending(frame: first, slot: slot, kind: .packet(side)))
      }
    }
    for (place, channel) in connection.channels.channels.enumerated() {
      if let first = channel.frames.first {
        waiting.append(Pending(frame: first, slot: slot, kind: .channel(place)))
      }
    }
    for (number, bearer) in connection.bearers.enumerated() {
      for (client, progress) in bearer.clients.enumerated() {
        if let first = progress.prepared.first?.frames.first {
          waiting.append(
            Pending(frame: first, slot: slot, kind: .longWrite(bearer: number, client: client)))
        }
      }
    }
  }

  private mutating func abandon(_ pending: Pending) {
    let connection = connections[pending.slot]
    let freed: Int
    switch pending.kind {
    case .packet(let side):
      freed = connection.reassemblers[side.rawValue].pendingBytes
      connection.reassemblers[side.rawValue].reset()
    case .channel(let place):
      freed = connection.channels.channels[place].pendingBytes
      connection.channels.channels[place].reset()
    case .longWrite(let bearer, let client):
      freed = connection.bearers[bearer].clients[client].preparedBytes
      connection.bearers[bearer].clients[client].prepared = []
    }
    connection.pendingBytes -= freed
    pendingBytes -= freed
    tellGate(pending.slot)
  }
}
