package import PeatProtocol
import WireBytes

/// The document type of the vectors: source, time and a value of which the larger wins.
package struct MaxDocument: AppDocument, Equatable {
  package static let type = AppTypeID(rawValue: 0xC3) ?? .cannedMessage
  package var source: NodeID
  package var timestamp: UInt64
  package var value: UInt32

  package init(source: NodeID, timestamp: UInt64, value: UInt32) {
    self.source = source
    self.timestamp = timestamp
    self.value = value
  }

  package init(payload: [UInt8]) throws(FormatFault) {
    guard payload.count == 16 else {
      throw FormatFault(reason: "document is not 16 bytes", offset: min(payload.count, 16))
    }
    func number(_ range: Range<Int>) -> UInt64 {
      payload[range].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    source = NodeID(rawValue: UInt32(number(0..<4)))
    timestamp = number(4..<12)
    value = UInt32(number(12..<16))
  }

  package var payload: [UInt8] {
    var writer = ByteWriter()
    writer.le32(source.rawValue)
    writer.le64(timestamp)
    writer.le32(value)
    return writer.bytes
  }

  package mutating func merge(_ other: MaxDocument) -> Bool {
    guard other.value > value else { return false }
    value = other.value
    return true
  }

  package mutating func apply(_ operation: AppOperation) -> Bool {
    guard let other = try? MaxDocument(payload: operation.payload) else { return false }
    return merge(other)
  }
}
