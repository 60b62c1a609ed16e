import PeatProtocol
import PeatReplay
import PeatReports
import WireBytes

/// What stands out while somebody is in distress: who, for how long, and who has acknowledged it.
enum EmergencyBanner {
  /// A week: what is older, or lies ahead, is a clock that is wrong.
  private static let longest: Int64 = 604_800

  static func lines(
    _ status: ScreenStatus, _ names: LiveLines, _ columns: Int, isShort: Bool
  ) -> [ScreenLine] {
    guard let emergency = status.state.emergency else { return [] }
    let acked = emergency.acked.map { names.name($0) }
    let pending = emergency.pending.map { names.name($0) }
    var text = " !!! EMERGENCY from \(names.name(emergency.source))"
    text += elapsed(emergency, status.now).map { " for \($0)" } ?? ""
    text += "  ACK \(acked.count) of \(emergency.acks.count)"
    var waiting =
      pending.isEmpty ? ", all acked" : "  waiting for \(pending.joined(separator: " "))"
    if emergency.acks.isEmpty { waiting = ", nobody named" }
    let done = acked.isEmpty ? "" : "  acked by \(acked.joined(separator: " "))"
    let style: ScreenStyle = pending.isEmpty ? .warning : .alarm
    let isOne = isShort || (text + waiting + done).cellCount <= columns
    let shown = isOne ? [text + waiting + done] : [text + waiting, "    \(done)"]
    return shown.map { ScreenLine($0.replacingUnsafeCharacters().cells(columns), style) }
  }

  /// Minutes and seconds since the source's own time of it.
  private static func elapsed(_ emergency: EmergencyEvent, _ now: Timestamp?) -> String? {
    guard let now, let begin = Int64(exactly: emergency.time) else { return nil }
    let (milliseconds, overflow) = (now.nanoseconds / 1_000_000).subtractingReportingOverflow(begin)
    let seconds = milliseconds / 1000
    guard !overflow, milliseconds >= 0, seconds < longest else { return nil }
    let rest = seconds % 60
    let minutes = seconds / 60 % 60
    let tail = "\(rest < 10 ? "0" : "")\(rest)"
    if seconds < 3600 { return "\(minutes):\(tail)" }
    return "\(seconds / 3600):\(minutes < 10 ? "0" : "")\(minutes):\(tail)"
  }
}
