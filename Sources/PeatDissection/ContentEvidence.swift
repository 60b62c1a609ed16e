import PeatProtocol
import WireBytes

/// A handle whose values are weighed: of a device where its address is known, so that several
/// connections count together, else of one connection.
struct ContentKey: Sendable, Hashable {
  var identity: ServerIdentity?
  var connection: ServerKey?
  var handle: UInt16
  /// How often the handle's meaning had changed.
  var era: Int

  init(_ handle: UInt16, key: ServerKey, identity: ServerIdentity?, era: Int) {
    self.era = era
    self.identity = identity
    connection = identity == nil ? key : nil
    self.handle = handle
  }
}

/// What the values of a handle that no discovery names say about it (cli.md, `content`).
///
/// The rule: a handle is taken for the document characteristic where nothing but its values can
/// name it, and
/// - at least three values are whole plain documents (protocol.md 2.9, "which kind") with a
///   counter, and values that are no message at all are at most a quarter as many;
/// - the documents that one end sends name one and the same node, and those of the two ends name
///   different nodes: a device that echoes what is written to it is no Peat peer;
/// - from at least one end come two or more, whose version, or counter where the version stays,
///   grows and does not fall, and whose counter has an entry of the node that they name;
/// or a key opens at least two values.
///
/// Wrapped frames that no key opens count neither way. What discovery says comes first: a handle
/// that it passed over, or a server whose document it found elsewhere, is never taken.
struct ContentEvidence: Sendable {
  /// Frames tried with the keys, so that a capture cannot make this slow.
  private static let trialLimit = 16

  /// The documents that one end sent.
  private struct Stream: Sendable {
    var node: NodeID?
    var lastVersion: UInt32 = 0
    var lastTotal: UInt64 = 0
    var documents = 0
    var others = 0
    var grew = 0
    var fell = 0
    var withOwnEntry = 0

    mutating func add(_ document: Header) {
      guard let node else {
        self.node = document.node
        take(document)
        return
      }
      guard node == document.node else {
        others += 1
        return
      }
      let growth = (document.version, document.total)
      let last = (lastVersion, lastTotal)
      if growth > last { grew += 1 } else if growth < last { fell += 1 }
      take(document)
    }

    private mutating func take(_ document: Header) {
      documents += 1
      if document.hasOwnEntry { withOwnEntry += 1 }
      lastVersion = document.version
      lastTotal = document.total
    }

    var isConsistent: Bool { others * 3 <= documents && fell * 3 <= grew + 1 }

    var isEstablished: Bool {
      isConsistent && documents >= 2 && grew >= 1 && fell * 3 <= grew && withOwnEntry >= 1
    }
  }

  /// What is looked at of a document.
  private struct Header {
    var version: UInt32
    var node: NodeID
    var total: UInt64
    var hasOwnEntry: Bool

    init?(_ bytes: [UInt8]) {
      // Bytes have no padding, so their raw view is wholly initialised.
      guard unsafe Document.isCredible(bytes.span.bytes) else { return nil }
      var reader = ByteReader(bytes.rawBytes, layer: .peat)
      do throws(DecodeError) {
        version = try reader.le32()
        node = NodeID(rawValue: try reader.le32())
        let entries = Int(try reader.le32())
        guard entries > 0, node.rawValue != 0 else { return nil }
        total = 0
        hasOwnEntry = false
        for _ in 0..<entries {
          hasOwnEntry = try NodeID(rawValue: reader.le32()) == node || hasOwnEntry
          total &+= try reader.le64()
        }
      } catch {
        return nil
      }
    }
  }

  /// By whether the server sent them.
  private var fromServer = Stream()
  private var fromClient = Stream()
  private var foreign = 0
  private var opened = 0
  private var trials = 0
  /// Whether nobody waits for the handle's name any longer.
  var isGivenUp = false
  /// Where upgrades are wanted too.
  private(set) var upgrade: UpgradeEvidence?

  init(weighsUpgrades: Bool = false) {
    if weighsUpgrades { upgrade = UpgradeEvidence() }
  }

  /// Weighs one value.
  mutating func add(
    _ value: CapturedValue, isFromServer: Bool, opens: (@Sendable ([UInt8]) -> Bool)?
  ) {
    let bytes = value.payload
    if value.isCutByCapture { return }
    if !value.opcode.isRead { upgrade?.add(bytes, isFromServer: isFromServer) }
    if let header = Header(bytes) {
      if isFromServer { fromServer.add(header) } else { fromClient.add(header) }
      return
    }
    if let first = bytes.first, FrameMarker(rawValue: first) != nil {
      if let opens, trials < ContentEvidence.trialLimit {
        trials += 1
        if opens(bytes) { opened += 1 }
      }
      return
    }
    // A read before the first document is answered by the node's number (protocol.md 8.3).
    if bytes.count == 4 && value.opcode.isRead { return }
    // An empty counter says nothing: twelve bytes that end in zeros are common.
    if unsafe Document.isCredible(bytes.span.bytes) { return }
    foreign += 1
  }

  /// Whether anything speaks for the handle.
  var isCandidate: Bool {
    fromServer.documents + fromClient.documents + opened > 0 || upgrade?.isCandidate ?? false
  }

  /// Whether so many values were weighed that a long capture need not weigh more.
  var isDecided: Bool { fromServer.documents + fromClient.documents + foreign >= 256 }

  /// Whether the values suffice.
  var isSufficient: Bool {
    let documents = fromServer.documents + fromClient.documents
    guard foreign * 4 <= documents + opened else { return false }
    if opened >= 2 { return true }
    guard documents >= 3, fromServer.isConsistent, fromClient.isConsistent,
      fromServer.isEstablished || fromClient.isEstablished
    else { return false }
    return fromServer.node != fromClient.node
  }
}
