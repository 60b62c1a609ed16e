import PeatDissection
package import PeatProtocol
package import PeatReplay
package import PeatReports
package import PeatTimeline
import WireBytes

/// What a full-screen view holds and what keys do to it; knows no terminal and no source.
///
/// Messages go in with `append`, keys with `press`, which gives back what the owner is to do;
/// `ScreenLayout.lines` makes the frame of it.
package struct ScreenModel: Sendable {
  /// What fills the lower part.
  package enum Mode: Sendable, Equatable {
    case messages, detail, help
    /// Links and when they were up.
    case links
    /// What a command came to, in more lines than one.
    case answer([String])
    /// A line is typed.
    case prompt(Prompt, LineEditor)
  }

  /// What a typed line is for.
  package enum Prompt: Sendable, Equatable {
    case filter, time
    /// One of the owner's commands.
    case command
    case save(SavedPart)
    /// Whether a file that exists is to be replaced.
    case overwrite(SavedPart, path: String)

    var question: String {
      switch self {
      case .filter: "filter: "
      case .command: ":"
      case .time: "go to (12:03:04, -30s, +10s): "
      case .save(.selected): "write the message to file: "
      case .save(.shown): "write messages to file: "
      case .overwrite(_, let path): "\(path.replacingUnsafeCharacters()) exists, replace it (y/n)? "
      }
    }
  }

  /// Which messages are written.
  package enum SavedPart: Sendable, Equatable {
    case selected
    /// The marked ones, or all that are shown where none is marked.
    case shown
  }

  /// What the owner of the view is to do.
  package enum Request: Sendable, Equatable {
    case quit
    /// Draw everything anew, whatever the terminal shows.
    case redraw
    /// Write messages as NDJSON; where the file exists, only if it `overwrites`, else call
    /// `askToOverwrite`.
    case save(SavedPart, path: String, overwrites: Bool)
    /// Carry out a command that was typed, and call `answer`.
    case command(String)
  }

  /// Which list the arrows move in.
  package enum Focus: Sendable { case messages, nodes }

  package internal(set) var mode = Mode.messages
  package internal(set) var focus = Focus.messages
  package private(set) var history = ScreenHistory()
  package private(set) var lines = LiveLines()
  /// The numbers of the messages that pass the filter, ascending.
  private var passing: [Int] = []
  /// Messages in which nothing changed that others stand for: the last of a run, and the run.
  private var folds: [Int: ScreenFold] = [:]
  /// Whether they are folded.
  package private(set) var isFolding = true
  /// The number of the selected message.
  package internal(set) var selected: Int?
  package internal(set) var selectedNode: NodeID?
  package internal(set) var sort = NodeSort.heard
  package internal(set) var isFollowing = true
  /// The last message shown, while paused.
  package internal(set) var pausedAt: Int?
  /// The filter as it was typed; empty where all messages are shown.
  package private(set) var filter = ""
  private var predicate: (@Sendable (TimelineRow) -> Bool)?
  /// A sentence for the last line, until the next key.
  package var notice: String?
  /// Lines by which the detail or the help is scrolled, and by which it can be; the layout sets the
  /// limit.
  package internal(set) var scroll = 0
  var scrollLimit = 0
  /// Messages, and lines of the detail, that a page holds; the layout sets them.
  var page = 10
  var detailPage = 10
  /// The nodes in the order of the table; the layout sets it.
  var shownNodes: [NodeID] = []
  /// Where the mouse can be pressed; the layout sets it.
  var targets: [ScreenTarget] = []
  private var past: ScreenHistory.Checkpoint?
  /// Where commands are typed; nil where the owner takes none.
  package internal(set) var commands: CommandEntry?
  /// What each command does, for the help.
  package private(set) var commandHelp: [String] = []

  /// Compiles a typed filter; the owner may set one that knows a richer language.
  package var compile: @Sendable (String) throws(FilterError) -> @Sendable (TimelineRow) -> Bool = {
    text throws(FilterError) in
    let filter = try RowFilter(text, times: { _ in nil })
    return { filter.matches($0) }
  }
  /// Takes a message's bytes apart; the owner may set one that knows keys.
  package var dump: @Sendable (TimelineRow) -> MessageDump = { row in
    var opener = NoKeys()
    return MessageDump(row.message, bytes: row.value.payload, opener: &opener)
  }
  /// How messages show their time; the layout's own.
  package var clock: (@Sendable (TimelineRow) -> String?)?

  package init() {}

  /// Takes a message; `state` is that of the mesh after it. One that is not `isShown` counts only
  /// for the state.
  package mutating func append(
    _ row: TimelineRow, state: MeshState, moment: ScreenMoment = ScreenMoment(),
    isShown: Bool = true
  ) {
    history.append(row, lines.line(for: row), moment, state: state, isShown: isShown)
    guard let entry = history.entries.last, let first = history.entries.first?.number else {
      return
    }
    if let start = passing.first, start < first {
      passing.removeAll { $0 < first }
      folds = folds.filter { $0.key >= first }
    }
    if passes(entry) {
      pass(entry)
      if isFollowing && pausedAt == nil { selected = entry.number }
    }
    if let selected, selected < first { self.selected = first }
    if let pausedAt, pausedAt < first {
      // What was held left the history: the oldest that is kept is shown instead.
      self.pausedAt = nil
      isFollowing = false
      notice = "the held messages left the history; G returns to live"
    }
  }

  /// Shows an entry: by itself, or as the last of a run in which nothing changed.
  private mutating func pass(_ entry: ScreenEntry) {
    if isFolding, entry.isFoldable, let last = passing.last, let before = history.entry(last),
      before.isFoldable, pausedAt.map({ last > $0 }) ?? true,
      isFollowing || selected != last
    {
      var fold = folds.removeValue(forKey: last) ?? ScreenFold(before)
      fold.add(entry)
      folds[entry.number] = fold
      passing[passing.count - 1] = entry.number
    } else {
      passing.append(entry.number)
    }
  }

  private mutating func passAll() {
    passing = []
    folds = [:]
    for entry in history.entries where passes(entry) { pass(entry) }
  }

  /// The run that a message stands for; nil where it stands for itself.
  func fold(_ number: Int) -> ScreenFold? { folds[number] }

  /// Messages that pass the filter, those folded too.
  var passingCount: Int { shown.reduce(0) { $0 + (folds[$1]?.count ?? 1) } }

  /// Folds what is unchanged, or shows each.
  mutating func toggleFolding() {
    isFolding.toggle()
    passAll()
    selected = shown.first { $0 >= selected ?? .max } ?? shown.last
    notice = isFolding ? "unchanged messages are folded" : "each message is shown"
  }

  private func passes(_ entry: ScreenEntry) -> Bool {
    guard entry.isShown else { return false }
    if let predicate { return predicate(entry.row) }
    return filter.isEmpty || entry.searched.contains(filter.lowercased())
  }

  package var isPaused: Bool { pausedAt != nil }

  /// The numbers of the messages that pass the filter, up to the pause.
  package var shown: ArraySlice<Int> {
    guard let pausedAt else { return passing[...] }
    let end = passing.lastIndex { $0 <= pausedAt }
    return passing[..<(end.map { $0 + 1 } ?? 0)]
  }

  /// The messages that pass the filter, up to the pause.
  package var visible: [ScreenEntry] { shown.compactMap { history.entry($0) } }

  /// The selected message.
  package var selectedEntry: ScreenEntry? { selected.flatMap { history.entry($0) } }

  /// The messages to be written.
  package func saved(_ part: SavedPart) -> [TimelineRow] {
    if part == .selected { return selectedEntry.map { [$0.row] } ?? [] }
    let marked = history.entries.filter(\.isMarked)
    if !marked.isEmpty { return marked.map(\.row) }
    return history.entries.filter { passes($0) && $0.number <= pausedAt ?? .max }.map(\.row)
  }

  /// A file to be written exists: the user is asked.
  package mutating func askToOverwrite(_ part: SavedPart, path: String) {
    mode = .prompt(.overwrite(part, path: path), LineEditor())
  }

  /// Shows only what a predicate holds for; an empty text shows all, without a predicate the text is
  /// looked for.
  package mutating func setFilter(
    _ text: String, _ predicate: (@Sendable (TimelineRow) -> Bool)? = nil
  ) {
    filter = text
    self.predicate = predicate
    passAll()
    if isFollowing || selected.map({ !shown.contains($0) }) ?? true {
      selected = shown.last { $0 <= selected ?? .max } ?? shown.last
    }
  }

  /// Lets commands be typed.
  package mutating func takeCommands(_ phrases: [String], help: [String]) {
    commands = CommandEntry(phrases: phrases)
    commandHelp = help
  }

  /// What Tab completes in commands.
  package mutating func setPhrases(_ phrases: [String]) { commands?.phrases = phrases }

  /// Shows what a command came to.
  package mutating func answer(_ lines: [String]) {
    if lines.count > 1 {
      mode = .answer(lines)
      scroll = 0
    } else if let line = lines.first {
      notice = line
    }
  }

  /// Marks the selected message, or takes its mark away.
  mutating func toggleMark() {
    if let selected { history.toggleMark(selected) }
  }

  /// Whether the selected message is not the present: then all that is shown is of its moment.
  package var isPast: Bool {
    guard let selected else { return false }
    return !(isFollowing && pausedAt == nil) && selected < shown.last ?? 0
      || isPaused && selected < history.total
  }

  /// What to show besides the messages: the present, or the moment of the selected message.
  mutating func status(_ present: ScreenStatus) -> ScreenStatus {
    guard isPast, let entry = selectedEntry else {
      past = nil
      return present
    }
    if past?.number != entry.number { past = history.known(after: entry.number) }
    var status = present
    status.state = past?.state ?? present.state
    status.rssi = past?.rssi ?? [:]
    status.now = entry.row.value.time ?? present.now
    status.packets = entry.moment.packets
    status.drops = entry.moment.drops
    status.ages = [:]
    status.packetRate = nil
    (status.messageRate, status.byteRate) = history.rates(upTo: entry.number)
    return status
  }
}
