import PeatProtocol
import PeatReplay

/// Reads the tokens of a filter expression: `||` binds least, then `&&`, then `!`.
struct FilterParser {
  /// Parentheses and negations within each other; more than anyone writes, less than a stack holds.
  private static let depthLimit = 100
  /// Comparisons of one expression; they nest to the left as they are evaluated.
  private static let testLimit = 1000

  private let tokens: [FilterToken]
  private let times: FilterTimes
  private let knowsState: Bool
  private var next = 0
  private var depth = 0
  private var tests = 0

  init(_ tokens: [FilterToken], times: @escaping FilterTimes, knowsState: Bool = false) {
    self.tokens = tokens
    self.times = times
    self.knowsState = knowsState
  }

  /// The whole expression.
  mutating func expression() throws(FilterError) -> RowFilter.Node {
    if current.kind == .end { throw FilterError(current.column, "the expression is empty") }
    let node = try alternatives()
    switch current.kind {
    case .end: return node
    case .close: throw FilterError(current.column, "')' closes nothing")
    default: throw FilterError(current.column, "expected '&&' or '||' here")
    }
  }

  private var current: FilterToken { tokens[min(next, tokens.count - 1)] }

  private mutating func take(_ kind: FilterToken.Kind) -> Bool {
    guard current.kind == kind else { return false }
    next += 1
    return true
  }

  private mutating func alternatives() throws(FilterError) -> RowFilter.Node {
    var node = try conditions()
    while take(.or) { node = .or(node, try conditions()) }
    return node
  }

  private mutating func conditions() throws(FilterError) -> RowFilter.Node {
    var node = try condition()
    while take(.and) { node = .and(node, try condition()) }
    return node
  }

  private mutating func condition() throws(FilterError) -> RowFilter.Node {
    depth += 1
    defer { depth -= 1 }
    guard depth <= FilterParser.depthLimit else {
      throw FilterError(current.column, "nested deeper than \(FilterParser.depthLimit) levels")
    }
    let start = current
    if take(.not) { return .not(try condition()) }
    if take(.open) {
      let node = try alternatives()
      guard take(.close) else {
        throw FilterError(start.column, "'(' is not closed")
      }
      return node
    }
    if knowsState, let test = try stateTest() { return .state(test) }
    return .test(try test())
  }

  /// A word on the mesh's state; it says more than a field of its name, so that it comes first.
  private mutating func stateTest() throws(FilterError) -> StateTest? {
    guard case .word(let name) = current.kind else { return nil }
    let behind = tokens[min(next + 1, tokens.count - 1)].kind
    let isAlone = if case .comparison = behind { false } else { true }
    switch name {
    case "emergency" where isAlone:
      next += 1
      return { $0.emergency != nil }
    case "emergency.all_acked" where isAlone:
      next += 1
      return { $0.emergency?.isAckedByAll == true }
    case "nodes":
      next += 1
      return try nodeTest()
    default: return nil
    }
  }

  /// `nodes >= 3`: how many nodes were heard.
  private mutating func nodeTest() throws(FilterError) -> StateTest {
    guard case .comparison(let comparison) = current.kind else { return { !$0.nodes.isEmpty } }
    let column = current.column
    next += 1
    guard case .word(let text) = current.kind, let wanted = Int(text), wanted >= 0 else {
      throw FilterError(current.column, "expected a number behind '\(comparison.rawValue)'")
    }
    next += 1
    switch comparison {
    case .equal: return { $0.nodes.count == wanted }
    case .notEqual: return { $0.nodes.count != wanted }
    case .less: return { $0.nodes.count < wanted }
    case .lessOrEqual: return { $0.nodes.count <= wanted }
    case .greater: return { $0.nodes.count > wanted }
    case .greaterOrEqual: return { $0.nodes.count >= wanted }
    case .contains: throw FilterError(column, "'nodes' is a number and takes no 'contains'")
    }
  }

  private mutating func test() throws(FilterError) -> RowTest {
    tests += 1
    guard tests <= FilterParser.testLimit else {
      throw FilterError(current.column, "more than \(FilterParser.testLimit) comparisons")
    }
    let start = current
    guard case .word(let typed) = start.kind else {
      throw FilterError(
        start.column, start.kind == .end ? "a field is missing here" : "expected a field here")
    }
    // Where a run waits, what a message did is asked for by one word.
    let name = knowsState && typed == "changed" ? "effect.changed" : typed
    guard let field = FilterField.named(name) else {
      let nearest = FilterField.nearest(to: name).map { "; did you mean '\($0)'?" } ?? ""
      throw FilterError(
        start.column,
        "there is no field '\(name)'\(nearest.isEmpty ? " ('--filter help' lists them)" : nearest)")
    }
    next += 1
    guard case .comparison(let comparison) = current.kind else { return field.isTrue }
    let operatorColumn = current.column
    next += 1
    let literal: FilterLiteral
    switch current.kind {
    case .word(let text), .quoted(let text):
      literal = FilterLiteral(text: text, column: current.column)
    default: throw FilterError(current.column, "expected a value behind '\(comparison.rawValue)'")
    }
    next += 1
    guard field.type.allows(comparison) else {
      throw FilterError(
        operatorColumn,
        "'\(name)' is \(field.type.description) and takes no '\(comparison.rawValue)'")
    }
    return try field.compile(comparison, literal, times)
  }
}
