/// A value of a JSON text (RFC 8259), with its place.
public struct JSONNode: Sendable, Equatable {
  /// What a value is.
  public enum Value: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A number with a fraction or an exponent, or beyond 64 bits, as it is written.
    case number(String)
    case string(String)
    case array([JSONNode])
    case object([JSONMember])
  }

  /// Where it begins in the text, in bytes.
  public let offset: Int
  /// What it is.
  public let value: Value

  /// A member of an object.
  public subscript(name: String) -> JSONNode? {
    guard case .object(let members) = value else { return nil }
    return members.first { $0.name == name }?.node
  }

  /// The string, where it is one.
  public var string: String? { if case .string(let text) = value { text } else { nil } }
  /// The integer, where it is one.
  public var integer: Int64? { if case .integer(let number) = value { number } else { nil } }
  /// The truth value, where it is one.
  public var bool: Bool? { if case .bool(let truth) = value { truth } else { nil } }
  /// The elements, where it is an array.
  public var array: [JSONNode]? { if case .array(let nodes) = value { nodes } else { nil } }
}

/// A member of an object.
public struct JSONMember: Sendable, Equatable {
  /// Its name.
  public let name: String
  /// Its value.
  public let node: JSONNode
}

/// Reads JSON strictly (RFC 8259): UTF-8, no name twice in an object, nothing behind the value, and
/// limits on size, nesting and the number of values.
public struct JSONReader: ~Escapable {
  /// Bytes of a text.
  public static let sizeLimit = 4 << 20
  /// Arrays and objects within one another.
  public static let depthLimit = 16
  /// Values and members in all.
  public static let valueLimit = 1 << 18

  private var reader: ByteReader
  private var values = 0

  /// Makes a reader over a whole text.
  @_lifetime(copy text)
  public init(_ text: RawSpan) {
    reader = ByteReader(text, layer: .json)
  }

  /// Reads the text's one value.
  ///
  /// - Throws: `DecodeError` with the offset of the first byte that is not JSON, or beyond a limit.
  @_lifetime(self: copy self)
  public mutating func document() throws(DecodeError) -> JSONNode {
    guard reader.remaining <= JSONReader.sizeLimit else { throw fault() }
    let node = try value(depth: 0)
    skipSpace()
    guard reader.isAtEnd else { throw fault() }
    return node
  }

  private func fault() -> DecodeError {
    guard let byte = reader.peek() else {
      return DecodeError(
        kind: .truncated, layer: .json, offset: reader.offset, needed: 1, available: 0)
    }
    return DecodeError(
      kind: .invalidValue, layer: .json, offset: reader.offset, needed: 0, available: Int(byte))
  }

  @_lifetime(self: copy self)
  private mutating func skipSpace() {
    while let byte = reader.peek(), [0x20, 0x09, 0x0A, 0x0D].contains(byte) { advance(1) }
  }

  /// Moves over bytes that were looked at.
  @_lifetime(self: copy self)
  private mutating func advance(_ count: Int) {
    do throws(DecodeError) { try reader.skip(count) } catch { return }
  }

  @_lifetime(self: copy self)
  private mutating func expect(_ byte: UInt8) throws(DecodeError) {
    skipSpace()
    guard reader.peek() == byte else { throw fault() }
    advance(1)
  }

  @_lifetime(self: copy self)
  private mutating func value(depth: Int) throws(DecodeError) -> JSONNode {
    skipSpace()
    let offset = reader.offset
    values += 1
    guard values <= JSONReader.valueLimit, depth <= JSONReader.depthLimit else { throw fault() }
    let found: JSONNode.Value
    switch reader.peek() {
    case UInt8(ascii: "{"): found = .object(try members(depth: depth))
    case UInt8(ascii: "["): found = .array(try elements(depth: depth))
    case UInt8(ascii: "\""): found = .string(try string())
    case UInt8(ascii: "t"): found = try word("true", .bool(true))
    case UInt8(ascii: "f"): found = try word("false", .bool(false))
    case UInt8(ascii: "n"): found = try word("null", .null)
    default: found = try number()
    }
    return JSONNode(offset: offset, value: found)
  }

  @_lifetime(self: copy self)
  private mutating func word(
    _ text: StaticString, _ value: JSONNode.Value
  ) throws(DecodeError) -> JSONNode.Value {
    for byte in Array(text.description.utf8) {
      guard reader.peek() == byte else { throw fault() }
      advance(1)
    }
    return value
  }

  @_lifetime(self: copy self)
  private mutating func elements(depth: Int) throws(DecodeError) -> [JSONNode] {
    advance(1)
    skipSpace()
    var found: [JSONNode] = []
    if reader.peek() == UInt8(ascii: "]") {
      advance(1)
      return found
    }
    while true {
      found.append(try value(depth: depth + 1))
      skipSpace()
      if reader.peek() == UInt8(ascii: "]") {
        advance(1)
        return found
      }
      try expect(UInt8(ascii: ","))
    }
  }

