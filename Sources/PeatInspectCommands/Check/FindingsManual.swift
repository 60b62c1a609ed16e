import CommandLineOptions
import PeatTimeline

/// peat-inspect-findings(7): every code of `check`, and every reason of `emergencies`.
enum FindingsManual {
  static func text() -> String {
    var entries: [ManTable.Entry] = []
    for severity in Severity.allCases.reversed() {
      for code in FindingCode.allCases where code.severity == severity {
        let entry = FindingTable.entry(of: code)
        var text = [
          entry.text.prefix(1).uppercased() + entry.text.dropFirst() + ". " + entry.advice
        ]
        if entry.isUsual {
          text.append("Sound captures are full of it: told only with --only or \u{2D}v.")
        }
        text.append("Rule: \(entry.rule).")
        entries.append(
          ManTable.Entry(heading: heading(severity), word: code.rawValue, text: text))
      }
    }
    for reason in EmergencyReason.allCases {
      entries.append(
        ManTable.Entry(
          heading: "Reasons of emergencies", word: reason.rawValue,
          text: [reason.meaning.prefix(1).uppercased() + reason.meaning.dropFirst() + "."]))
    }
    return ManTable(
      name: "peat-inspect-findings", summary: "what the findings of peat-inspect mean",
      opening: """
        peat-inspect check names each finding with a stable code. An error is what loses or \
        falsifies data or an alert, a warning is what may, a note is worth knowing. Rules cite \
        headings of protocol.md and formats.md, which are installed with the program.
        """,
      entries: entries, seeAlso: ["peat-inspect 1"]
    ).text(date: ManPage(ToolDefinition.tool).date)
  }

  private static func heading(_ severity: Severity) -> String {
    switch severity {
    case .error: "Errors"
    case .warning: "Warnings"
    case .note: "Notes"
    }
  }
}
