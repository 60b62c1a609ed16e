/// One option of the command line: its names, its meaning, and what it changes.
///
/// Parser, help, manual page, completions and the tool's description all come from these values, so
/// that they cannot contradict each other.
package struct Option<Raw: Sendable>: Sendable {
  /// The long name without dashes.
  package let long: String
  /// The one-letter name, if it has one.
  package let short: Character?
  /// The word that stands for the value in help, such as `FMT`; nil for flags.
  package let value: String?
  /// The only values allowed; empty allows any.
  package let choices: [Choice]
  /// What a shell offers as value where there are no choices.
  package let completion: Completion
  /// What holds when the option is not given, for help.
  package let defaultValue: String?
  /// The heading it stands under.
  package let category: OptionCategory
  /// One line without a full stop.
  package let summary: String
  /// More sentences for `--help` and the manual; paragraphs are parted by empty lines.
  package let discussion: String
  /// Whether it is among the few that the tool's own `-h` shows.
  package let isCommon: Bool
  /// Whether it is left out of help, manual and completions.
  package let isHidden: Bool
  /// What it does to the raw options.
  package let setter: OptionSetter<Raw>

  /// Makes an option; see the properties.
  package init(
    long: String, short: Character? = nil, value: String? = nil, choices: [Choice] = [],
    completion: Completion = .nothing, defaultValue: String? = nil, category: OptionCategory,
    summary: String, discussion: String = "", isCommon: Bool = false, isHidden: Bool = false,
    apply setter: OptionSetter<Raw>
  ) {
    self.long = long
    self.short = short
    self.value = value
    self.choices = choices
    self.completion = completion
    self.defaultValue = defaultValue
    self.category = category
    self.summary = summary
    self.discussion = discussion
    self.isCommon = isCommon
    self.isHidden = isHidden
    self.setter = setter
  }

  /// Whether it takes a value.
  package var takesValue: Bool { setter.takesValue }

  /// The long names with dashes: `--x`, and `--no-x` for a flag with a negation.
  package var longNames: [String] {
    setter.isNegatable ? ["--\(long)", "--no-\(long)"] : ["--\(long)"]
  }

  /// Every spelling, the short one first.
  package var names: [String] { (short.map { ["-\($0)"] } ?? []) + longNames }

  /// How help shows it: `-f, --format FMT`, `--[no-]align`.
  package var synopsis: String {
    let name = setter.isNegatable ? "--[no-]\(long)" : "--\(long)"
    let value = value.map { " \($0)" } ?? ""
    return (short.map { "-\($0), " } ?? "") + name + value
  }
}

/// A value that an option allows, and its meaning.
package struct Choice: Sendable, Equatable, ExpressibleByStringLiteral {
  /// The value as typed.
  package let name: String
  /// Its meaning in a few words, or empty where the name says it.
  package let summary: String

  /// Makes a choice with its meaning.
  package init(_ name: String, _ summary: String = "") {
    self.name = name
    self.summary = summary
  }

  /// Makes a choice whose name says it all.
  package init(stringLiteral name: String) { self.init(name) }
}

/// What a shell offers where a value or an argument is due.
package enum Completion: Sendable, Equatable {
  /// Nothing: only the user can know.
  case nothing
  /// Names of files.
  case file
  /// Names of folders.
  case folder
  /// These words.
  case words([String])
}

/// A heading in help that options stand under.
package struct OptionCategory: Sendable, Hashable {
  /// The heading, such as `Selection`.
  package let title: String

  /// Makes a heading.
  package init(_ title: String) { self.title = title }
}
