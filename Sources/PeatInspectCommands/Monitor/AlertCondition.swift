import CommandLineOptions
import PeatReplay
import PeatTimeline

/// What `--on` waits for.
enum AlertCondition: Sendable, Equatable {
  /// A message shows an emergency for the first time.
  case emergency
  /// A message has a finding.
  case finding
  /// No message came for so many nanoseconds.
  case silence(UInt64)

  /// The word in PEAT_ALERT.
  var name: String {
    switch self {
    case .emergency: "emergency"
    case .finding: "finding"
    case .silence: "silence"
    }
  }

  static func parse(_ text: String) throws(InvalidValue) -> AlertCondition {
    switch text {
    case "emergency": return .emergency
    case "finding": return .finding
    default:
      guard text.hasPrefix("silence=") else {
        throw InvalidValue("expected emergency, finding or silence=TIME")
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
    case .finding: !row.findings.isEmpty
    case .silence: false
    }
  }
}
