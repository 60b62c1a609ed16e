import PeatProtocol
import PeatReplay
import PeatReports

/// The line that stands out while somebody is in distress: who, and who has acknowledged it.
enum EmergencyBanner {
  static func line(_ status: ScreenStatus, _ names: LiveLines, _ columns: Int) -> ScreenLine? {
    guard let emergency = status.state.emergency else { return nil }
    let acked = emergency.acked.map { names.name($0) }
    let pending = emergency.pending.map { names.name($0) }
    var text = " !!! EMERGENCY from \(names.name(emergency.source))"
    text += "  ACK \(acked.count) of \(emergency.acks.count)"
    text += pending.isEmpty ? ", all acked" : "  waiting for \(pending.joined(separator: " "))"
    if !acked.isEmpty { text += "  acked by \(acked.joined(separator: " "))" }
    return ScreenLine(
      text.replacingUnsafeCharacters().cells(columns), pending.isEmpty ? .warning : .alarm)
  }
}
