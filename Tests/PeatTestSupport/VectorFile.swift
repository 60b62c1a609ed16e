import Foundation

/// A value of a JSON document, for reading test expectations.
package enum JSON: Sendable, Equatable {
  case null, bool(Bool), number(Double), string(String), array([JSON]), object([String: JSON])

  /// Parses UTF-8 JSON text.
  package init(parsing text: Data) throws {
    self = JSON(
      foundation: try JSONSerialization.jsonObject(with: text, options: .fragmentsAllowed))
  }

  private init(foundation value: Any) {
    switch value {
    case let value as [String: Any]: self = .object(value.mapValues { JSON(foundation: $0) })
    case let value as [Any]: self = .array(value.map { JSON(foundation: $0) })
    case let value as String: self = .string(value)
    case let value as NSNumber:
      self = CFBooleanLike.isBoolean(value) ? .bool(value.boolValue) : .number(value.doubleValue)
    default: self = .null
    }
  }

  package subscript(key: String) -> JSON {
    if case .object(let members) = self { return members[key] ?? .null }
    return .null
  }

  package subscript(index: Int) -> JSON {
    if case .array(let elements) = self, elements.indices.contains(index) {
      return elements[index]
    }
    return .null
  }

  package var isNull: Bool { self == .null }
  package var string: String? { if case .string(let value) = self { value } else { nil } }
  package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  package var double: Double? { if case .number(let value) = self { value } else { nil } }
  package var array: [JSON]? { if case .array(let value) = self { value } else { nil } }
  package var object: [String: JSON]? { if case .object(let value) = self { value } else { nil } }

  /// An integer given as a number, or as decimal text as the vectors write 64-bit values.
  package var int: Int? {
    switch self {
    case .number(let value): Int(exactly: value)
    case .string(let text): Int(text)
    default: nil
    }
  }

  /// An unsigned integer given as a number or as decimal text.
  package var uint64: UInt64? {
    switch self {
    case .number(let value): UInt64(exactly: value)
    case .string(let text): UInt64(text)
    default: nil
    }
  }

  package var uint32: UInt32? { uint64.flatMap { UInt32(exactly: $0) } }
  package var uint16: UInt16? { uint64.flatMap { UInt16(exactly: $0) } }
  package var uint8: UInt8? { uint64.flatMap { UInt8(exactly: $0) } }

  /// Bytes given as hexadecimal text.
  package var bytes: [UInt8]? { string.flatMap { hexBytes($0) } }

  /// A 32-bit float given as its bit pattern in 8 hexadecimal digits.
  package var floatBits: UInt32? { string.flatMap { UInt32($0, radix: 16) } }
}

/// Tells `true` from `1`: both reach us as numbers.
private enum CFBooleanLike {
  static func isBoolean(_ number: NSNumber) -> Bool {
    String(cString: number.objCType) == "c" || String(cString: number.objCType) == "B"
  }
}

/// The bytes that hexadecimal text spells, or nil.
package func hexBytes(_ text: String) -> [UInt8]? {
  let digits = Array(text.utf8)
  guard digits.count % 2 == 0 else { return nil }
  var result: [UInt8] = []
  for index in stride(from: 0, to: digits.count, by: 2) {
    let pair = String(decoding: digits[index...index + 1], as: UTF8.self)
    guard let byte = UInt8(pair, radix: 16) else { return nil }
    result.append(byte)
  }
  return result
}

/// One line of a vector file.
package struct Vector: Sendable {
  package let name: String
  package let kind: String
  package let hex: [UInt8]?
  package let input: JSON
  package let expect: JSON
  package let whole: JSON

}

/// Folders of test data. Each can be pointed elsewhere by an environment variable.
package enum TestData {
  /// `Tests/` of this checkout.
  package static let testsFolder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Conformance vectors: `PEAT_VECTORS`, else the project's copy.
  package static let vectors = folder("PEAT_VECTORS", else: "Vectors")

  /// Captures with truth files: `PEAT_CAPTURES`, else the project's copy.
  package static let captures = folder("PEAT_CAPTURES", else: "Captures")

  /// Captures rebuilt from bug reports: `PEAT_BUGREPORTS`, else the project's copy.
  package static let bugReports = folder("PEAT_BUGREPORTS", else: "BugReports")

  private static func folder(_ variable: String, else name: String) -> URL {
    if let path = ProcessInfo.processInfo.environment[variable], !path.isEmpty {
      return URL(fileURLWithPath: path)
    }
    return testsFolder.appendingPathComponent(name)
  }

  /// Later bug reports of the same form.
  package static let bugReports2 = testsFolder.appendingPathComponent("BugReports2")

  /// The lines of a file of vectors that have `name`, `inputs` and `expected`.
  package static func lines(_ path: String) throws -> [JSON] {
    let text = try String(contentsOf: testsFolder.appendingPathComponent(path), encoding: .utf8)
    return try text.split(separator: "\n").map { try JSON(parsing: Data($0.utf8)) }
  }

  /// Further vectors of the same form.
  package static let moreVectors = testsFolder.appendingPathComponent("Vectors2")

  /// The lines of a vector file, by its name without `.jsonl`, from both folders of vectors.
  package static func vectors(_ name: String) throws -> [Vector] {
    let lines = try vectors(in: vectors.appendingPathComponent(name + ".jsonl"))
    let more = moreVectors.appendingPathComponent(name + ".jsonl")
    guard FileManager.default.fileExists(atPath: more.path) else { return lines }
    return lines + (try vectors(in: more))
  }

  private static func vectors(in file: URL) throws -> [Vector] {
    let text = try Data(contentsOf: file)
    return try text.split(separator: 0x0A).map { line in
      let whole = try JSON(parsing: Data(line))
      return Vector(
        name: whole["name"].string ?? "?", kind: whole["kind"].string ?? "?",
        hex: whole["hex"].bytes, input: whole["input"], expect: whole["expect"], whole: whole)
    }
  }
}
