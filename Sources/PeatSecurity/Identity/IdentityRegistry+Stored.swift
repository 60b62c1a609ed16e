package import PeatProtocol
internal import WireBytes

extension IdentityRegistry {
  /// First byte of today's stored form.
  private static let version: UInt8 = 2
  private static let entrySize = 77
  private static let oldEntrySize = 56

  /// Decodes a stored registry of either form (protocol.md 6.8).
  ///
  /// A first byte of 2 is taken for the version, so an old store of exactly 2 entries modulo 256
  /// is misread, as by the reference.
  ///
  /// - Throws: ``FormatFault`` where entries that the count claims are missing.
  package init(stored bytes: [UInt8]) throws(FormatFault) {
    self.init()
    var reader = StoredReader(bytes)
    let isCurrent = bytes.first == Self.version
    if isCurrent { _ = try reader.u8() }
    let count = Int(try reader.le32())
    let size = isCurrent ? Self.entrySize : Self.oldEntrySize
    guard reader.remaining / size >= count else {
      throw FormatFault(
        reason: "registry claims \(count) entries of \(size) bytes, \(reader.remaining) bytes left",
        offset: reader.offset)
    }
    for _ in 0..<count {
      let node = NodeID(rawValue: try reader.le32())
      var record = Record(
        publicKey: try reader.array(Ed25519.publicKeySize), firstSeen: try reader.le64(),
        lastSeen: try reader.le64(), verifications: try reader.le32(), callsign: nil, expires: 0)
      if isCurrent {
        let hasCallsign = try reader.u8() != 0
        let callsign = try reader.array(StoredCallsign.size)
        record.callsign = hasCallsign ? StoredCallsign.text(callsign) : nil
        record.expires = try reader.le64()
      }
      store(record, for: node)
    }
  }

  /// Today's stored form, nodes ascending.
  package func stored() -> [UInt8] {
    var writer = ByteWriter(capacity: 5 + count * Self.entrySize)
    writer.u8(Self.version)
    writer.le32(UInt32(truncatingIfNeeded: count))
    for node in nodes {
      guard let record = self[node] else { continue }
      writer.le32(node.rawValue)
      writer.append(record.publicKey)
      writer.le64(record.firstSeen)
      writer.le64(record.lastSeen)
      writer.le32(record.verifications)
      writer.u8(record.callsign == nil ? 0 : 1)
      writer.append(StoredCallsign.bytes(record.callsign ?? ""))
      writer.le64(record.expires)
    }
    return writer.bytes
  }
}

/// The 12-byte callsign field of tokens and registries (protocol.md 6.6, 6.8).
enum StoredCallsign {
  static let size = 12

  /// The text up to the first zero byte; empty where that is not UTF-8, as in the reference.
  static func text(_ bytes: [UInt8]) -> String {
    String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self) ?? ""
  }

  /// The first 12 bytes of the text, zeros behind it.
  static func bytes(_ text: String) -> [UInt8] {
    let used = Array(text.utf8.prefix(size))
    return used + [UInt8](repeating: 0, count: size - used.count)
  }
}
