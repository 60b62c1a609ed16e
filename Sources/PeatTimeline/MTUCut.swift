import PeatDissection
import PeatProtocol
import WireBytes

/// Whether a sender's MTU cut a value: stacks cut notifications silently (protocol.md 8.2).
enum MTUCut {
  /// A notification of exactly MTU-3 bytes that ends inside its counter or a section.
  static func applies(to value: CapturedValue) -> Bool {
    switch value.opcode {
    case .notification, .indication:
      value.length == value.mtu - 3 && endsInside(value.payload)
    case .writeRequest, .writeCommand, .signedWriteCommand, .multipleNotification,
      .readResponse, .readBlob, .readByTypeResponse, .readMultiple, .readMultipleVariable,
      .executeWrite, .advertisement:
      false
    }
  }

  /// Whether the bytes read as a document whose counter or last section is longer than they are.
  static func endsInside(_ payload: [UInt8]) -> Bool {
    var reader = ByteReader(payload.rawBytes, layer: .peat)
    do throws(DecodeError) {
      try reader.skip(8)
      let entries = Int(try reader.le32())
      guard entries <= 256 else { return false }
      if reader.remaining < entries * 12 { return true }
      try reader.skip(entries * 12)
      while let marker = reader.peek() {
        guard (0xAB...0xAD).contains(marker) else { return false }
        guard reader.remaining >= 4 else { return true }
        try reader.skip(2)
        let length = Int(try reader.le16())
        if reader.remaining < length { return true }
        try reader.skip(length)
      }
    } catch {
      return false
    }
    return false
  }
}
