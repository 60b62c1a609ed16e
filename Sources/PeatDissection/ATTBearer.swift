import BluetoothProtocols
import WireBytes

/// A request that waits for its response on one bearer.
struct PendingRequest: Sendable {
  enum Kind: Sendable {
    case exchangeMTU(Int)
    case readByGroupType(BluetoothUUID, HandleRange)
    case readByType(BluetoothUUID, HandleRange)
    case findInformation(HandleRange)
    /// The service asked for; nil where something else was.
    case findByTypeValue(BluetoothUUID?, isPrimary: Bool, HandleRange)
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

  /// The range that a discovery request asks for, as it stands there.
  struct HandleRange: Sendable {
    var start: UInt16
    var end: UInt16
  }

  var kind: Kind
  /// The opcode of a discovery request; 0 for the others, whose answers tell nothing of tables.
  var opcode: UInt8 {
    switch kind {
    case .findInformation: 0x04
    case .findByTypeValue: 0x06
    case .readByType: 0x08
    case .readByGroupType: 0x10
    default: 0
    }
  }
  /// Places where packets had been lost by then.
  var losses: Int
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
  /// Gaps of the capture before it.
  var losses: Int
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

  /// Over BR/EDR, where no end says another one (Vol 3 Part A, 5.1).
  static let classicMTU = 672

  var mtu = ATTBearer.defaultMTU
  /// By the client's side.
  var clients: [ClientProgress] = [ClientProgress(), ClientProgress()]
}
