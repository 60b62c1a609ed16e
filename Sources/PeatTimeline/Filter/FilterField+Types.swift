import BluetoothProtocols
import PeatProtocol
import WireBytes

extension FilterField {
  /// A whole number, decimal or hexadecimal with 0x in front.
  static func integer(
    _ name: String, _ summary: String, each: @escaping EachValue<Int128>
  ) -> FilterField {
    ordered(name, .integer, summary, parse: { text, _ in whole(text) }, each: each)
  }

  /// A number that may have a fraction.
  static func decimal(
    _ name: String, _ summary: String, each: @escaping EachValue<Double>
  ) -> FilterField {
    ordered(
      name, .decimal, summary,
      parse: { text, _ in Double(text).flatMap { $0.isNaN ? nil : $0 } }, each: each)
  }

  /// A node id.
  static func node(
    _ name: String, _ summary: String, each: @escaping EachValue<NodeID>
  ) -> FilterField {
    ordered(name, .node, summary, parse: { text, _ in NodeID(text) }, each: each)
  }

  /// A device address.
  static func address(
    _ name: String, _ summary: String, each: @escaping EachValue<DeviceAddress>
  ) -> FilterField {
    equatable(name, .address, summary, parse: { DeviceAddress($0) }, each: each)
  }

  /// A UUID in any of its lengths.
  static func uuid(
    _ name: String, _ summary: String, each: @escaping EachValue<BluetoothUUID>
  ) -> FilterField {
    equatable(name, .uuid, summary, parse: { BluetoothUUID($0) }, each: each)
  }

  /// Milliseconds since 1970 as a number, or a time with a colon or a date.
  static func milliseconds(
    _ name: String, _ summary: String, each: @escaping EachValue<UInt64>
  ) -> FilterField {
    ordered(
      name, .milliseconds, summary,
      parse: { text, times in
        if let number = UInt64(text) { return number }
        guard text.contains(":") || text.contains("T") else { return nil }
        return times(text).flatMap { UInt64(exactly: $0 / 1_000_000) }
      }, each: each)
  }

  /// Bytes, or a part of them.
  static func bytes(
    _ name: String, _ summary: String, each: @escaping EachValue<[UInt8]>
  ) -> FilterField {
    FilterField(
      name: name, type: .bytes, summary: summary, isTrue: { row in each(row) { _ in true } },
      compile: { (comparison, literal, _) throws(FilterError) in
        guard let bytes = literal.text.isEmpty ? [] : Hexadecimal.bytes(literal.text) else {
          throw FilterError(
            literal.column, "'\(literal.text)' is not bytes in hexadecimal")
        }
        switch comparison {
        case .contains: return { row in each(row) { $0.contains(bytes) } }
        case .notEqual:
          return { row in each(row) { _ in true } && !each(row) { $0 == bytes } }
        case .equal, .less, .lessOrEqual, .greater, .greaterOrEqual:
          return { row in each(row) { $0 == bytes } }
        }
      })
  }

  private static func whole(_ text: String) -> Int128? {
    let isNegative = text.hasPrefix("-")
    let digits = isNegative ? text.dropFirst() : text[...]
    guard let first = digits.utf8.first, first != 0x2B, first != 0x2D else { return nil }
    let number =
      digits.hasPrefix("0x") || digits.hasPrefix("0X")
      ? Int128(digits.dropFirst(2), radix: 16) : Int128(digits)
    return number.map { isNegative ? -$0 : $0 }
  }
}
