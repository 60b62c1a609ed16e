import PeatDissection
import PeatProtocol
import WireBytes

/// Whether a sender's MTU cut a value: stacks cut notifications silently (protocol.md 8.2).
enum MTUCut {
  /// A notification of exactly MTU-3 bytes that ends inside its counter or a section; a read of full
  /// parts that does, where the client asked for no more; one of several values that says itself
  /// that it was longer (Vol 3 Part F, 3.4.4.12).
  static func applies(to value: CapturedValue) -> Bool {
    switch value.opcode {
    case .notification, .indication:
      value.length == value.mtu - 3 && endsInside(value.payload)
    case .readResponse, .readBlob: value.isOpenEnded && endsInside(value.payload)
    case .readByTypeResponse:
      value.length == min(value.mtu - 4, 253) && endsInside(value.payload)
    case .readMultipleVariable, .multipleNotification: value.announced != nil
    case .writeRequest, .writeCommand, .signedWriteCommand, .readMultiple, .executeWrite,
      .advertisement:
      false
    }
  }

  /// What cut the value, and where.
  static func text(of value: CapturedValue) -> String {
    if let announced = value.announced {
      return "the sender's MTU of \(value.mtu) cut the value after \(value.length) of \(announced) "
        + "bytes"
    }
    if value.isOpenEnded {
      return
        "the client read no further than \(value.length) bytes, in parts as long as the MTU of "
        + "\(value.mtu) allows"
    }
    return "the sender's MTU of \(value.mtu) cut the value after \(value.length) bytes"
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
