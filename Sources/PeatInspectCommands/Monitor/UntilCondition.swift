import CommandLineOptions
import PeatProtocol
import PeatReplay
import PeatTimeline

/// What `--until` waits for.
struct UntilCondition: Sendable {
  enum Term: Sendable, Equatable {
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
  }

  /// What must all hold at once.
  private let terms: [Term]

  static func parse(_ text: String) throws(InvalidValue) -> UntilCondition {
    var terms: [Term] = []
    for part in text.split(separator: "&&", omittingEmptySubsequences: false) {
      guard let term = term(part.filter { $0 != " " }) else {
        throw InvalidValue(
          "expected emergency, emergency.all_acked, finding, changed or nodes>=N, or several "
            + "joined by &&")
      }
      terms.append(term)
    }
    return UntilCondition(terms: terms)
  }

  private init(terms: [Term]) { self.terms = terms }

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
      }
    }
  }
}
