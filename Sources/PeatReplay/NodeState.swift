package import PeatProtocol
package import WireBytes

/// What the messages of one node have told of it.
package struct NodeState: Sendable {
  private static let maximumEvents = 32

  /// The document that arrived last, older or not (protocol.md 4.4).
  package var document: Document
  /// The document with the highest version, of equal ones the later; a relayed or repeated old one
  /// does not take its place, nor does one of a node that began anew until it comes so far.
  package private(set) var newest: Document
  /// The last peripheral that the node gave, as the sender meant it.
  package var peripheral: Peripheral?
  /// Whether that one came in Android's codec.
  package var isKotlin: Bool
  /// When the node's last document arrived.
  package var lastHeard: Timestamp
  /// Documents of this node so far.
  package var documents: Int

  // The latest events that were told, oldest first.
  private var events: [PeripheralEvent] = []

  init(document: Document, at time: Timestamp) {
    self.document = document
    newest = document
    isKotlin = false
    lastHeard = time
    documents = 0
  }

  /// The version of its last document.
  package var version: UInt32 { document.version }

  /// Takes the node's next document; gives the event where none of its earlier ones told it.
  mutating func take(_ decoded: DecodedDocument, at time: Timestamp) -> PeripheralEvent? {
    document = decoded.document
    if document.version >= newest.version { newest = document }
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
}
