internal import WireBytes

/// The payload of peat-lite's document frame (protocol.md 7.6).
public struct LiteDocument: Hashable, Sendable {
  /// Bit 0 of the flags: the document is deleted.
  public static let tombstoneFlag: UInt8 = 0x01
  /// Bit 1 of the flags: the body is encrypted; the encoder refuses it.
  public static let encryptedFlag: UInt8 = 0x02

  /// The flags as they are.
  public var flags: UInt8
  /// The collection, at most 255 bytes, neither empty nor with a NUL.
  public var collection: String
  /// The document's id, at most 65 535 bytes, without a NUL.
  public var id: String
  /// Unix milliseconds, signed.
  public var timestamp: Int64
  /// The content, at most 65 535 bytes.
  public var body: [UInt8]

  /// Makes a document.
  public init(flags: UInt8, collection: String, id: String, timestamp: Int64, body: [UInt8]) {
    self.flags = flags
    self.collection = collection
    self.id = id
    self.timestamp = timestamp
    self.body = body
  }

  /// Whether the document is deleted.
  public var isTombstone: Bool { flags & LiteDocument.tombstoneFlag != 0 }

  /// Whether the body is encrypted.
  public var isEncrypted: Bool { flags & LiteDocument.encryptedFlag != 0 }

  /// Reads a document; flags are not checked, bytes behind the body are ignored.
  ///
  /// - Throws: ``LiteFault`` for a cut, an empty collection, and text that is not UTF-8 or has
  ///   a NUL.
  public init(bytes: [UInt8]) throws(LiteFault) {
    guard bytes.count >= 2 else { throw .tooShort }
    // `Span.bytes` is marked unsafe for element types with padding; bytes have none.
    var reader = unsafe ByteReader(bytes.span.bytes, layer: .peat)
    flags = bytes[0]
    let collectionLength = Int(bytes[1])
    guard collectionLength > 0 else { throw .emptyCollection }
    let idBytes: [UInt8]
    let collectionBytes: [UInt8]
    do throws(DecodeError) {
      try reader.skip(2)
      collectionBytes = try reader.array(collectionLength)
      idBytes = try reader.array(Int(try reader.le16()))
      timestamp = Int64(bitPattern: try reader.le64())
      body = try reader.array(Int(try reader.le16()))
    } catch { throw .truncatedField }
    collection = try LiteDocument.text(collectionBytes)
    id = try LiteDocument.text(idBytes)
  }

  /// The wire form, in a buffer of a given room.
  ///
  /// - Throws: ``LiteFault`` for any flag but the tombstone's, a tombstone with a body, an empty
  ///   collection, a NUL, a field above its length, and too little room.
  public func encoded(room: Int = .max) throws(LiteFault) -> [UInt8] {
    guard flags & ~LiteDocument.tombstoneFlag == 0 else { throw .invalidFlags }
    guard !isTombstone || body.isEmpty else { throw .tombstoneWithBody }
    guard !collection.isEmpty else { throw .emptyCollection }
    guard !collection.utf8.contains(0), !id.utf8.contains(0) else { throw .invalidUTF8 }
    guard collection.utf8.count <= 0xFF, id.utf8.count <= 0xFFFF, body.count <= 0xFFFF else {
      throw .fieldTooLong
    }
    let size = 14 + collection.utf8.count + id.utf8.count + body.count
    guard size <= room else { throw .bufferTooSmall }
    var writer = ByteWriter(capacity: size)
    writer.u8(flags)
    writer.u8(UInt8(truncatingIfNeeded: collection.utf8.count))
    writer.append(collection.utf8)
    writer.le16LengthPrefixed { $0.append(id.utf8) }
    writer.le64(UInt64(bitPattern: timestamp))
    writer.le16LengthPrefixed { $0.append(body) }
    return writer.bytes
  }

  private static func text(_ bytes: [UInt8]) throws(LiteFault) -> String {
    guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
      throw .invalidUTF8
    }
    return text
  }
}
