import PeatDissection
import PeatProtocol
import PeatReports
import PeatTimeline
import WireBytes

extension ScreenModel {
  /// Takes a key; gives what its owner is to do.
  package mutating func press(_ key: ScreenKey) -> Request? {
    if key == .resize { return nil }
    notice = nil
    if case .mouse(let action, let row, let column) = key {
      takeMouse(action, row: row, column: column)
      return nil
    }
    if case .prompt(let prompt, let line) = mode { return type(key, prompt, line) }
    guard let action = KeyBinding.action(of: key) else {
      if isText { mode = .messages }
      return nil
    }
    return isText ? read(action) : perform(action)
  }

  /// Whether a text fills the screen.
  private var isText: Bool {
    switch mode {
    case .help, .answer, .links: true
    case .messages, .detail, .prompt: false
    }
  }

  /// In a text, what scrolls scrolls, and any other key closes it.
  private mutating func read(_ action: ScreenAction) -> Request? {
    switch action {
    case .move(let count), .scroll(let count): scroll(by: count)
    case .page(let count): scroll(by: count * detailPage)
    case .oldest: scroll = 0
    case .live: scroll = scrollLimit
    case .redraw: return .redraw
    case .quit: return .quit
    case .command: beginCommand()
    case .open, .back, .otherList, .pause, .follow, .filter, .time, .jump, .jumpTo, .mark, .save,
      .saveSelected, .sort, .fold, .links, .help:
      mode = .messages
      scroll = 0
    }
    return nil
  }

  private mutating func perform(_ action: ScreenAction) -> Request? {
    switch action {
    case .move(let count): focus == .nodes ? moveNode(count) : move(count)
    case .page(let count):
      mode == .detail ? scroll(by: count * detailPage) : move(count * page)
    case .oldest: select(shown.first, follows: false)
    case .live: goLive()
    case .open: open()
    case .back: back()
    case .otherList:
      focus = focus == .nodes ? .messages : .nodes
      mode = .messages
      if focus == .nodes { moveNode(0) }
    case .scroll(let count): scroll(by: count)
    case .pause: pausedAt = pausedAt == nil ? history.total : nil
    case .follow:
      if isFollowing { isFollowing = false } else { goLive() }
    case .filter: mode = .prompt(.filter, LineEditor(filter))
    case .time: mode = .prompt(.time, LineEditor())
    case .command: beginCommand()
    case .jump(let seconds): jump(seconds: seconds)
    case .jumpTo(let landmark, let forwards): jump(to: landmark, forwards: forwards)
    case .mark: toggleMark()
    case .save: mode = .prompt(.save(.shown), LineEditor("peat-messages.ndjson"))
    case .saveSelected: mode = .prompt(.save(.selected), LineEditor("peat-message.ndjson"))
    case .sort:
      sort = sort.next
      notice = "nodes sorted by \(sort.rawValue)"
    case .fold: toggleFolding()
    case .links:
      mode = .links
      scroll = 0
    case .redraw: return .redraw
    case .help:
      mode = .help
      scroll = 0
    case .quit: return .quit
    }
    return nil
  }

  private mutating func open() {
    if focus == .nodes {
      guard let node = selectedNode else { return }
      setFilter("node \(node)") { $0.message.node == node }
      focus = .messages
      notice = "only messages of \(lines.name(node)); esc shows all"
    } else {
      mode = mode == .detail ? .messages : .detail
      scroll = 0
    }
  }

  private mutating func back() {
    if mode == .detail {
      mode = .messages
    } else if focus == .nodes {
      focus = .messages
    } else {
      setFilter("")
    }
  }

  private mutating func scroll(by count: Int) { scroll = min(max(0, scroll + count), scrollLimit) }

  // MARK: - The mouse

  private mutating func takeMouse(_ action: MouseAction, row: Int, column: Int) {
    if case .prompt = mode { return }
    switch action {
    case .wheelUp, .wheelDown:
      let count = action == .wheelUp ? -3 : 3
      isText || mode == .detail ? scroll(by: count) : move(count)
    case .press:
      guard !isText, let target = targets.first(where: { $0.holds(row: row, column: column) })
      else { return }
      press(target)
    }
  }

  /// What is pressed is selected; what is selected already is opened.
  private mutating func press(_ target: ScreenTarget) {
    switch target.kind {
    case .sort(let column):
      sort = column
      notice = "nodes sorted by \(sort.rawValue)"
    case .node(let node):
      let isSelected = focus == .nodes && selectedNode == node
      focus = .nodes
      selectedNode = node
      if isSelected { open() }
    case .message(let number):
      let isSelected = focus == .messages && selected == number
      focus = .messages
      select(number, follows: isFollowing && number == shown.last)
      if isSelected, mode == .messages { mode = .detail }
    }
  }

