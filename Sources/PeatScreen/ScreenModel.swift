import PeatDissection
package import PeatReports
package import PeatTimeline
import WireBytes

/// What a full-screen view holds and what keys do to it; knows no terminal.
package struct ScreenModel: Sendable {
  /// What fills the lower part.
  package enum Mode: Sendable, Equatable {
    case messages, detail, help
    /// A line is typed.
    case prompt(Prompt, text: String)
  }

  /// What a typed line is for.
  package enum Prompt: Sendable, Equatable {
    case filter, time, save

    var question: String {
      switch self {
      case .filter: "filter (text, node, kind): "
      case .time: "go to (12:00:07, or seconds back such as -30): "
      case .save: "save to file: "
      }
    }
  }

  /// What the owner of the view is to do.
  package enum Request: Sendable, Equatable {
    case quit
    /// Write the marked messages, or all where none is marked, as NDJSON.
    case save(path: String)
  }

  package private(set) var mode = Mode.messages
  package private(set) var history = ScreenHistory()
  package private(set) var lines = LiveLines()
  /// The number of the selected message.
  package private(set) var selected: Int?
  package private(set) var isFollowing = true
  /// The last message shown, while paused.
  package private(set) var pausedAt: Int?
  package private(set) var filter = ""
  /// A sentence for the last line, until the next key.
  package var notice: String?
  /// Lines by which the detail is scrolled.
  package private(set) var scroll = 0
  /// Messages that a page holds; the layout sets it.
  package var page = 10

  package init() {}

  /// Takes a message.
  package mutating func append(_ row: TimelineRow) {
    history.append(row, lines.line(for: row))
    if isFollowing && pausedAt == nil, let entry = history.entries.last,
      filter.isEmpty || entry.searched.contains(filter.lowercased())
    {
      selected = entry.number
    }
    if let selected, let first = history.entries.first?.number, selected < first {
      self.selected = first
    }
  }

  package var isPaused: Bool { pausedAt != nil }

  /// The messages that pass the filter, up to the pause.
  package var visible: [ScreenEntry] {
    let end = pausedAt ?? .max
    if filter.isEmpty {
      return pausedAt == nil ? history.entries : history.entries.filter { $0.number <= end }
    }
    let wanted = filter.lowercased()
    return history.entries.filter { $0.number <= end && $0.searched.contains(wanted) }
  }

  /// The selected message.
  package var selectedEntry: ScreenEntry? {
    selected.flatMap { history.index(of: $0) }.map { history.entries[$0] }
  }

  /// What `s` writes: marked messages, or all.
  package var saved: [TimelineRow] {
    let marked = history.entries.filter(\.isMarked)
    return (marked.isEmpty ? history.entries : marked).map(\.row)
  }

  /// Takes a key; gives what its owner is to do.
  package mutating func press(_ key: ScreenKey) -> Request? {
    notice = nil
    switch mode {
    case .prompt(let prompt, let text): return type(key, prompt, text)
    case .help:
      mode = .messages
      return nil
    case .detail, .messages: return command(key)
    }
  }

  private mutating func command(_ key: ScreenKey) -> Request? {
    switch key {
    case .up, .character("k"): move(-1)
    case .down, .character("j"): move(1)
    case .pageUp, .character("b"): move(-page)
    case .pageDown: move(page)
    case .home, .character("g"): select(visible.first?.number, follows: false)
    case .end, .character("G"): select(visible.last?.number, follows: true)
    case .enter:
      mode = mode == .detail ? .messages : .detail
      scroll = 0
    case .escape:
      if mode == .detail { mode = .messages } else { setFilter("") }
    case .character(" "), .character("p"): pausedAt = pausedAt == nil ? history.total : nil
    case .character("f"):
      isFollowing.toggle()
      if isFollowing { selected = visible.last?.number }
    case .character("/"): mode = .prompt(.filter, text: filter)
    case .character("t"): mode = .prompt(.time, text: "")
    case .character("s"): mode = .prompt(.save, text: "peat-messages.ndjson")
    case .character("["): jump(seconds: -10)
    case .character("]"): jump(seconds: 10)
    case .character("m"): if let selected { history.toggleMark(selected) }
    case .character("'"): nextMark()
    case .character("J"): scroll += 1
    case .character("K"): scroll = max(0, scroll - 1)
    case .character("?"), .character("h"): mode = .help
    case .character("q"): return .quit
    case .character, .backspace, .resize: break
    }
    return nil
  }

  // MARK: - Moving

  private mutating func select(_ number: Int?, follows: Bool) {
    selected = number
    isFollowing = follows
    scroll = 0
  }

  private mutating func move(_ count: Int) {
    let shown = visible
    guard let last = shown.indices.last else { return }
    let place = shown.lastIndex { $0.number <= selected ?? .max } ?? last
    let next = min(max(place + count, 0), last)
    select(shown[next].number, follows: isFollowing && next == last)
  }

  /// Selects the message nearest to so many seconds from the selected one.
  private mutating func jump(seconds: Int64) {
    guard let from = selectedEntry?.row.value.time else { return }
    let (target, overflow) = from.nanoseconds.addingReportingOverflow(seconds * 1_000_000_000)
    if !overflow { go(to: target, forwards: seconds > 0) }
  }

  private mutating func go(to time: Int64, forwards: Bool) {
    let shown = visible
    let number =
      forwards
      ? shown.first { ($0.row.value.time?.nanoseconds ?? .min) >= time }?.number
        ?? shown.last?.number
      : shown.last { ($0.row.value.time?.nanoseconds ?? .max) <= time }?.number
        ?? shown.first?.number
    select(number, follows: false)
  }

  private mutating func nextMark() {
    let shown = visible
    let next =
      shown.first { $0.isMarked && $0.number > selected ?? 0 } ?? shown.first { $0.isMarked }
    if let next { select(next.number, follows: false) } else { notice = "no message is marked" }
  }

  // MARK: - Typing

  private mutating func type(_ key: ScreenKey, _ prompt: Prompt, _ text: String) -> Request? {
    switch key {
    case .character(let character): mode = .prompt(prompt, text: text + String(character))
    case .backspace: mode = .prompt(prompt, text: String(text.dropLast()))
    case .escape: mode = .messages
    case .enter:
      mode = .messages
      switch prompt {
      case .filter: setFilter(text)
      case .time: goTo(text)
      case .save: return text.isEmpty ? nil : .save(path: text)
      }
    case .up, .down, .pageUp, .pageDown, .home, .end, .resize: break
    }
    return nil
  }

  private mutating func setFilter(_ text: String) {
    filter = text
    let shown = visible
    if isFollowing || !shown.contains(where: { $0.number == selected }) {
      selected = shown.last?.number
    }
  }

  /// Seconds before the newest message, or a clock time as the messages show it.
  private mutating func goTo(_ text: String) {
    if text.hasPrefix("-"), let seconds = Int64(text), seconds > -1_000_000_000,
      let newest = visible.last?.row.value.time
    {
      go(to: newest.nanoseconds &+ seconds * 1_000_000_000, forwards: false)
      return
    }
    let found = visible.first { entry in
      clock?(entry.row).map { $0 >= text } ?? false
    }
    if text.contains(":"), let found {
      select(found.number, follows: false)
    } else {
      notice = "no message at \(text)"
    }
  }

  /// How messages show their time; the layout's own.
  package var clock: (@Sendable (TimelineRow) -> String?)?
}