  @_lifetime(self: copy self)
  private mutating func members(depth: Int) throws(DecodeError) -> [JSONMember] {
    advance(1)
    skipSpace()
    var found: [JSONMember] = []
    var names: Set<String> = []
    if reader.peek() == UInt8(ascii: "}") {
      advance(1)
      return found
    }
    while true {
      skipSpace()
      guard reader.peek() == UInt8(ascii: "\"") else { throw fault() }
      let before = reader
      let name = try string()
      guard names.insert(name).inserted else {
        reader = before
        throw fault()
      }
      try expect(UInt8(ascii: ":"))
      found.append(JSONMember(name: name, node: try value(depth: depth + 1)))
      skipSpace()
      if reader.peek() == UInt8(ascii: "}") {
        advance(1)
        return found
      }
      try expect(UInt8(ascii: ","))
    }
  }

  @_lifetime(self: copy self)
  private mutating func string() throws(DecodeError) -> String {
    let start = reader
    advance(1)
    var bytes: [UInt8] = []
    while true {
      guard let byte = reader.peek(), byte >= 0x20 else { throw fault() }
      if byte == UInt8(ascii: "\"") {
        advance(1)
        guard let text = String(validating: bytes, as: UTF8.self) else {
          reader = start
          throw fault()
        }
        return text
      }
      if byte == UInt8(ascii: "\\") {
        bytes += Array(String(try escape()).utf8)
      } else {
        bytes.append(byte)
        advance(1)
      }
    }
  }

  /// Reads what a backslash stands in front of; both halves of a surrogate pair.
  @_lifetime(self: copy self)
  private mutating func escape() throws(DecodeError) -> Unicode.Scalar {
    let start = reader
    advance(1)
    guard let kind = reader.peek() else { throw fault() }
    let plain: [UInt8: Unicode.Scalar] = [
      UInt8(ascii: "\""): "\"", UInt8(ascii: "\\"): "\\", UInt8(ascii: "/"): "/",
      UInt8(ascii: "b"): "\u{8}", UInt8(ascii: "f"): "\u{C}", UInt8(ascii: "n"): "\n",
      UInt8(ascii: "r"): "\r", UInt8(ascii: "t"): "\t",
    ]
    if let scalar = plain[kind] {
      advance(1)
      return scalar
    }
    guard kind == UInt8(ascii: "u") else { throw fault() }
    advance(1)
    var code = try fourDigits()
    if code & 0xFC00 == 0xD800, reader.peek() == UInt8(ascii: "\\"),
      reader.peek(1) == UInt8(ascii: "u")
    {
      advance(2)
      let low = try fourDigits()
      if low & 0xFC00 == 0xDC00 { code = 0x10000 + (code & 0x3FF) << 10 + (low & 0x3FF) }
    }
    guard let scalar = Unicode.Scalar(code) else {
      reader = start
      throw fault()
    }
    return scalar
  }

  @_lifetime(self: copy self)
  private mutating func fourDigits() throws(DecodeError) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = reader.peek(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue
      else { throw fault() }
      code = code << 4 | UInt32(digit)
      advance(1)
    }
    return code
  }

  @_lifetime(self: copy self)
  private mutating func number() throws(DecodeError) -> JSONNode.Value {
    var text = ""
    var isInteger = true
    func isDigit(_ byte: UInt8?) -> Bool { byte.map { (0x30...0x39).contains($0) } ?? false }
    if reader.peek() == UInt8(ascii: "-") { text.append(character()) }
    guard isDigit(reader.peek()) else { throw fault() }
    // No zeros in front.
    if reader.peek() == UInt8(ascii: "0") {
      text.append(character())
    } else {
      while isDigit(reader.peek()) { text.append(character()) }
    }
    if reader.peek() == UInt8(ascii: ".") {
      isInteger = false
      text.append(character())
      guard isDigit(reader.peek()) else { throw fault() }
      while isDigit(reader.peek()) { text.append(character()) }
    }
    if let byte = reader.peek(), byte | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      text.append(character())
      if let sign = reader.peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
        text.append(character())
      }
      guard isDigit(reader.peek()) else { throw fault() }
      while isDigit(reader.peek()) { text.append(character()) }
    }
    if isInteger, let value = Int64(text) { return .integer(value) }
    return .number(text)
  }

  /// Takes one byte that is a character of ASCII.
  @_lifetime(self: copy self)
  private mutating func character() -> Character {
    let byte = reader.peek() ?? 0x20
    advance(1)
    return Character(Unicode.Scalar(byte))
  }
}