  // MARK: - Moving

  private mutating func goLive() {
    pausedAt = nil
    select(shown.last, follows: true)
  }

  private mutating func select(_ number: Int?, follows: Bool) {
    selected = number
    isFollowing = follows
    scroll = 0
  }

  private mutating func move(_ count: Int) {
    let shown = shown
    guard !shown.isEmpty else { return }
    let last = shown.endIndex - 1
    let place = shown.lastIndex { $0 <= selected ?? .max } ?? last
    let next = min(max(place + count, shown.startIndex), last)
    select(shown[next], follows: isFollowing && next == last)
  }

  private mutating func moveNode(_ count: Int) {
    guard !shownNodes.isEmpty else { return }
    let place = selectedNode.flatMap { shownNodes.firstIndex(of: $0) } ?? 0
    selectedNode = shownNodes[min(max(place + count, 0), shownNodes.count - 1)]
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

  private mutating func jump(to landmark: ScreenAction.Landmark, forwards: Bool) {
    let place = selected ?? 0
    let wanted = visible.filter { $0.has(landmark) }.map(\.number)
    let next = forwards ? wanted.first { $0 > place } : wanted.last { $0 < place }
    if let next {
      select(next, follows: false)
    } else {
      notice = "no \(landmark.rawValue) \(forwards ? "after" : "before") this message"
    }
  }

  // MARK: - Typing

  private mutating func type(
    _ key: ScreenKey, _ prompt: Prompt, _ line: LineEditor
  ) -> Request? {
    if case .overwrite(let part, let path) = prompt {
      mode = .messages
      guard key == .character("y") else {
        notice = "not saved: \(path) exists"
        return nil
      }
      return .save(part, path: path, overwrites: true)
    }
    if prompt == .command, key != .escape { return typeCommand(key) }
    var line = line
    if key == .escape {
      mode = .messages
    } else if key == .enter {
      return enter(prompt, line.text)
    } else if key == .control("l") {
      return .redraw
    } else if line.take(key) {
      mode = .prompt(prompt, line)
    }
    return nil
  }

  private mutating func enter(_ prompt: Prompt, _ text: String) -> Request? {
    mode = .messages
    switch prompt {
    case .filter: enterFilter(text)
    case .time: goTo(text)
    case .save(let part):
      return text.isEmpty ? nil : .save(part, path: text, overwrites: false)
    case .overwrite, .command: break
    }
    return nil
  }

  private mutating func beginCommand() {
    guard commands != nil else { return }
    commands?.clear()
    mode = .prompt(.command, LineEditor())
  }

  private mutating func typeCommand(_ key: ScreenKey) -> Request? {
    guard var entry = commands else { return nil }
    // An empty line that is shortened is left, as in editors that have such a line.
    if key == .backspace, entry.line.text.isEmpty {
      mode = .messages
      return nil
    }
    let outcome = entry.take(key)
    commands = entry
    mode = .prompt(.command, entry.line)
    switch outcome {
    case .edited, .ignored: return nil
    case .candidates(let words): notice = words.joined(separator: " ")
    case .redraw: return .redraw
    case .ended: mode = .messages
    case .entered(let text):
      mode = .messages
      return .command(text)
    }
    return nil
  }

  /// An expression of the filter language, or one word that is looked for.
  private mutating func enterFilter(_ text: String) {
    let isWord = !text.contains { "=<>~!&|()\" ".contains($0) }
    do {
      setFilter(text, text.isEmpty ? nil : try compile(text))
    } catch {
      if isWord {
        setFilter(text)
      } else {
        // The line stays, to be put right.
        mode = .prompt(.filter, LineEditor(text))
        notice = "\(error)"
      }
    }
  }

  /// A clock time as the messages show it, or seconds from the selected message.
  private mutating func goTo(_ text: String) {
    let number = text.hasSuffix("s") ? text.dropLast() : text[...]
    if text.hasPrefix("-") || text.hasPrefix("+"), let seconds = Int64(number),
      seconds.magnitude < 1_000_000_000
    {
      return jump(seconds: seconds)
    }
    let shown = visible
    let isTime = text.split(separator: ":").count >= 2 && text.first?.isNumber == true
    guard isTime, let found = shown.first(where: { clock?($0.row).map { $0 >= text } ?? false })
    else {
      notice = isTime ? "no message at or after \(text)" : "\(text) is no time; see ?"
      return
    }
    select(found.number, follows: false)
  }
}

extension ScreenEntry {
  fileprivate func has(_ landmark: ScreenAction.Landmark) -> Bool {
    switch landmark {
    case .mark: isMarked
    case .emergency: beginsEmergency
    case .finding: row.findings.contains { $0.code.severity >= .warning }
    }
  }
}
