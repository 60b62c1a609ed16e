import PeatDissection
import PeatReplay
package import PeatReports
import PeatTimeline
package import WireBytes

/// Lays a model out on a screen of any size; pure, so that tests can read what a person would see.
package struct ScreenLayout: Sendable {
  let style: TextStyle

  package init(style: TextStyle) { self.style = style }

  /// Exactly `size.rows` lines, none wider than the screen.
  package func lines(
    _ model: inout ScreenModel, _ status: ScreenStatus, size: ScreenSize
  ) -> [ScreenLine] {
    guard size.isEnough else { return tooSmall(size) }
    var lines = [title(model, status, size.columns)]
    if let banner = EmergencyBanner.line(status, model.lines, size.columns) { lines.append(banner) }
    if model.mode == .help { return filled(lines + HelpView.lines(size.columns), size, model) }
    let nodes = NodeTable.lines(
      status, model.lines, columns: size.columns, rows: max(3, (size.rows - 4) / 3))
    lines += nodes
    lines.append(separator(model, status, size.columns))
    let rest = size.rows - lines.count - 1
    if model.mode == .detail {
      let list = max(3, rest / 3)
      lines += messages(&model, rows: list, columns: size.columns)
      lines.append(rule("message", size.columns))
      lines += DetailView.lines(
        model.selectedEntry, columns: size.columns, rows: rest - list - 1, scroll: model.scroll)
    } else {
      lines += messages(&model, rows: rest, columns: size.columns)
    }
    return filled(lines, size, model)
  }

  private func tooSmall(_ size: ScreenSize) -> [ScreenLine] {
    let text =
      "the screen has \(size.columns)x\(size.rows), "
      + "\(ScreenSize.least.columns)x\(ScreenSize.least.rows) are needed; q quits"
    var lines = [ScreenLine(text.cutToCells(size.columns))]
    while lines.count < size.rows { lines.append(ScreenLine()) }
    return Array(lines.prefix(max(0, size.rows)))
  }

  /// Fills up to the last line, which holds keys, a prompt, or a notice.
  private func filled(
    _ lines: [ScreenLine], _ size: ScreenSize, _ model: ScreenModel
  ) -> [ScreenLine] {
    var result = Array(lines.prefix(size.rows - 1))
    while result.count < size.rows - 1 { result.append(ScreenLine()) }
    result.append(lastLine(model, size.columns))
    return result
  }

  private func lastLine(_ model: ScreenModel, _ columns: Int) -> ScreenLine {
    if case .prompt(let prompt, let text) = model.mode {
      let room = max(8, columns - prompt.question.cellCount - 1)
      return ScreenLine(prompt.question + String(text.suffix(room)) + "_", .bold)
    }
    if let notice = model.notice {
      return ScreenLine(notice.replacingUnsafeCharacters().cutToCells(columns), .bold)
    }
    let keys = "q quit  ? help  p pause  f follow  / filter  enter detail  m mark  s save"
    return ScreenLine(keys.cells(columns), .title)
  }

  private func title(_ model: ScreenModel, _ status: ScreenStatus, _ columns: Int) -> ScreenLine {
    let state = status.hasEnded ? "ENDED" : model.isPaused ? "PAUSED" : "LIVE"
    var right = " \(state)"
    if !model.isFollowing { right = " browsing\(right)" }
    if status.recording != nil { right = " REC\(right)" }
    if let now = status.now { right = " \(clock(now))\(right)" }
    let left = " peat-inspect monitor  \(status.source.replacingUnsafeCharacters())"
    let room = columns - right.cellCount - 1
    return ScreenLine(left.cells(room) + right + " ", .title)
  }

  private func separator(
    _ model: ScreenModel, _ status: ScreenStatus, _ columns: Int
  ) -> ScreenLine {
    var text = "\(model.history.total) messages"
    if model.isPaused { text += ", \(model.history.total - (model.pausedAt ?? 0)) new" }
    if !model.filter.isEmpty {
      text +=
        ", filter \"\(model.filter.replacingUnsafeCharacters())\" shows \(model.visible.count)"
    }
    text += "; \(rate(status.messageRate))/s, \(rate(status.packetRate)) packets/s"
    text += ", \(status.drops) lost"
    return rule(text, columns)
  }

  private func rate(_ value: Double) -> String {
    let tenths = Int(max(0, min(value, 1e9)) * 10 + 0.5)
    return "\(tenths / 10).\(tenths % 10)"
  }

  private func rule(_ text: String, _ columns: Int) -> ScreenLine {
    let head = "-- \(text) "
    let rest = max(0, columns - head.cellCount)
    return ScreenLine((head + String(repeating: "-", count: rest)).cutToCells(columns), .bold)
  }

  private func messages(
    _ model: inout ScreenModel, rows: Int, columns: Int
  ) -> [ScreenLine] {
    model.page = max(1, rows - 1)
    let shown = model.visible
    guard !shown.isEmpty, rows > 0 else {
      let text = model.filter.isEmpty ? "no message yet" : "no message passes the filter"
      return [ScreenLine(text, .faint)] + Array(repeating: ScreenLine(), count: max(0, rows - 1))
    }
    let selected = shown.lastIndex { $0.number <= model.selected ?? .max } ?? shown.count - 1
    // The selected message stays in view; at the end the list is full.
    let last = min(shown.count, max(selected + 1 + (model.isFollowing ? 0 : rows / 2), rows))
    let first = max(0, last - rows)
    var lines = shown[first..<last].map { entry in
      message(entry, isSelected: entry.number == shown[selected].number, columns)
    }
    while lines.count < rows { lines.append(ScreenLine()) }
    return lines
  }

  private func message(_ entry: ScreenEntry, isSelected: Bool, _ columns: Int) -> ScreenLine {
    var line = ScreenLine()
    line.isSelected = isSelected
    line.add(isSelected ? ">" : " ", .bold)
    line.add(entry.isMarked ? "*" : " ", .warning)
    let time = entry.row.value.time.map(clock) ?? ""
    line.add(time.cells(13), .faint)
    line.add(entry.line.isSent ? "→ " : "← ")
    let width = columns < 80 ? 9 : 13
    line.add(
      entry.line.who.replacingUnsafeCharacters().cells(width), entry.line.isAlarm ? .alarm : .name)
    let room = columns - line.text.cellCount
    line.add(
      entry.line.text.replacingUnsafeCharacters().cells(room),
      entry.line.isAlarm ? .alarm : entry.row.effect.isChanged ? .plain : .faint)
    return line
  }

  /// The time of a message as the list shows it.
  package func clock(_ time: Timestamp) -> String {
    var text = OutputText(capacity: 16)
    let offset = style.clock == .local ? style.zone(time) : 0
    text.append(clock: CivilTime(time, offsetSeconds: offset), decimals: 3)
    return String(decoding: text.bytes, as: UTF8.self)
  }
}
