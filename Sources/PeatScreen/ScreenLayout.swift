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
    _ model: inout ScreenModel, _ present: ScreenStatus, size: ScreenSize
  ) -> [ScreenLine] {
    guard size.isEnough else { return tooSmall(size) }
    let status = model.status(present)
    model.targets = []
    var lines = [title(model, status, size.columns)]
    if model.isPast { lines.append(past(model, status, size.columns)) }
    lines += EmergencyBanner.lines(status, model.lines, size.columns, isShort: size.rows < 24)
    if let text = text(model, status, size.columns) {
      lines += scrolled(text, rows: size.rows - 1 - lines.count, &model)
      return filled(lines, size, model)
    }
    if model.mode != .detail || size.rows >= 30 {
      let rows = max(4, (size.rows - 4) / 3)
      lines += nodes(&model, status, columns: size.columns, rows: rows, top: lines.count)
    }
    lines.append(separator(model, status, size.columns))
    let rest = size.rows - lines.count - 1
    if model.mode == .detail {
      let list = size.rows < 20 ? 1 : max(3, rest / 4)
      lines += messages(&model, rows: list, columns: size.columns, top: lines.count)
      let detail = detail(model, columns: size.columns)
      let room = rest - list - 1
      let shown = scrolled(detail, rows: room, &model)
      let end = min(detail.count, model.scroll + room)
      lines.append(
        rule(
          "message, lines \(min(model.scroll + 1, end)) to \(end) of \(detail.count)", size.columns)
      )
      lines += shown
    } else {
      lines += messages(&model, rows: rest, columns: size.columns, top: lines.count)
    }
    return filled(lines, size, model)
  }

  /// The text that fills the screen, where one does.
  private func text(
    _ model: ScreenModel, _ status: ScreenStatus, _ columns: Int
  ) -> [ScreenLine]? {
    switch model.mode {
    case .links: LinksView.lines(status, columns)
    case .help: HelpView.lines(columns, commands: model.commandHelp)
    case .answer(let text): HelpView.lines(columns, text: text)
    case .messages, .detail, .prompt: nil
    }
  }

  private func nodes(
    _ model: inout ScreenModel, _ status: ScreenStatus, columns: Int, rows: Int, top: Int
  ) -> [ScreenLine] {
    let content = NodeTable.Content(
      status, sort: model.sort, selected: model.focus == .nodes ? model.selectedNode : nil,
      columns: columns)
    model.shownNodes = NodeTable.order(content)
    let table = NodeTable.lines(content, order: model.shownNodes, rows: rows)
    model.targets += NodeTable.targets(content, table.nodes, top: top)
    return table.lines
  }

  private func detail(_ model: ScreenModel, columns: Int) -> [ScreenLine] {
    guard let entry = model.selectedEntry else {
      return [ScreenLine("no message is selected", .faint)]
    }
    return DetailView.lines(
      entry, dump: model.dump(entry.row), names: model.lines, columns: columns)
  }

  /// The part of a text that is scrolled to.
  private func scrolled(
    _ lines: [ScreenLine], rows: Int, _ model: inout ScreenModel
  ) -> [ScreenLine] {
    model.detailPage = max(1, rows - 1)
    model.scrollLimit = max(0, lines.count - rows)
    model.scroll = min(model.scroll, model.scrollLimit)
    return Array(lines.dropFirst(model.scroll).prefix(max(0, rows)))
  }

  /// Says that all that is shown is of a moment that is over.
  private func past(
    _ model: ScreenModel, _ status: ScreenStatus, _ columns: Int
  ) -> ScreenLine {
    let start = model.history.entries.first?.row.value.time.map(clock) ?? "?"
    let moment = status.now.map(clock) ?? "?"
    var text = "PAST \(moment.prefix(8)); history starts at \(start.prefix(8)); "
    text += columns < 66 ? "End/G goes live" : "End/G returns to live"
    return ScreenLine(text.cells(columns), .warning)
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
    if case .prompt(let prompt, let line) = model.mode {
      let error = model.notice.map { " (\($0.replacingUnsafeCharacters()))" } ?? ""
      let question = prompt.question.cutToCells(columns - 12)
      let room = max(8, columns - question.cellCount - error.cellCount)
      return ScreenLine((question + line.shown(columns: room) + error).cutToCells(columns), .bold)
    }
    if let notice = model.notice {
      return ScreenLine(notice.replacingUnsafeCharacters().cutToCells(columns), .bold)
    }
    let command = model.commands == nil ? "" : "  : command"
    let keys =
      switch model.mode {
      case .answer: " up/down scroll\(command)  any other key closes"
      case .links: " up/down scroll  any other key closes the links"
      case .help: " up/down scroll  any other key closes the help"
      case .detail: " q quit  ? help\(command)  esc close  J/K pgup/pgdn scroll  W write  n warning"
      case .messages where model.focus == .nodes:
        " q quit  ? help\(command)  enter only its messages  s sort  tab messages"
      case .messages, .prompt:
        " q quit  ? help\(command)  enter detail  / filter  t time  space hold  m mark  w write  l links  tab nodes"
      }
    return ScreenLine(keys.cells(columns), .title)
  }

  private func title(_ model: ScreenModel, _ status: ScreenStatus, _ columns: Int) -> ScreenLine {
    let state =
      model.isPast
      ? "PAST"
      : model.isPaused
        ? "PAUSED"
        : status.hasEnded
          ? "ENDED"
          : status.isReplay ? "REPLAY" : "LIVE"
    var right = " \(state)"
    if model.isPaused, model.isPast { right = " PAUSED\(right)" }
    if status.recording != nil { right = " REC\(right)" }
    if let now = status.now { right = " \(clock(now))\(right)" }
    let left = " peat-inspect  \(status.source.replacingUnsafeCharacters())"
    let room = columns - right.cellCount - 1
    return ScreenLine(left.cells(room) + right + " ", .title)
  }

  private func separator(
    _ model: ScreenModel, _ status: ScreenStatus, _ columns: Int
  ) -> ScreenLine {
    var text = "\(model.history.total) messages"
    if let pausedAt = model.pausedAt { text += ", \(model.history.total - pausedAt) new" }
    if status.drops > 0 { text += ", \(status.drops) LOST" }
    if status.unrecorded > 0 { text += ", \(status.unrecorded) NOT RECORDED" }
    if !model.filter.isEmpty {
      text += ", filter \"\(model.filter.replacingUnsafeCharacters().cutToCells(columns / 3))\""
      text += " shows \(model.passingCount)"
    }
    text += "; \(rate(status.messageRate))/s, \(rate(status.byteRate)) B/s"
    if let packets = status.packetRate { text += ", \(rate(packets)) packets/s" }
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
    _ model: inout ScreenModel, rows: Int, columns: Int, top: Int
  ) -> [ScreenLine] {
    model.page = max(1, rows - 1)
    let shown = Array(model.shown)
    guard !shown.isEmpty, rows > 0 else {
      let text = model.filter.isEmpty ? "no message yet" : "no message passes the filter"
      return [ScreenLine(text, .faint)] + Array(repeating: ScreenLine(), count: max(0, rows - 1))
    }
    let selected = shown.lastIndex { $0 <= model.selected ?? .max } ?? shown.count - 1
    // The selected message stays in view; at the end the list is full.
    let last = min(shown.count, max(selected + 1 + (model.isFollowing ? 0 : rows / 2), rows))
    let first = max(0, last - rows)
    let entries = shown[first..<last].compactMap { model.history.entry($0) }
    var lines = entries.map { entry in
      message(
        entry, model.fold(entry.number), isSelected: entry.number == shown[selected], columns)
    }
    model.targets += entries.enumerated().map { index, entry in
      ScreenTarget(kind: .message(entry.number), row: top + index)
    }
    while lines.count < rows { lines.append(ScreenLine()) }
    return lines
  }

  private func message(
    _ entry: ScreenEntry, _ fold: ScreenFold?, isSelected: Bool, _ columns: Int
  ) -> ScreenLine {
    var line = ScreenLine()
    line.isSelected = isSelected
    line.add(isSelected ? ">" : " ", .bold)
    line.add(entry.isMarked ? "*" : " ", .warning)
    let time = entry.row.value.time.map(clock) ?? ""
    line.add(time.cells(13), .faint)
    if let fold {
      let room = columns - line.text.cellCount
      line.add("· \(fold.text)".replacingUnsafeCharacters().cells(room), .faint)
      return line
    }
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
