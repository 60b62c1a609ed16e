/// What a key does, outside of a line that is typed.
enum ScreenAction: Sendable, Equatable {
  case move(Int)
  case page(Int)
  case oldest, live
  case open, back, otherList
  case scroll(Int)
  case pause, follow
  case filter, time, command
  case jump(seconds: Int64)
  case jumpTo(Landmark, forwards: Bool)
  case mark, save, saveSelected, sort, fold, links
  case redraw, help, quit

  /// What can be gone to.
  enum Landmark: String, Sendable {
    case mark = "marked message"
    case emergency = "emergency"
    /// A finding of a warning or more: those of notes are too many to stop on.
    case finding = "warning or error"
  }
}

/// Keys and what they do: both the keyboard and the help are made of this table.
struct KeyBinding: Sendable {
  /// Each key with its action, as a pair of them may share a line of the help.
  let keys: [(key: ScreenKey, action: ScreenAction)]
  let label: String
  let meaning: String

  init(_ label: String, _ meaning: String, _ keys: [(key: ScreenKey, action: ScreenAction)]) {
    self.keys = keys
    self.label = label
    self.meaning = meaning
  }

  static func action(of key: ScreenKey) -> ScreenAction? {
    for binding in all {
      if let found = binding.keys.first(where: { $0.key == key }) { return found.action }
    }
    return nil
  }

  /// Only for views whose owner takes commands.
  static let command = KeyBinding(
    ":", "type a command, one of those below", [(.character(":"), .command)])

  static let all: [KeyBinding] = [
    KeyBinding(
      "up k, down j", "the message or node before, after",
      [
        (.up, .move(-1)), (.character("k"), .move(-1)), (.down, .move(1)),
        (.character("j"), .move(1)),
      ]),
    KeyBinding(
      "page up b, page down", "a page; of the detail if it is open",
      [
        (.pageUp, .page(-1)), (.character("b"), .page(-1)), (.control("b"), .page(-1)),
        (.pageDown, .page(1)), (.control("f"), .page(1)),
      ]),
    KeyBinding(
      "home g, end G", "the oldest kept; back to live",
      [
        (.home, .oldest), (.character("g"), .oldest), (.end, .live), (.character("G"), .live),
      ]),
    KeyBinding(
      "enter", "its detail; a node's messages only", [(.enter, .open)]),
    KeyBinding(
      "J, K", "scroll the detail",
      [(.character("J"), .scroll(1)), (.character("K"), .scroll(-1))]),
    KeyBinding("tab", "between messages and nodes", [(.tab, .otherList)]),
    KeyBinding("esc", "close, or show all messages again", [(.escape, .back)]),
    KeyBinding(
      "space p", "hold the screen; nothing is lost",
      [(.character(" "), .pause), (.character("p"), .pause)]),
    KeyBinding("f", "follow what comes, or stay", [(.character("f"), .follow)]),
    KeyBinding("/", "only messages that a filter matches", [(.character("/"), .filter)]),
    KeyBinding(
      "t", "go to a time: 12:03:04, -30s, +10s", [(.character("t"), .time)]),
    KeyBinding(
      "[, ]", "ten seconds back, forward",
      [(.character("["), .jump(seconds: -10)), (.character("]"), .jump(seconds: 10))]),
    KeyBinding(
      "e, E", "next, previous emergency",
      [
        (.character("e"), .jumpTo(.emergency, forwards: true)),
        (.character("E"), .jumpTo(.emergency, forwards: false)),
      ]),
    KeyBinding(
      "n, N", "next, previous warning or error",
      [
        (.character("n"), .jumpTo(.finding, forwards: true)),
        (.character("N"), .jumpTo(.finding, forwards: false)),
      ]),
    KeyBinding(
      "m", "mark the message, or unmark it", [(.character("m"), .mark)]),
    KeyBinding(
      "', \"", "next, previous marked message",
      [
        (.character("'"), .jumpTo(.mark, forwards: true)),
        (.character("\""), .jumpTo(.mark, forwards: false)),
      ]),
    KeyBinding("w", "write the marked, or all shown, ones", [(.character("w"), .save)]),
    KeyBinding("W", "write the selected message", [(.character("W"), .saveSelected)]),
    KeyBinding("s", "sort the nodes by the next column", [(.character("s"), .sort)]),
    KeyBinding("u", "fold what is unchanged, or show each", [(.character("u"), .fold)]),
    KeyBinding("l", "links, with bars of their up time", [(.character("l"), .links)]),
    command,
    KeyBinding("mouse", "select, open, scroll, sort by heads", []),
    KeyBinding("ctrl-l", "draw the screen anew", [(.control("l"), .redraw)]),
    KeyBinding(
      "? h F1", "this help",
      [(.character("?"), .help), (.character("h"), .help), (.help, .help)]),
    KeyBinding("q ctrl-c", "quit; ctrl-z suspends", [(.character("q"), .quit)]),
  ]
}
