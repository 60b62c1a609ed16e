/// A value of CBOR (RFC 8949, 3); tags are left out.
public indirect enum CBORValue: Sendable, Equatable {
  case unsigned(UInt64)
  /// The number is -1 minus this one.
  case negative(UInt64)
  case bytes([UInt8])
  case text(String)
  case array([CBORValue])
  case map([CBOREntry])
  case bool(Bool)
  case null
  case undefined
  case float(Double)
  case simple(UInt8)

  /// The value of a text key of a map, the first where there are several.
  public subscript(key: String) -> CBORValue? {
    guard case .map(let entries) = self else { return nil }
    return entries.first { $0.key == .text(key) }?.value
  }

  /// The number, where it is one that fits.
  public var integer: Int? {
    switch self {
    case .unsigned(let value): Int(exactly: value)
    case .negative(let value): Int(exactly: value).map { -1 - $0 }
    default: nil
    }
  }

  /// The text, where it is one.
  public var text: String? { if case .text(let value) = self { value } else { nil } }
  /// The bytes, where it is a string of them.
  public var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
  /// The truth value, where it is one.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The elements, where it is an array.
  public var array: [CBORValue]? { if case .array(let value) = self { value } else { nil } }
}

/// A key of a map with its value.
public struct CBOREntry: Sendable, Equatable {
  /// The key.
  public let key: CBORValue
  /// The value.
  public let value: CBORValue
}

/// Reads CBOR strictly: every length is checked before it is used, and nesting and the number of
/// values are limited.
public struct CBORReader: ~Escapable {
  /// Arrays, maps and tags within one another.
  public static let depthLimit = 8
  /// Elements of one array, or entries of one map.
  public static let entryLimit = 256
  /// Values in all.
  public static let valueLimit = 4096

  private var reader: ByteReader
  private var values = 0

  /// Makes a reader over the bytes that `reader` has left.
  @_lifetime(copy reader)
  public init(_ reader: ByteReader) {
    self.reader = reader
    self.reader.layer = .cbor
  }

  /// Bytes behind the values read so far.
  public var remaining: Int { reader.remaining }

  /// Reads one value.
  ///
  /// - Throws: `DecodeError` with the offset of the head that is cut, reserved, or beyond a limit.
  @_lifetime(self: copy self)
  public mutating func next() throws(DecodeError) -> CBORValue {
    guard let value = try item(depth: 0, mayBreak: false) else { throw fault(0) }
    return value
  }

  /// The length or number of a head; nil for an indefinite length.
  private struct Head {
    var major: UInt8
    var detail: UInt8
    var argument: UInt64?
  }

  private func fault(_ found: Int) -> DecodeError {
    DecodeError(
      kind: .invalidValue, layer: .cbor, offset: reader.offset, needed: 0, available: found)
  }

  @_lifetime(self: copy self)
  private mutating func head() throws(DecodeError) -> Head {
    guard let first = reader.peek() else {
      // Gives the fault of a cut.
      try reader.skip(1)
      throw fault(0)
    }
    let detail = first & 0x1F
    let size =
      switch detail {
      case 24: 1
      case 25: 2
      case 26: 4
      case 27: 8
      default: 0
      }
    guard detail < 28 || detail == 31 else { throw fault(Int(first)) }
    guard reader.remaining > size else {
      try reader.skip(1 + size)
      throw fault(Int(first))
    }
    try reader.skip(1)
    let argument: UInt64? =
      switch detail {
      case 24: UInt64(try reader.u8())
      case 25: UInt64(try reader.be16())
      case 26: UInt64(try reader.be32())
      case 27: try reader.be64()
      case 31: nil
      default: UInt64(detail)
      }
    return Head(major: first >> 5, detail: detail, argument: argument)
  }

