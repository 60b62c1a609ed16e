package import PeatProtocol
package import WireBytes

/// What the messages of one node have told of it.
package struct NodeState: Sendable {
  /// Events that are remembered of a node.
  private static let maximumEvents = 32

  /// What is kept of the document with the highest version.
  package struct Newest: Equatable, Sendable {
    package var version: UInt32
    /// The reference's reading of its peripheral.
    package var peripheral: Peripheral?
  }

  /// The document that arrived last, older or not (protocol.md 4.4), without its peripheral and
  /// chat; where memory is short, with its own count alone (`MeshState.maximumEntries`).
  package var document: Document
  /// The document with the highest version, of equal ones the later; a relayed or repeated old one
  /// does not take its place, nor does one of a node that began anew until it comes so far.
  package private(set) var newest: Newest
  /// The last peripheral that the node gave, as the sender meant it.
  package var peripheral: Peripheral?
  /// Whether that one came in Android's codec.
  package var isKotlin: Bool
  /// When the node's last document arrived.
  package var lastHeard: Timestamp
  /// Which stretch of the recorders' clocks that was in.
  var stretch: Int32 = 0
  /// Documents of this node so far.
  package var documents: Int

  /// Whether counters and acks of its last document were left out because too many are kept.
  package private(set) var isReduced = false

  // The latest events that were told, oldest first.
  private var events: [PeripheralEvent] = []

  init(node: NodeID, at time: Timestamp) {
    document = Document(version: 0, node: node)
    newest = Newest(version: 0, peripheral: nil)
    isKotlin = false
    lastHeard = time
    documents = 0
  }

  /// The version of its last document.
  package var version: UInt32 { document.version }

  /// Takes the node's next document; gives the event where none of its earlier ones told it.
  ///
  /// Of a document with more counters and acks than `room`, only the node's own count is kept.
  mutating func take(
    _ decoded: DecodedDocument, at time: Timestamp, room: Int
  ) -> PeripheralEvent? {
    keep(decoded.document, room: room)
    if decoded.document.version >= newest.version {
      newest = Newest(
        version: decoded.document.version, peripheral: decoded.document.peripheral)
    }
    lastHeard = time
    documents += 1
    guard let told = decoded.kotlin ?? decoded.document.peripheral else { return nil }
    peripheral = told
    isKotlin = decoded.kotlin != nil
    guard let event = told.event, event.type != .none, !events.contains(event) else { return nil }
    if events.count == NodeState.maximumEvents { events.removeFirst() }
    events.append(event)
    return event
  }

  /// Counters and acks that are kept of its last document.
  var entryCount: Int { document.counter.entries.count + (document.emergency?.acks.count ?? 0) }

  private mutating func keep(_ new: Document, room: Int) {
    document = Document(
      version: new.version, node: new.node, counter: new.counter, emergency: new.emergency)
    isReduced = entryCount > room
    if isReduced {
      document.counter = GCounter(new.counter.entries.filter { $0.node == new.node })
      document.emergency = new.emergency.map { EmergencyEvent(source: $0.source, time: $0.time) }
    }
  }
}
