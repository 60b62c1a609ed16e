/// A command of the tool: what it does, the options it takes and the arguments it wants.
package struct Command<Raw: Sendable>: Sendable {
  /// The word that selects it.
  package let name: String
  /// One line without a full stop.
  package let summary: String
  /// More sentences for `--help` and the manual; paragraphs are parted by empty lines.
  package let discussion: String
  /// The options it takes, in the order of help.
  package let options: [Option<Raw>]
  /// What comes besides options, or nil for nothing.
  package let arguments: Arguments?
  /// Command lines to learn from.
  package let examples: [Example]
  /// Names of commands that a reader may want next.
  package let seeAlso: [String]
  /// Whether it is left out of help, manual and completions.
  package let isHidden: Bool

  /// Makes a command; see the properties.
  package init(
    name: String, summary: String, discussion: String = "", options: [Option<Raw>] = [],
    arguments: Arguments? = nil, examples: [Example] = [], seeAlso: [String] = [],
    isHidden: Bool = false
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.options = options
    self.arguments = arguments
    self.examples = examples
    self.seeAlso = seeAlso
    self.isHidden = isHidden
  }

  /// The options that help shows.
  package var visibleOptions: [Option<Raw>] { options.filter { !$0.isHidden } }

  /// The visible options under their headings, headings in order of first appearance.
  package var optionsByCategory: [(category: OptionCategory, options: [Option<Raw>])] {
    var groups: [(category: OptionCategory, options: [Option<Raw>])] = []
    for option in visibleOptions {
      if let index = groups.firstIndex(where: { $0.category == option.category }) {
        groups[index].options.append(option)
      } else {
        groups.append((option.category, [option]))
      }
    }
    return groups
  }
}

/// The arguments of a command besides its options.
package struct Arguments: Sendable, Equatable {
  /// The word that stands for one in help, such as `FILE`.
  package let name: String
  /// How few and how many are allowed; nil has no limit.
  package let minimum: Int
  package let maximum: Int?
  /// What a shell offers.
  package let completion: Completion
  /// One line without a full stop.
  package let summary: String
  /// Whether none stands for standard input, where something is there to be read.
  package let readsStandardInput: Bool

  /// Makes a description of arguments; see the properties.
  package init(
    name: String, minimum: Int, maximum: Int?, completion: Completion, summary: String,
    readsStandardInput: Bool = false
  ) {
    self.name = name
    self.minimum = minimum
    self.maximum = maximum
    self.completion = completion
    self.summary = summary
    self.readsStandardInput = readsStandardInput
  }

  /// How help shows them: `FILE...`, `[HEX...]`, `SHELL`, `NODE NODE`.
  package var synopsis: String {
    var words = Array(repeating: name, count: minimum)
    if maximum == nil {
      if words.isEmpty { return "[\(name)...]" }
      words[words.count - 1] += "..."
    } else if let maximum, maximum > minimum {
      words += Array(repeating: "[\(name)]", count: maximum - minimum)
    }
    return words.joined(separator: " ")
  }
}

/// A command line with the reason to type it.
package struct Example: Sendable, Equatable {
  /// The line as typed in a shell.
  package let commandLine: String
  /// What it does, one sentence.
  package let explanation: String

  /// Makes an example.
  package init(_ commandLine: String, _ explanation: String) {
    self.commandLine = commandLine
    self.explanation = explanation
  }
}
