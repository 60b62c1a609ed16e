import CommandLineOptions
import PeatReplay
import PeatTimeline

/// What `--on` waits for.
enum AlertCondition: Sendable, Equatable {
  /// A message shows an emergency for the first time.
  case emergency
  /// A message or a packet has a finding.
  case finding
  /// One with this code.
  case findingCode(FindingCode)
  /// One that matters at least so much.
  case findingSeverity(Severity)
  /// No message came for so many nanoseconds.
  case silence(UInt64)

  /// The word in PEAT_ALERT.
  var name: String {
    switch self {
    case .emergency: "emergency"
    case .finding, .findingCode, .findingSeverity: "finding"
    case .silence: "silence"
    }
  }

  static func parse(_ text: String) throws(InvalidValue) -> AlertCondition {
    switch text {
    case "emergency": return .emergency
    case "finding": return .finding
    default:
      if text.hasPrefix("finding=") {
        let name = String(text.dropFirst("finding=".count))
        if let severity = Severity(rawValue: name) { return .findingSeverity(severity) }
        if let code = FindingCode(rawValue: name) { return .findingCode(code) }
        throw InvalidValue(
          "expected finding=CODE, or note, warning or error; 'peat-inspect check --list' names codes"
        )
      }
      guard text.hasPrefix("silence=") else {
        throw InvalidValue("expected emergency, finding, finding=CODE or silence=TIME")
      }
      return .silence(try DurationText.parse(String(text.dropFirst("silence=".count))))
    }
  }

  /// Whether a message is what is waited for.
  func holds(for row: TimelineRow) -> Bool {
    switch self {
    case .emergency:
      row.effect.firstSeen.contains {
        if case .emergency = $0 { true } else { false }
      }
    case .finding, .findingCode, .findingSeverity: row.findings.contains { holds(for: $0.code) }
    case .silence: false
    }
  }

  /// Whether a finding, of a message or of none, is what is waited for.
  func holds(for code: FindingCode) -> Bool {
    switch self {
    case .finding: true
    case .findingCode(let wanted): code == wanted
    case .findingSeverity(let least): code.severity >= least
    case .emergency, .silence: false
    }
  }
}
