/// The reason why a value of an option is refused, in words that follow the option's name.
package struct InvalidValue: Error, Sendable, Equatable {
  /// What was expected, such as `expected a whole number`.
  package let expectation: String

  /// Makes a reason.
  package init(_ expectation: String) { self.expectation = expectation }
}

/// What an option does to the raw options.
package enum OptionSetter<Raw: Sendable>: Sendable {
  /// The changes of a value option.
  package typealias Change = @Sendable (inout Raw, String) throws(InvalidValue) -> Void

  /// An option without a value.
  case flag(@Sendable (inout Raw) -> Void)
  /// An option without a value that also has the form `--no-x`, for which it is given false.
  case negatableFlag(@Sendable (inout Raw, Bool) -> Void)
  /// An option with a value; of several, each counts if it is repeatable, else the last.
  case value(isRepeatable: Bool, Change)

  /// Whether it takes a value.
  package var takesValue: Bool { if case .value = self { true } else { false } }

  /// Whether the form `--no-x` exists.
  package var isNegatable: Bool { if case .negatableFlag = self { true } else { false } }

  /// Whether each of several values counts.
  package var isRepeatable: Bool {
    if case .value(isRepeatable: let repeats, _) = self { repeats } else { false }
  }
}

extension OptionSetter {
  /// A key path that can be held in a table shared by all.
  package typealias Path<Value> = any WritableKeyPath<Raw, Value> & Sendable

  /// A flag that turns something on.
  package static func set(_ path: Path<Bool>) -> OptionSetter {
    .flag { raw in raw[keyPath: path] = true }
  }

  /// A flag that stands for one value of a property, of several such flags the last counts.
  package static func set<Value: Sendable>(
    _ path: Path<Value>, to value: Value
  ) -> OptionSetter {
    .flag { raw in raw[keyPath: path] = value }
  }

  /// A flag `--x` with the negation `--no-x`.
  package static func toggle(_ path: Path<Bool>) -> OptionSetter {
    .negatableFlag { raw, isOn in raw[keyPath: path] = isOn }
  }

  /// A flag that counts how often it was given.
  package static func count(_ path: Path<Int>) -> OptionSetter {
    .flag { raw in raw[keyPath: path] &+= 1 }
  }

  /// Text as it is; the last counts.
  package static func text(_ path: Path<String?>) -> OptionSetter {
    .value(isRepeatable: false) { (raw, text) throws(InvalidValue) in
      raw[keyPath: path] = try nonEmpty(text)
    }
  }

  /// Text as it is; each counts.
  package static func append(_ path: Path<[String]>) -> OptionSetter {
    .value(isRepeatable: true) { (raw, text) throws(InvalidValue) in
      raw[keyPath: path].append(try nonEmpty(text))
    }
  }

  /// One of the cases of an enumeration, by raw value.
  package static func choice<Value: RawRepresentable & Sendable>(
    _ path: Path<Value>
  ) -> OptionSetter where Value.RawValue == String {
    .value(isRepeatable: false) { (raw, text) throws(InvalidValue) in
      raw[keyPath: path] = try named(text)
    }
  }

  /// One of the cases of an enumeration, by raw value; nil stands for an option not given.
  package static func choice<Value: RawRepresentable & Sendable>(
    _ path: Path<Value?>
  ) -> OptionSetter where Value.RawValue == String {
    .value(isRepeatable: false) { (raw, text) throws(InvalidValue) in
      let value: Value = try named(text)
      raw[keyPath: path] = value
    }
  }

  /// Cases of an enumeration, by raw value; each counts.
  package static func appendChoice<Value: RawRepresentable & Sendable>(
    _ path: Path<[Value]>
  ) -> OptionSetter where Value.RawValue == String {
    .value(isRepeatable: true) { (raw, text) throws(InvalidValue) in
      let value: Value = try named(text)
      raw[keyPath: path].append(value)
    }
  }

  /// A whole number within bounds; the last counts.
  package static func integer(_ path: Path<Int?>, in range: ClosedRange<Int>) -> OptionSetter {
    .value(isRepeatable: false) { (raw, text) throws(InvalidValue) in
      guard let number = Int(text), range.contains(number) else {
        throw InvalidValue(
          "expected a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
      raw[keyPath: path] = number
    }
  }

  /// A value that `parse` makes of the text; the last counts.
  package static func parsed<Value: Sendable>(
    _ path: Path<Value?>, by parse: @escaping @Sendable (String) throws(InvalidValue) -> Value
  ) -> OptionSetter {
    .value(isRepeatable: false) { (raw, text) throws(InvalidValue) in
      let value = try parse(text)
      raw[keyPath: path] = value
    }
  }

  /// Values that `parse` makes of the text; each counts.
  package static func appendParsed<Value: Sendable>(
    _ path: Path<[Value]>, by parse: @escaping @Sendable (String) throws(InvalidValue) -> Value
  ) -> OptionSetter {
    .value(isRepeatable: true) { (raw, text) throws(InvalidValue) in
      let value = try parse(text)
      raw[keyPath: path].append(value)
    }
  }

  private static func nonEmpty(_ text: String) throws(InvalidValue) -> String {
    if text.isEmpty { throw InvalidValue("expected some text") }
    return text
  }

  private static func named<Value: RawRepresentable>(
    _ text: String
  ) throws(InvalidValue) -> Value where Value.RawValue == String {
    guard let value = Value(rawValue: text) else { throw InvalidValue("is not one of its values") }
    return value
  }
}
