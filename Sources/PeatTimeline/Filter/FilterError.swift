/// Why a filter expression is refused, and where that shows.
package struct FilterError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The place in the expression, counted in characters from 1.
  package var column: Int
  /// What is wrong there, in a clause without a full stop.
  package var reason: String

  init(_ column: Int, _ reason: String) {
    self.column = column
    self.reason = reason
  }

  package var description: String { "column \(column): \(reason)" }
}
