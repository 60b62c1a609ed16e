public import WireBytes

/// One value of a proxy or provisioning characteristic (Mesh Protocol 1.1, 6.3).
public struct ProxyPDU: Sendable, Equatable {
  /// Which part of a message it holds.
  public enum Part: UInt8, Sendable, BitwiseCopyable {
    case whole = 0
    case first = 1
    case continuation = 2
    case last = 3
  }

  /// What the message is.
  public enum Kind: UInt8, Sendable, BitwiseCopyable {
    case network = 0
    case beacon = 1
    case configuration = 2
    case provisioning = 3
  }

  /// Which part of a message it holds.
  public let part: Part
  /// What the message is.
  public let kind: Kind
  /// The message, or the part.
  public let data: [UInt8]

  /// Reads a value.
  ///
  /// - Throws: `DecodeError` where it is empty or of a reserved type.
  public init(_ reader: inout ByteReader) throws(DecodeError) {
    reader.layer = .mesh
    let offset = reader.offset
    let first = try reader.u8()
    guard let part = Part(rawValue: first >> 6), let kind = Kind(rawValue: first & 0x3F) else {
      throw .mesh(offset, found: Int(first & 0x3F), needed: 3)
    }
    self.part = part
    self.kind = kind
    data = reader.rest()
  }
}

/// Puts the messages of one connection and direction together (6.6).
public struct ProxyReassembler: Sendable {
  /// From the first part to the last, in ns.
  public static let timeout: Int64 = 20_000_000_000
  /// The longest message: a provisioning PDU has 65 bytes, others 29.
  private static let limit = 256

  /// What a value brought.
  public enum Step: Sendable, Equatable {
    /// The message is not whole yet.
    case waiting
    case message(ProxyPDU.Kind, [UInt8])
    /// The value came where it may not: what was held, and it, is lost.
    case outOfOrder
    /// The message took too long, or grew too long; what was held is lost.
    case abandoned
  }

  private var kind: ProxyPDU.Kind?
  private var held: [UInt8] = []
  private var began: Timestamp?

  /// Makes a reassembler that holds nothing.
  public init() {}

  /// Takes the next value.
  public mutating func take(_ pdu: ProxyPDU, at time: Timestamp?) -> Step {
    if kind != nil, let began, let time,
      time.nanoseconds.subtractingReportingOverflow(began.nanoseconds).partialValue
        > ProxyReassembler.timeout
    {
      reset()
      // A value that begins a message stands for itself; of others the beginning is lost.
      if pdu.part == .continuation || pdu.part == .last { return .abandoned }
    }
    switch pdu.part {
    case .whole, .first:
      let wasOpen = kind != nil
      reset()
      if wasOpen { return .outOfOrder }
      if pdu.part == .whole { return .message(pdu.kind, pdu.data) }
      kind = pdu.kind
      began = time
    case .continuation, .last:
      guard kind == pdu.kind else {
        reset()
        return .outOfOrder
      }
    }
    held += pdu.data
    guard held.count <= ProxyReassembler.limit else {
      reset()
      return .abandoned
    }
    guard pdu.part == .last else { return .waiting }
    defer { reset() }
    return .message(pdu.kind, held)
  }

  private mutating func reset() {
    kind = nil
    held = []
    began = nil
  }
}
