import BluetoothHost
import BluetoothProtocols
import PeatProtocol

/// Who gives way where links are fewer than peers.
struct LinkTurns: Sendable {
  /// Time that a link has at least, and the shortest pause between two that give way.
  static let turn: UInt64 = 10_000
  /// Time for which a place is kept from who just gave it up.
  static let courtesy: UInt64 = 3_000
  /// The longest pause, where those that gave way only come back.
  static let longestPause: UInt64 = 320_000

  var pause = LinkTurns.turn
  /// No link gives way before this moment.
  var notBefore: UInt64 = 0
  /// Who gave way last, and until when the place is for others, until somebody took it.
  var gaveWay: (peer: DeviceAddress, until: UInt64)?
  /// Those that were told to be waiting.
  var told: Set<DeviceAddress> = []

  /// Somebody took a place; false where it is who gave way, too soon for those that wait. Later it
  /// seems that nobody does.
  mutating func opened(_ peer: DeviceAddress, now: UInt64) -> Bool {
    told.remove(peer)
    guard let before = gaveWay else { return true }
    if before.peer == peer, now < before.until { return false }
    gaveWay = nil
    pause = before.peer == peer ? min(pause * 2, LinkTurns.longestPause) : LinkTurns.turn
    return true
  }
}

extension LiveNode {
  /// Where every place is taken, ends the least useful link now and then, so that peers without one
  /// get their turn: those that are heard, and those that only look for this node.
  mutating func takeTurns() {
    guard !isStopping, !links.isEmpty else { return }
    let waiting = devices.next(now: now, isWanted: isWanted)
    if let waiting, !hasOwnRoom { tellWaiting(waiting) }
    let isWaitedFor = !host.hasRoom || (waiting != nil && !hasOwnRoom)
    guard isWaitedFor, now >= turns.notBefore, let link = leastUseful,
      let entry = links[link]
    else { return }
    turns.notBefore = now &+ turns.pause
    turns.gaveWay = (entry.peer, now &+ LinkTurns.courtesy)
    devices.gaveWay(entry.peer, now: now)
    notes.append(.gaveWay(peer: entry.peer))
    host.disconnect(link, now: now)
  }

  /// Says once of each device that it has to wait.
  private mutating func tellWaiting(_ device: HeardDevice) {
    guard !turns.told.contains(device.address), turns.told.count < DeviceTable.limit else { return }
    turns.told.insert(device.address)
    notes.append(.waiting(peer: device.address, links: links.count))
  }

  /// The link that the mesh can best do without, of those that had their turn: one of two to the
  /// same node, then one on which nothing was heard, then the oldest.
  private var leastUseful: UInt16? {
    let old = links.filter { now &- $0.value.openedAt >= LinkTurns.turn }
    return old.min { worth($0) < worth($1) }?.key
  }

  private func worth(_ item: (key: UInt16, value: LiveLink)) -> (Int, UInt64, UInt16) {
    let (key, link) = item
    let isDouble =
      link.node != nil
      && links.contains { $0.key != key && $0.value.node == link.node && $0.key < key }
    let rank = isDouble ? 0 : link.heardAt == nil ? 1 : 2
    return (rank, link.openedAt, key)
  }
}
