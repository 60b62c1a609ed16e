import BluetoothProtocols
import WireBytes

/// A request that waits for its response on one bearer.
struct PendingRequest: Sendable {
  enum Kind: Sendable {
    case exchangeMTU(Int)
    case readByGroupType(BluetoothUUID)
    case readByType(BluetoothUUID)
    case findInformation
    case findByTypeValue(BluetoothUUID?)
    case read(UInt16)
    case readBlob(handle: UInt16, offset: Int)
    case readMultiple([UInt16])
    case readMultipleVariable([UInt16])
    /// The value's place in the queue, where it is one that is shown.
    case write(UInt64?)
    case prepareWrite
    /// The joined values' places in the queue.
    case executeWrite([UInt64])
  }

  var kind: Kind
}

/// A value that is read in parts: what came so far.
struct PartialRead: Sendable {
  var handle: UInt16
  var bytes: [UInt8]
  var length: Int
  var frames: [Int]
  /// Its place in the queue, where it waits for more parts.
  var entry: UInt64?
}

/// One part of a long write that the server has queued.
struct PreparedPart: Sendable {
  var handle: UInt16
  var offset: Int
  var bytes: [UInt8]
  var length: Int
  var frames: [Int]
  var isRefused = false

  /// What it takes of memory, in bytes.
  var cost: Int { 192 + bytes.count + frames.count * 8 }
}

/// One client's dealings with the server at the other end, on one bearer.
struct ClientProgress: Sendable {
  /// Parts kept of one long write: 512 bytes in parts of one byte, and more than any client sends.
  static let preparedLimit = 1024

  var request: PendingRequest?
  var read: PartialRead?
  var prepared: [PreparedPart] = []

  /// What the parts take of memory, in bytes.
  var preparedBytes: Int { prepared.reduce(0) { $0 + $1.cost } }
}

/// An ATT bearer: the fixed channel, or one credit-based channel (Vol 3 Part F, 3.2.11).
struct ATTBearer: Sendable {
  /// Before an exchange, on the fixed channel (Vol 3 Part F, 3.2.8).
  static let defaultMTU = 23

  var mtu = ATTBearer.defaultMTU
  /// By the client's side.
  var clients: [ClientProgress] = [ClientProgress(), ClientProgress()]
}