  /// Reads one item; nil for the break of an indefinite one, where that may come.
  @_lifetime(self: copy self)
  private mutating func item(depth: Int, mayBreak: Bool) throws(DecodeError) -> CBORValue? {
    let before = reader
    values += 1
    guard depth <= CBORReader.depthLimit, values <= CBORReader.valueLimit else {
      throw fault(Int(reader.peek() ?? 0))
    }
    let head = try head()
    switch head.major {
    case 0: if let number = head.argument { return .unsigned(number) }
    case 1: if let number = head.argument { return .negative(number) }
    case 2: return .bytes(try string(head))
    case 3:
      let bytes = try string(head)
      if let text = String(validating: bytes, as: UTF8.self) { return .text(text) }
    case 4: return .array(try elements(head, depth: depth))
    case 5: return .map(try entries(head, depth: depth))
    case 6:
      // A tag says more of the value that follows, which is taken as it is.
      if head.argument != nil { return try item(depth: depth + 1, mayBreak: false) }
    default:
      if head.detail == 31 {
        if mayBreak { return nil }
      } else if let number = head.argument {
        return CBORReader.simple(head.detail, number)
      }
    }
    reader = before
    throw fault(Int(reader.peek() ?? 0))
  }

  private static func simple(_ detail: UInt8, _ number: UInt64) -> CBORValue {
    switch detail {
    case 20: .bool(false)
    case 21: .bool(true)
    case 22: .null
    case 23: .undefined
    case 25: .float(half(UInt16(truncatingIfNeeded: number)))
    case 26: .float(Double(Float(bitPattern: UInt32(truncatingIfNeeded: number))))
    case 27: .float(Double(bitPattern: number))
    default: .simple(UInt8(truncatingIfNeeded: number))
    }
  }

  /// A half precision number (RFC 8949, appendix D).
  private static func half(_ bits: UInt16) -> Double {
    let exponent = Int(bits >> 10 & 0x1F)
    let fraction = Double(bits & 0x3FF)
    let size: Double =
      switch exponent {
      case 0: fraction / 16_777_216
      case 31: fraction == 0 ? .infinity : .nan
      default: Double(sign: .plus, exponent: exponent - 15, significand: 1 + fraction / 1024)
      }
    return bits & 0x8000 == 0 ? size : -size
  }

  /// The bytes of a string, of all its chunks where the length is not said.
  @_lifetime(self: copy self)
  private mutating func string(_ head: Head) throws(DecodeError) -> [UInt8] {
    if let length = head.argument {
      return try reader.array(Int(clamping: length))
    }
    var bytes: [UInt8] = []
    while true {
      if reader.peek() == 0xFF {
        try reader.skip(1)
        return bytes
      }
      let found = Int(reader.peek() ?? 0)
      values += 1
      let chunk = try self.head()
      guard chunk.major == head.major, let length = chunk.argument,
        values <= CBORReader.valueLimit
      else { throw fault(found) }
      bytes += try reader.array(Int(clamping: length))
    }
  }

  @_lifetime(self: copy self)
  private mutating func elements(_ head: Head, depth: Int) throws(DecodeError) -> [CBORValue] {
    var found: [CBORValue] = []
    // Every element takes a byte at least: a count beyond that is cut.
    if let count = head.argument, count > UInt64(clamping: reader.remaining) {
      try reader.skip(Int(clamping: count))
    }
    while head.argument.map({ UInt64(found.count) < $0 }) ?? true {
      guard let value = try item(depth: depth + 1, mayBreak: head.argument == nil) else { break }
      guard found.count < CBORReader.entryLimit else { throw fault(found.count) }
      found.append(value)
    }
    return found
  }

  @_lifetime(self: copy self)
  private mutating func entries(_ head: Head, depth: Int) throws(DecodeError) -> [CBOREntry] {
    var found: [CBOREntry] = []
    if let count = head.argument, count > UInt64(clamping: reader.remaining / 2) {
      try reader.skip(Int(clamping: count))
      throw fault(Int(clamping: count))
    }
    while head.argument.map({ UInt64(found.count) < $0 }) ?? true {
      guard let key = try item(depth: depth + 1, mayBreak: head.argument == nil) else { break }
      guard found.count < CBORReader.entryLimit,
        let value = try item(depth: depth + 1, mayBreak: false)
      else { throw fault(found.count) }
      found.append(CBOREntry(key: key, value: value))
    }
    return found
  }
}
