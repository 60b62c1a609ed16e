public import WireBytes

/// An application's document in its frame: type, flags, length and payload (protocol.md 7.4).
///
/// No send or receive path of the reference uses this form; documents travel as ``AppOperation``.
public struct AppDocumentFrame: WireValue, Hashable {
  /// Bytes in front of the payload.
  public static let headerSize = 4

  /// The document type.
  public var type: AppTypeID
  /// Written 0, read as they are.
  public var flags: UInt8
  /// The document.
  public var payload: [UInt8]

  /// Makes a frame.
  public init(type: AppTypeID, flags: UInt8 = 0, payload: [UInt8]) {
    self.type = type
    self.flags = flags
    self.payload = payload
  }

  /// Reads a frame; bytes behind the payload are ignored.
  ///
  /// - Throws: ``FormatFault`` for fewer than 4 bytes, another type and a cut payload.
  public init(decoding reader: inout ByteReader) throws(FormatFault) {
    try reader.require(AppDocumentFrame.headerSize, "application header")
    let start = reader.offset
    let byte = try reader.u8("type")
    guard let type = AppTypeID(rawValue: byte) else {
      throw FormatFault(
        reason: "application type 0x\(String(byte, radix: 16)) is not 0xc0 to 0xcf",
        offset: start)
    }
    self.type = type
    flags = try reader.u8("flags")
    let length = Int(try reader.le16("payload length"))
    payload = try reader.array(length, "application payload")
  }

  /// Appends the frame.
  public func encode(into writer: inout ByteWriter) {
    writer.u8(type.rawValue)
    writer.u8(flags)
    writer.le16LengthPrefixed { $0.append(payload) }
  }
}

/// An application's document that replicas merge (protocol.md 7.4).
public protocol AppDocument: Sendable {
  /// The number of the type.
  static var type: AppTypeID { get }

  /// Decodes a full state.
  init(payload: [UInt8]) throws(FormatFault)

  /// The node that made the document; with the time it is the document's identity.
  var source: NodeID { get }

  /// The time of the document.
  var timestamp: UInt64 { get }

  /// The full state.
  var payload: [UInt8] { get }

  /// The operation that carries this document in a delta.
  var operation: AppOperation { get }

  /// Merges another copy; true when anything changed.
  mutating func merge(_ other: Self) -> Bool

  /// Applies an operation; true when anything changed.
  mutating func apply(_ operation: AppOperation) -> Bool
}

extension AppDocument {
  /// The full state in its frame.
  public var frame: AppDocumentFrame { AppDocumentFrame(type: Self.type, payload: payload) }

  /// The full state under operation code 0.
  public var operation: AppOperation {
    AppOperation(
      type: Self.type, code: 0, source: source, timestamp: timestamp, payload: payload)
  }
}

/// The document types that a node understands, at most one for each number (protocol.md 7.4).
public struct AppRegistry: Sendable {
  private struct Handler: Sendable {
    var decode: @Sendable ([UInt8]) throws(FormatFault) -> any AppDocument
    var merge: @Sendable (any AppDocument, any AppDocument) -> (any AppDocument)?
    var apply: @Sendable (any AppDocument, AppOperation) -> (any AppDocument)?
  }

  private var handlers: [AppTypeID: Handler] = [:]

  /// Makes a registry that knows no type.
  public init() {}

  /// Enters a type; false when its number is taken.
  ///
  /// The reference has a form that crashes there and leaves the registry unusable; this has not.
  public mutating func register<Document: AppDocument>(_ document: Document.Type) -> Bool {
    guard handlers[Document.type] == nil else { return false }
    handlers[Document.type] = Handler(
      decode: { (payload) throws(FormatFault) in try Document(payload: payload) },
      merge: { known, other in
        guard var merged = known as? Document, let other = other as? Document,
          merged.merge(other)
        else { return nil }
        return merged
      },
      apply: { known, operation in
        guard var changed = known as? Document, changed.apply(operation) else { return nil }
        return changed
      })
    return true
  }

  /// Whether a type is known.
  public func isRegistered(_ type: AppTypeID) -> Bool { handlers[type] != nil }

  /// Decodes a full state.
  ///
  /// - Returns: nil for a type that is not known.
  /// - Throws: ``FormatFault`` where the type refuses the payload.
  public func decode(
    _ type: AppTypeID, payload: [UInt8]
  ) throws(FormatFault) -> (any AppDocument)? {
    try handlers[type]?.decode(payload)
  }

  /// Merges a document into a known one of the same type; nil when nothing changes.
  public func merging(
    _ other: any AppDocument, into known: any AppDocument, type: AppTypeID
  ) -> (any AppDocument)? {
    handlers[type]?.merge(known, other)
  }

  /// Applies an operation to a known document; nil when nothing changes.
  public func applying(
    _ operation: AppOperation, to known: any AppDocument
  ) -> (any AppDocument)? {
    handlers[operation.type]?.apply(known, operation)
  }
}
