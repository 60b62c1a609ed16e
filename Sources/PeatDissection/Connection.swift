import BluetoothProtocols
import WireBytes

/// What is followed of one open connection.
///
/// A class, because the dissector changes single fields of it for every packet, and a value of this
/// size is copied too easily.
final class Connection {
  var link: Link
  /// BR/EDR connections share the handle space; of their channels only those for ATT are read.
  var isLE: Bool
  /// Whether an event opened it; else its first data did, and it began before the capture.
  var wasSeenOpening: Bool
  /// Whether it is known to be one that may carry ATT: an event opened it as an LE connection, or
  /// data came on one of LE's fixed channels, or an ATT channel was opened over BR/EDR.
  ///
  /// Until then it has no number, and what is odd about its data is held back: controllers send logs
  /// on handles that no connection has.
  var isConfirmed = false
  /// What was odd so far.
  var heldNotices: [Notice] = []
  /// The packet that opened it.
  var firstFrame = 0
  /// When that was.
  var firstTime: Timestamp?
  var isEncrypted = false
  /// By the sender's side.
  var reassemblers: [Reassembler] = [Reassembler(), Reassembler()]
  /// Attribute tables by the server's side.
  var tables: [TableHistory] = [TableHistory(), TableHistory()]
  /// Handles found not to be wanted.
  var unwanted = UnwantedHandles()
  /// The first bearer is the fixed channel.
  var bearers: [ATTBearer] = [ATTBearer()]
  var channels = ChannelTable()
  /// The peer's identity resolving key, until the address comes that it belongs to.
  var identityKey: [UInt8]?
  /// Whether values wait for this connection's discovery.
  var hasUnresolved = false
  /// Whether a start with the controller's boundary flag was seen, so that the flag tells direction.
  var hasFlushableStarts = false

  /// What went over its handles, where that is counted.
  var uses = HandleUses()
  /// When this host asked for its end, and that it did.
  var isEndingByLocal = false
  /// The last packet of it, where silences are told.
  var lastPacket: Timestamp?

  /// What its unfinished packets, SDUs and long writes take of memory, in bytes.
  var pendingBytes = 0

  init(link: Link, isLE: Bool, wasSeenOpening: Bool) {
    self.link = link
    self.isLE = isLE
    self.wasSeenOpening = wasSeenOpening
  }
}

/// Handles of a connection whose values were found not to be wanted, as far as they are remembered.
struct UnwantedHandles {
  private static let places = 64

  private var known: [UInt32] = []
  private var generation = -1

  private static func key(_ handle: UInt16, _ server: Side) -> UInt32 {
    1 << 31 | UInt32(server.rawValue) << 16 | UInt32(handle)
  }

  private static func place(_ key: UInt32) -> Int {
    Int(key ^ key >> 6 ^ key >> 12) & (places - 1)
  }

  /// Whether a handle is one, by what is known at a generation of the knowledge.
  func contains(_ handle: UInt16, of server: Side, at generation: Int) -> Bool {
    guard generation == self.generation else { return false }
    let key = UnwantedHandles.key(handle, server)
    return known[UnwantedHandles.place(key)] == key
  }

  /// Remembers one, in place of another one where there is no room.
  mutating func insert(_ handle: UInt16, of server: Side, at generation: Int) {
    if generation != self.generation {
      known = Array(repeating: 0, count: UnwantedHandles.places)
      self.generation = generation
    }
    let key = UnwantedHandles.key(handle, server)
    known[UnwantedHandles.place(key)] = key
  }
}

/// Finds a connection's slot by adapter and handle without hashing for the usual adapters.
struct ConnectionIndex: Sendable {
  private static let directAdapters = 4
  /// Slot plus one; 0 where there is none.
  private var direct: [Int32] = Array(repeating: 0, count: ConnectionIndex.directAdapters << 12)
  private var others: [UInt64: Int] = [:]
  /// Links from the air, by adapter and access address.
  private var air: [UInt64: Int] = [:]

  /// The slot of a link, whether a host or a receiver on the air knows it.
  subscript(link: Link) -> Int? {
    get {
      link.isFromAir
        ? self[adapter: link.adapter, accessAddress: link.connection]
        : self[link.adapter, UInt16(truncatingIfNeeded: link.connection)]
    }
    set {
      if link.isFromAir {
        air[ConnectionIndex.airKey(link.adapter, link.connection)] = newValue
      } else {
        self[link.adapter, UInt16(truncatingIfNeeded: link.connection)] = newValue
      }
    }
  }

  /// The slot of a link from the air.
  subscript(adapter adapter: Int, accessAddress accessAddress: UInt32) -> Int? {
    air[ConnectionIndex.airKey(adapter, accessAddress)]
  }

  private static func airKey(_ adapter: Int, _ accessAddress: UInt32) -> UInt64 {
    UInt64(truncatingIfNeeded: adapter) << 32 | UInt64(accessAddress)
  }

  @inline(__always)
  subscript(adapter: Int, handle: UInt16) -> Int? {
    get {
      if adapter >= 0, adapter < ConnectionIndex.directAdapters {
        let slot = direct[adapter << 12 | Int(handle & 0x0FFF)]
        return slot == 0 ? nil : Int(slot) - 1
      }
      return others[ConnectionIndex.key(adapter, handle)]
    }
    set {
      if adapter >= 0, adapter < ConnectionIndex.directAdapters {
        direct[adapter << 12 | Int(handle & 0x0FFF)] = Int32((newValue ?? -1) + 1)
      } else {
        others[ConnectionIndex.key(adapter, handle)] = newValue
      }
    }
  }

  private static func key(_ adapter: Int, _ handle: UInt16) -> UInt64 {
    UInt64(truncatingIfNeeded: adapter) << 16 | UInt64(handle)
  }
}

/// The credit-based channels of a connection that are ATT bearers (EATT).
struct ChannelTable: Sendable {
  /// A channel by the CID that frames to one side carry.
  struct Channel: Sendable {
    /// The side that frames with this CID go to.
    var receiver: Side
    var cid: UInt16
    var bearer: Int
    /// Whether its frames are whole packets, as on BR/EDR; else they are parts of SDUs.
    var isBasic: Bool
    /// Collects the SDU that frames to this channel are part of.
    var sdu: [UInt8] = []
    var sduLength: Int?
    var sduReceived = 0
    var frames: [Int] = []

    /// What the pending SDU takes of memory, in bytes.
    var pendingBytes: Int { sdu.count + frames.count * 8 }

    /// Forgets the pending SDU.
    mutating func reset() {
      sdu = []
      sduLength = nil
      sduReceived = 0
      frames = []
    }
  }

  /// A request for channels that waits for its answer.
  struct Opening: Sendable {
    var requester: Side
    var identifier: UInt8
    var mtu: Int
    var sources: [UInt16]
  }

  /// More bearers than any host opens; further ones are not followed.
  static let limit = 64
  /// Bearers met on one connection before those of closed channels are used again.
  static let bearerLimit = 256
  /// Bearers over all connections.
  static let totalLimit = 8192

  var channels: [Channel] = []
  var openings: [Opening] = []

  func index(receiver: Side, cid: UInt16) -> Int? {
    channels.firstIndex { $0.cid == cid && $0.receiver == receiver }
  }
}
