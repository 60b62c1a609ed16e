import PeatProtocol
import PeatReplay
import PeatTimeline

/// What `--until` waits for.
struct UntilCondition: Sendable {
  enum Term: Sendable {
    /// The mesh knows of an emergency.
    case emergency
    /// Everybody whom the emergency names has acknowledged it.
    case allAcked
    /// A message has a finding.
    case finding
    /// A message changed the mesh's state.
    case changed
    /// At least so many nodes were heard.
    case nodes(Int)
    /// A filter expression is true of a message.
    case row(RowFilter)
  }

  /// What must all hold at once.
  private let terms: [Term]

  /// Reads the words above and filter expressions, joined by `&&`.
  ///
  /// The words say more than a field of their name, so that they are looked for first.
  init(_ text: String, times: @escaping FilterTimes) throws(FilterError) {
    var terms: [Term] = []
    for part in UntilCondition.parts(text) {
      if let term = UntilCondition.term(part.filter { $0 != " " }) {
        terms.append(term)
      } else {
        terms.append(.row(try RowFilter(part, times: times)))
      }
    }
    self.terms = terms
  }

  /// What `&&` joins outside parentheses and quotes; `||` binds less, so that it keeps all together.
  private static func parts(_ text: String) -> [String] {
    var parts = [""]
    var depth = 0
    var isQuoted = false
    var isEscaped = false
    for character in text {
      if !isEscaped, character == "\"" { isQuoted.toggle() }
      isEscaped = isQuoted && !isEscaped && character == "\\"
      if !isQuoted, character == "(" { depth += 1 }
      if !isQuoted, character == ")" { depth -= 1 }
      parts[parts.count - 1].append(character)
      guard !isQuoted, depth == 0 else { continue }
      if parts[parts.count - 1].hasSuffix("||") { return [text] }
      guard parts[parts.count - 1].hasSuffix("&&") else { continue }
      parts[parts.count - 1].removeLast(2)
      parts.append("")
    }
    return parts
  }

  private static func term(_ text: String) -> Term? {
    switch text {
    case "emergency": return .emergency
    case "emergency.all_acked": return .allAcked
    case "finding": return .finding
    case "changed": return .changed
    default:
      guard text.hasPrefix("nodes>="), let count = Int(text.dropFirst("nodes>=".count)), count >= 0
      else { return nil }
      return .nodes(count)
    }
  }

  /// Whether it holds after a message.
  func holds(after row: TimelineRow, state: MeshState) -> Bool {
    terms.allSatisfy { term in
      switch term {
      case .emergency: state.emergency != nil
      case .allAcked: state.emergency?.isAckedByAll == true
      case .finding: !row.findings.isEmpty
      case .changed: row.effect.isChanged
      case .nodes(let count): state.nodes.count >= count
      case .row(let filter): filter.matches(row)
      }
    }
  }
}
