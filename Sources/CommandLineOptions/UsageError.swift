/// A command line that is wrong (exit status 2): what is wrong, and the nearest right spelling.
package struct UsageError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What is wrong, without a full stop.
  package let message: String
  /// What may have been meant, or what to do, as a clause of its own; nil where nothing is near.
  package let advice: String?

  /// Makes an error from its parts.
  package init(_ message: String, advice: String? = nil) {
    self.message = message
    self.advice = advice
  }

  /// One line for stderr.
  package var description: String {
    advice.map { "\(message); \($0)" } ?? message
  }

  /// A user's word in quotes, kept to one line and to a length that can be read.
  package static func quoted(_ word: String) -> String {
    var text = ""
    for scalar in word.unicodeScalars.prefix(80) {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse:
        text += "\\u{\(String(scalar.value, radix: 16))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return word.unicodeScalars.count > 80 ? "'\(text)…'" : "'\(text)'"
  }

  static func didYouMean(_ names: String?) -> String? {
    names.map { "did you mean '\($0)'?" }
  }
}
