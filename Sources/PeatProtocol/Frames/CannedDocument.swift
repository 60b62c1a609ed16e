internal import WireBytes

/// A canned message as an application's document, type 0xC0 (protocol.md 7.4).
///
/// Its full state is the form with acknowledgements without the leading 0xAF; its operations
/// carry the number of acknowledgements in the top 16 bits of the time.
public struct CannedDocument: AppDocument, Hashable {
  /// What an operation on a canned message carries.
  public enum Change: Hashable, Sendable {
    /// Code 0x00: the whole message.
    case full(AcknowledgedCannedMessage)
    /// Code 0x01: acknowledgements that came in.
    case acknowledgements([AcknowledgedCannedMessage.Acknowledgement])
  }

  /// 0xC0.
  public static let type = AppTypeID.cannedMessage

  /// The message and who acknowledged it.
  public private(set) var content: AcknowledgedCannedMessage

  /// Makes a document of a message.
  public init(_ content: AcknowledgedCannedMessage) { self.content = content }

  /// Decodes a full state, which lacks the leading 0xAF.
  public init(payload: [UInt8]) throws(FormatFault) {
    do throws(FormatFault) {
      content = try AcknowledgedCannedMessage(bytes: [CannedMessage.marker] + payload)
    } catch {
      // The marker that was put in front does not count.
      throw FormatFault(reason: error.reason, offset: max(0, error.offset - 1))
    }
  }

  /// The message's source.
  public var source: NodeID { content.message.source }

  /// The message's time.
  public var timestamp: UInt64 { content.message.timestamp }

  /// The full state.
  public var payload: [UInt8] { Array(content.encoded.dropFirst()) }

  /// The full state as an operation, with the number of acknowledgements in the time.
  public var operation: AppOperation {
    AppOperation(
      type: CannedDocument.type, code: 0, source: source,
      timestamp: timestamp & 0x0000_FFFF_FFFF_FFFF
        | UInt64(content.acknowledgements.count) << 48,
      payload: payload)
  }

  /// Reads what an operation of type 0xC0 carries; nil for another type or code.
  ///
  /// - Throws: ``FormatFault`` where the payload is not of the code's form.
  public static func change(_ operation: AppOperation) throws(FormatFault) -> Change? {
    guard operation.type == type else { return nil }
    switch operation.code {
    case 0x00:
      return .full(try CannedDocument(payload: operation.payload).content)
    case 0x01:
      // `Span.bytes` is marked unsafe for element types with padding; bytes have none.
      var reader = unsafe ByteReader(operation.payload.span.bytes, layer: .peat)
      let count = Int(try reader.le16("acknowledgement count"))
      try reader.require(count * 12, "acknowledgements")
      var entries: [AcknowledgedCannedMessage.Acknowledgement] = []
      for _ in 0..<count {
        let node = try reader.node("acknowledging node")
        entries.append(.init(node: node, timestamp: try reader.le64("acknowledgement time")))
      }
      return .acknowledgements(entries)
    default: return nil
    }
  }

  /// Merges another copy.
  public mutating func merge(_ other: CannedDocument) -> Bool { content.merge(other.content) }

  /// Applies a full state or a list of acknowledgements; anything else changes nothing.
  public mutating func apply(_ operation: AppOperation) -> Bool {
    guard let change = try? CannedDocument.change(operation) else { return false }
    switch change {
    case .full(let other): return content.merge(other)
    case .acknowledgements(let entries):
      var changed = false
      for entry in entries {
        changed = content.acknowledge(by: entry.node, at: entry.timestamp) || changed
      }
      return changed
    }
  }
}
