import BluetoothProtocols
import PeatProtocol

/// What may be sent on a link: a first change at once and a second one soon after, then one each
/// interval (protocol.md 8.7).
struct SendBudget: Sendable {
  /// Sends that may follow each other at once.
  static let burst: UInt64 = 2

  private var left = SendBudget.burst
  private var filledAt: UInt64 = 0

  /// Whether something may be sent at `now`.
  mutating func isFree(at now: UInt64, interval: UInt64) -> Bool {
    let gained = interval == 0 ? SendBudget.burst : (now &- min(filledAt, now)) / interval
    if left + gained >= SendBudget.burst {
      left = SendBudget.burst
      filledAt = now
    } else {
      left += gained
      filledAt &+= gained &* interval
    }
    return left > 0
  }

  /// Notes a send, which was free.
  mutating func spend() { left -= min(left, 1) }

  /// When the next send is free, where none is now.
  func nextFree(interval: UInt64) -> UInt64? { left > 0 ? nil : filledAt &+ interval }
}

/// One link of a live node.
struct LiveLink: Sendable {
  /// Frames that wait to be passed on.
  static let passingLimit = 16

  let peer: DeviceAddress
  let isCentral: Bool
  let openedAt: UInt64
  /// Who is at the other end, once a frame told it.
  var node: NodeID?
  /// Whether a document that came over this link told it.
  var isNodeTold = false
  /// When the peer last did something that makes the link worth its place.
  var usedAt: UInt64
  /// When the peer last told or answered a document.
  var heardAt: UInt64?
  /// When the peer last told something without being asked.
  var toldAt: UInt64?
  /// When the peer last read this node's document.
  var fetchedAt: UInt64?
  /// The current document waits to be sent, because it is time to.
  var isDirty = false
  /// It waits because it is another one than that sent last.
  var isChanged = false
  var budget = SendBudget()
  var lastSent: UInt64?
  /// The peer's value waits to be read, not before a moment.
  var readAt: UInt64?
  /// Which value that is, where one was cut.
  var readHandle: UInt16?
  /// Where the counters of the next partial document begin.
  var rotation = 0
  /// Frames of others, and of the user, that wait to be sent as they are.
  var passing: [[UInt8]] = []

  init(peer: DeviceAddress, isCentral: Bool, openedAt: UInt64) {
    self.peer = peer
    self.isCentral = isCentral
    self.openedAt = openedAt
    usedAt = openedAt
  }

  var identifier: String { peer.description }
}

/// A connection that the user asked for.
struct WantedLink: Sendable {
  let address: DeviceAddress
  let type: AddressType
  var isBegun = false
}
