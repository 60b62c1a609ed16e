/// How a field is compared with a literal.
enum FilterComparison: String, Sendable {
  case equal = "=="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case contains
}

/// A literal as it was typed; the field decides how it is read.
struct FilterLiteral: Sendable, Equatable {
  var text: String
  var column: Int
}

/// One piece of a filter expression.
struct FilterToken: Sendable, Equatable {
  enum Kind: Sendable, Equatable {
    case word(String)
    case quoted(String)
    case comparison(FilterComparison)
    case and, or, not, open, close, end
  }

  var kind: Kind
  var column: Int
}

/// Cuts a filter expression into tokens.
struct FilterLexer {
  private let characters: [Character]
  private var next = 0

  init(_ text: String) { characters = Array(text) }

  /// All tokens, the last one `.end`.
  static func tokens(_ text: String) throws(FilterError) -> [FilterToken] {
    var lexer = FilterLexer(text)
    var tokens: [FilterToken] = []
    while true {
      let token = try lexer.token()
      tokens.append(token)
      if token.kind == .end { return tokens }
    }
  }

  private mutating func token() throws(FilterError) -> FilterToken {
    while next < characters.count, characters[next].isWhitespace { next += 1 }
    let column = next + 1
    guard next < characters.count else { return FilterToken(kind: .end, column: column) }
    if let symbol = symbol() { return FilterToken(kind: symbol, column: column) }
    let character = characters[next]
    switch character {
    case "=": throw FilterError(column, "'=' is no comparison; write '=='")
    case "&", "|":
      throw FilterError(column, "'\(character)' is no operator; write '\(character)\(character)'")
    case "\"", "'": return try quoted(character, column)
    default: break
    }
    guard FilterLexer.isWordCharacter(character) else {
      throw FilterError(column, "'\(character)' is not expected here")
    }
    var word = ""
    while next < characters.count, FilterLexer.isWordCharacter(characters[next]) {
      word.append(characters[next])
      next += 1
    }
    if word == "contains" {
      return FilterToken(kind: .comparison(.contains), column: column)
    }
    return FilterToken(kind: .word(word), column: column)
  }

  private mutating func symbol() -> FilterToken.Kind? {
    let second = next + 1 < characters.count ? characters[next + 1] : " "
    let double: FilterToken.Kind? =
      switch (characters[next], second) {
      case ("=", "="): .comparison(.equal)
      case ("!", "="): .comparison(.notEqual)
      case ("<", "="): .comparison(.lessOrEqual)
      case (">", "="): .comparison(.greaterOrEqual)
      case ("&", "&"): .and
      case ("|", "|"): .or
      default: nil
      }
    if let double {
      next += 2
      return double
    }
    let single: FilterToken.Kind? =
      switch characters[next] {
      case "<": .comparison(.less)
      case ">": .comparison(.greater)
      case "!": .not
      case "(": .open
      case ")": .close
      default: nil
      }
    if single != nil { next += 1 }
    return single
  }

  /// Text in quotes; a backslash takes the next character as it is.
  private mutating func quoted(
    _ quote: Character, _ column: Int
  ) throws(FilterError) -> FilterToken {
    next += 1
    var text = ""
    while next < characters.count {
      var character = characters[next]
      next += 1
      if character == quote { return FilterToken(kind: .quoted(text), column: column) }
      if character == "\\", next < characters.count {
        character = characters[next]
        next += 1
      }
      text.append(character)
    }
    throw FilterError(column, "the text that begins here has no closing \(quote)")
  }

  /// Names, numbers, node ids, addresses, times and codes are one word without quotes.
  private static func isWordCharacter(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "_-.:+/@".contains(character)
  }
}
