public import WireBytes

/// The header of a message of the Simple Management Protocol (mcumgr), 8 bytes, big-endian.
public struct SMPHeader: Sendable, Hashable, BitwiseCopyable {
  /// Bytes of a header.
  public static let size = 8

  /// What a message does.
  public enum Operation: UInt8, Sendable, BitwiseCopyable {
    case read = 0
    case readResponse = 1
    case write = 2
    case writeResponse = 3

    /// The word of the records.
    public var name: String {
      switch self {
      case .read: "read"
      case .readResponse: "read_response"
      case .write: "write"
      case .writeResponse: "write_response"
      }
    }

    /// Whether a server sent it.
    public var isResponse: Bool { rawValue & 1 == 1 }
  }

  /// What it does.
  public let operation: Operation
  /// 1 or 2; the field counts from 0.
  public let version: UInt8
  /// No flag is defined.
  public let flags: UInt8
  /// Bytes of the body.
  public let length: UInt16
  /// The group of commands.
  public let group: UInt16
  /// Counts the requests, and wraps; an answer has its request's.
  public let sequence: UInt8
  /// The command of the group.
  public let command: UInt8

  /// Reads a header.
  ///
  /// - Throws: `DecodeError` where it is cut, or its operation or version is not defined.
  public init(_ reader: inout ByteReader) throws(DecodeError) {
    reader.layer = .smp
    let offset = reader.offset
    let first = try reader.u8()
    guard let operation = Operation(rawValue: first & 7), first >> 3 & 3 <= 1, first >> 5 == 0
    else {
      throw DecodeError(
        kind: .invalidValue, layer: .smp, offset: offset, needed: 0, available: Int(first))
    }
    self.operation = operation
    version = (first >> 3 & 3) + 1
    flags = try reader.u8()
    length = try reader.be16()
    group = try reader.be16()
    sequence = try reader.u8()
    command = try reader.u8()
  }

  /// Whether a response answers this request.
  public func isAnswered(by response: SMPHeader) -> Bool {
    response.operation.rawValue == operation.rawValue + 1 && response.group == group
      && response.command == command && response.sequence == sequence
  }
}

/// A whole message.
public struct SMPMessage: Sendable, Equatable {
  /// The header.
  public let header: SMPHeader
  /// The body, a map; empty where the sender left it out.
  public let body: CBORValue
  /// Bytes behind the map that the length counts too; a sender's fault.
  public let trailing: Int

  /// Reads a message of exactly the length that its header says.
  ///
  /// - Throws: `DecodeError` where the length differs, or the body is no map of CBOR.
  public init(_ reader: inout ByteReader) throws(DecodeError) {
    let start = reader.offset
    header = try SMPHeader(&reader)
    guard reader.remaining == Int(header.length) else {
      throw DecodeError(
        kind: .lengthMismatch, layer: .smp, offset: start + 2, needed: Int(header.length),
        available: reader.remaining)
    }
    guard header.length > 0 else {
      body = .map([])
      trailing = 0
      return
    }
    let place = reader.offset
    var values = CBORReader(reader)
    let value = try values.next()
    guard case .map = value else {
      throw DecodeError(
        kind: .invalidValue, layer: .smp, offset: place, needed: 0,
        available: Int(reader.peek() ?? 0))
    }
    body = value
    trailing = values.remaining
  }

  /// Whether a key of the body stands there twice, a sender's fault.
  public var hasDuplicateKeys: Bool {
    guard case .map(let entries) = body else { return false }
    let names = entries.compactMap(\.key.text)
    return Set(names).count != names.count
  }
}

/// Puts messages together from the values of one connection and direction, which have no header of
/// their own behind the first.
public struct SMPReassembler: Sendable {
  /// The longest message that is held; servers take a few KiB at most.
  private static let limit = 65_543

  /// What a value brought.
  public enum Step: Sendable, Equatable {
    case waiting
    case message([UInt8])
    /// No header where one must stand.
    case foreign
  }

  private var held: [UInt8] = []
  private var wanted = 0

  /// Makes a reassembler that holds nothing.
  public init() {}

  /// Bytes that are held of a message that is not whole.
  public var pending: Int { held.count }

  /// Takes the next value; also tells where it began a message though another was not whole.
  public mutating func take(_ value: [UInt8]) -> (step: Step, hasCut: Bool) {
    let header = SMPReassembler.header(of: value)
    if !held.isEmpty {
      let missing = wanted - held.count
      // A piece fills a message, or is as long as the pieces before: a value that is a message of its
      // own is none.
      if value.count > missing
        || header.map({ Int($0.length) + SMPHeader.size == value.count }) == true
          && value.count < missing
      {
        reset()
        return (begin(value, header), true)
      }
      held += value
      return (finish(), false)
    }
    return (begin(value, header), false)
  }

  /// Forgets what is held, as at the end of a connection; gives how many bytes that were.
  @discardableResult
  public mutating func reset() -> Int {
    defer {
      held = []
      wanted = 0
    }
    return held.count
  }

  private mutating func begin(_ value: [UInt8], _ header: SMPHeader?) -> Step {
    guard let header, value.count <= Int(header.length) + SMPHeader.size else { return .foreign }
    wanted = min(Int(header.length) + SMPHeader.size, SMPReassembler.limit)
    held = value
    return finish()
  }

  private mutating func finish() -> Step {
    guard held.count == wanted else { return .waiting }
    defer { reset() }
    return .message(held)
  }

  private static func header(of value: [UInt8]) -> SMPHeader? {
    var reader = ByteReader(value.rawBytes, layer: .smp)
    return try? SMPHeader(&reader)
  }
}
