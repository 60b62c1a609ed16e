public import WireBytes

/// A message of the library's request and response synchronisation: 5 header bytes, most
/// significant first, and a payload (protocol.md 5.2, 5.3).
public struct SyncMessage: WireValue, Hashable {
  /// What a message carries.
  public enum Kind: UInt8, Sendable, BitwiseCopyable, CaseIterable {
    case document = 0x01
    case vector = 0x02
    case acknowledgement = 0x03
    /// Errors go out as this code too, so that a receiver reads every error as an end.
    case end = 0xFF

    /// The code's name in lower case.
    public var name: String {
      switch self {
      case .document: "document"
      case .vector: "vector"
      case .acknowledgement: "ack"
      case .end: "end"
      }
    }
  }

  /// Bytes of the header.
  public static let headerSize = 5

  /// The kind; an unknown code is read as document.
  public var kind: Kind
  /// Counts messages of a session; the fragments of one share it.
  public var sequence: UInt16
  /// Fragments of the message; 0 and 1 mean that it is whole.
  public var totalFragments: UInt8
  /// Place of this fragment, from 0.
  public var fragmentIndex: UInt8
  /// The content.
  public var payload: [UInt8]

  /// Makes a message, whole unless told otherwise.
  public init(
    kind: Kind, sequence: UInt16, payload: [UInt8], totalFragments: UInt8 = 1,
    fragmentIndex: UInt8 = 0
  ) {
    self.kind = kind
    self.sequence = sequence
    self.payload = payload
    self.totalFragments = totalFragments
    self.fragmentIndex = fragmentIndex
  }

  /// Reads the fields in their wire order; everything behind them is the payload.
  ///
  /// - Throws: ``FormatFault`` where a field is cut.
  public init(decoding reader: inout ByteReader) throws(FormatFault) {
    try reader.require(SyncMessage.headerSize, "sync message header")
    kind = Kind(rawValue: try reader.u8("operation")) ?? .document
    sequence = try reader.be16("sequence")
    totalFragments = try reader.u8("total fragments")
    fragmentIndex = try reader.u8("fragment index")
    payload = reader.rest()
  }

  /// Appends the fields in their wire order.
  public func encode(into writer: inout ByteWriter) {
    writer.u8(kind.rawValue)
    writer.be16(sequence)
    writer.u8(totalFragments)
    writer.u8(fragmentIndex)
    writer.append(payload)
  }

  /// Whether this is one fragment of several.
  public var isFragment: Bool { totalFragments > 1 }

  /// Payload bytes that fit a link of a given ATT MTU: MTU − 8, not below 0.
  public static func maximumPayload(mtu: Int) -> Int { max(0, mtu - 8) }

  /// Cuts a payload into messages as the reference does.
  ///
  /// Beyond 255 fragments the total stays 255 and the index wraps, so that no receiver can join
  /// them again. An empty payload makes one message.
  ///
  /// - Returns: nil where a payload is to be cut into fragments of no bytes, which the reference
  ///   answers with a crash.
  public static func fragments(
    kind: Kind, sequence: UInt16, payload: [UInt8], maximumFragmentSize: Int
  ) -> [SyncMessage]? {
    guard payload.count > max(0, maximumFragmentSize) else {
      return [SyncMessage(kind: kind, sequence: sequence, payload: payload)]
    }
    guard maximumFragmentSize > 0 else { return nil }
    let starts = stride(from: 0, to: payload.count, by: maximumFragmentSize)
    let total = (payload.count + maximumFragmentSize - 1) / maximumFragmentSize
    return starts.enumerated().map { index, start in
      SyncMessage(
        kind: kind, sequence: sequence,
        payload: Array(payload[start..<min(start + maximumFragmentSize, payload.count)]),
        totalFragments: UInt8(min(total, 255)),
        fragmentIndex: UInt8(truncatingIfNeeded: index))
    }
  }
}
