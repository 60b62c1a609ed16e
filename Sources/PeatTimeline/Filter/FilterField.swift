/// What the values of a field are, which decides the literals and comparisons that it takes.
enum FilterType: Sendable, Equatable {
  case flag, integer, decimal, node, address, uuid, text, bytes, time, milliseconds
  case word([String])
  /// Words with an order, lowest first.
  case rank([String])

  var description: String {
    switch self {
    case .flag: "true or false"
    case .integer: "a whole number"
    case .decimal: "a number"
    case .node: "a node id"
    case .address: "an address"
    case .uuid: "a UUID"
    case .text: "a text"
    case .bytes: "bytes in hexadecimal"
    case .time: "a time"
    case .milliseconds: "a time in milliseconds"
    case .word(let names), .rank(let names):
      names.count > 12 ? "one of its names" : "one of \(names.joined(separator: ", "))"
    }
  }

  func allows(_ comparison: FilterComparison) -> Bool {
    switch comparison {
    case .equal, .notEqual: true
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      switch self {
      case .integer, .decimal, .node, .time, .milliseconds, .rank: true
      case .flag, .address, .uuid, .text, .bytes, .word: false
      }
    case .contains: self == .text || self == .bytes
    }
  }
}

/// Calls its last argument with each value that a row has in a field, until that says true; tells
/// whether it did.
typealias EachValue<Value> = @Sendable (FilterSubject, (Value) -> Bool) -> Bool

/// A field of the record that a filter can name.
///
/// A comparison is true of a row where it is true of any of the row's values in the field; `!=` is
/// true where the row has values and none is equal.
struct FilterField: Sendable {
  /// The name: the keys of the record with dots between.
  var name: String
  var type: FilterType
  /// A few words on what it holds.
  var summary: String
  /// What the bare name means: true, or present.
  var isTrue: RowTest
  var compile:
    @Sendable (FilterComparison, FilterLiteral, FilterTimes) throws(FilterError) -> RowTest

  /// Every field, in the order of the record.
  static let all: [FilterField] =
    rowFields + messageFields + documentFields + frameFields + meshFields + upgradeFields

  private static let byName: [String: FilterField] = Dictionary(
    all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

  /// The field of a name; `document.counter.NODE` has a field for each node.
  static func named(_ name: String) -> FilterField? {
    byName[name] ?? counterField(name)
  }

  /// The name that a mistyped one may have been meant as.
  static func nearest(to name: String) -> String? {
    let names = all.map(\.name)
    if let ending = names.filter({ $0.hasSuffix("." + name) }).min(by: { $0.count < $1.count }) {
      return ending
    }
    if let beginning = names.filter({ $0.hasPrefix(name) }).min(by: { $0.count < $1.count }) {
      return beginning
    }
    return names.map { ($0, distance(name, $0)) }
      .filter { $0.1 <= max(1, name.count / 3) }.min { $0.1 < $1.1 }?.0
  }

  /// Letters to change, put in or leave out (Levenshtein); long words are no slip of the finger.
  private static func distance(_ left: String, _ right: String) -> Int {
    let left = Array(left.utf8.prefix(64))
    let right = Array(right.utf8)
    var row = Array(0...right.count)
    for (index, letter) in left.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in right.indices {
        let cost = min(
          min(row[column], row[column + 1]) + 1, diagonal + (letter == right[column] ? 0 : 1))
        diagonal = row[column + 1]
        row[column + 1] = cost
      }
    }
    return row[right.count]
  }
}

extension FilterField {
  /// A field whose values have an order.
  static func ordered<Value: Comparable & Sendable>(
    _ name: String, _ type: FilterType, _ summary: String,
    parse: @escaping @Sendable (String, FilterTimes) -> Value?,
    each: @escaping EachValue<Value>
  ) -> FilterField {
    FilterField(
      name: name, type: type, summary: summary, isTrue: { row in each(row) { _ in true } },
      compile: { (comparison, literal, times) throws(FilterError) in
        guard let value = parse(literal.text, times) else {
          throw FilterError(literal.column, "'\(literal.text)' is not \(type.description)")
        }
        switch comparison {
        case .equal, .contains: return { row in each(row) { $0 == value } }
        case .notEqual:
          return { row in each(row) { _ in true } && !each(row) { $0 == value } }
        case .less: return { row in each(row) { $0 < value } }
        case .lessOrEqual: return { row in each(row) { $0 <= value } }
        case .greater: return { row in each(row) { $0 > value } }
        case .greaterOrEqual: return { row in each(row) { $0 >= value } }
        }
      })
  }

  /// A field whose values are only the same or not.
  static func equatable<Value: Equatable & Sendable>(
    _ name: String, _ type: FilterType, _ summary: String,
    parse: @escaping @Sendable (String) -> Value?, each: @escaping EachValue<Value>
  ) -> FilterField {
    FilterField(
      name: name, type: type, summary: summary, isTrue: { row in each(row) { _ in true } },
      compile: { (comparison, literal, _) throws(FilterError) in
        guard let value = parse(literal.text) else {
          throw FilterError(literal.column, "'\(literal.text)' is not \(type.description)")
        }
        if comparison == .notEqual {
          return { row in each(row) { _ in true } && !each(row) { $0 == value } }
        }
        return { row in each(row) { $0 == value } }
      })
  }

  /// One of a few names.
  static func word<Value: Equatable & Sendable>(
    _ name: String, _ summary: String, _ words: [(String, Value)],
    each: @escaping EachValue<Value>
  ) -> FilterField {
    let values = Dictionary(words, uniquingKeysWith: { first, _ in first })
    return equatable(
      name, .word(words.map(\.0)), summary, parse: { values[$0] }, each: each)
  }

  /// A field that is true, false or absent.
  static func flag(
    _ name: String, _ summary: String, _ value: @escaping @Sendable (FilterSubject) -> Bool?
  ) -> FilterField {
    FilterField(
      name: name, type: .flag, summary: summary, isTrue: { value($0) == true },
      compile: { (comparison, literal, _) throws(FilterError) in
        guard literal.text == "true" || literal.text == "false" else {
          throw FilterError(literal.column, "'\(literal.text)' is not true or false")
        }
        let wanted = (literal.text == "true") == (comparison == .equal)
        return { row in value(row).map { $0 == wanted } ?? false }
      })
  }

  /// Text, or a part of it.
  static func text(
    _ name: String, _ summary: String, each: @escaping EachValue<String>
  ) -> FilterField {
    FilterField(
      name: name, type: .text, summary: summary, isTrue: { row in each(row) { _ in true } },
      compile: { (comparison, literal, _) throws(FilterError) in
        let text = literal.text
        switch comparison {
        case .contains: return { row in each(row) { $0.contains(text) } }
        case .notEqual:
          return { row in each(row) { _ in true } && !each(row) { $0 == text } }
        case .equal, .less, .lessOrEqual, .greater, .greaterOrEqual:
          return { row in each(row) { $0 == text } }
        }
      })
  }
}
