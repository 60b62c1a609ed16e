package import PeatProtocol

/// The application documents that a node holds (protocol.md 7.4).
package struct AppDocumentStore: Sendable {
  /// Documents that are kept at most; the reference has no limit.
  package static let maximumCount = 4_096

  private struct Key: Hashable, Comparable, Sendable {
    var type: AppTypeID
    var source: NodeID
    var timestamp: UInt64

    static func < (left: Key, right: Key) -> Bool {
      (left.type.rawValue, left.source, left.timestamp)
        < (right.type.rawValue, right.source, right.timestamp)
    }
  }

  private let registry: AppRegistry
  private var entries: [Key: any AppDocument] = [:]

  /// Makes an empty store for the registered types.
  package init(registry: AppRegistry) { self.registry = registry }

  /// Number of documents.
  package var count: Int { entries.count }

  /// The documents, ascending by type, source and time.
  package var documents: [any AppDocument] {
    entries.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Takes a document in; tells whether that changed anything.
  mutating func store(_ document: some AppDocument) -> Bool {
    let key = Key(
      type: type(of: document).type, source: document.source, timestamp: document.timestamp)
    if let known = entries[key] {
      return keep(registry.merging(document, into: known, type: key.type), as: key)
    }
    return keep(document, as: key)
  }

  /// Takes an operation in: applied to the document that it names, else read as a whole one;
  /// tells whether that changed anything.
  mutating func apply(_ operation: AppOperation) -> Bool {
    let key = Key(
      type: operation.type, source: operation.source, timestamp: operation.documentTimestamp)
    if let known = entries[key] {
      return keep(registry.applying(operation, to: known), as: key)
    }
    return keep(
      (try? registry.decode(operation.type, payload: operation.payload)) ?? nil, as: key)
  }

  private mutating func keep(_ document: (any AppDocument)?, as key: Key) -> Bool {
    guard let document,
      entries[key] != nil || entries.count < AppDocumentStore.maximumCount
    else { return false }
    entries[key] = document
    return true
  }
}
