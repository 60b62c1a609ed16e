import CommandLineOptions
import PeatNode
import PeatReports
import PeatScreen
import PeatSecurity
import PeatTimeline
import SystemIO

/// Where a node and its user meet: plain lines, a prompt on a terminal, or the full screen.
struct NodeConsole {
  private let diagnostics: Diagnostics
  private var prompt: TerminalPrompt?
  private var screen: ScreenView?
  /// Orders that do not come from the terminal.
  private var orders: OrderLines?
  /// Lines that wait to be carried out.
  private var lines: [String] = []
  /// What the screen cannot hold until it is gone.
  private var held: [String] = []

  /// Plain lines, until it is started.
  init(_ diagnostics: Diagnostics) { self.diagnostics = diagnostics }

  /// Takes the terminal over, where there is one.
  mutating func start(
    _ configuration: NodeConfiguration, keyring: Keyring, environment: Environment
  ) throws(UsageError) {
    let phrases = NodeOrder.forms.flatMap(\.phrases)
    guard configuration.raw.node.wantsScreen else {
      prompt = TerminalPrompt(phrases: phrases, environment: environment)
      if prompt == nil { orders = OrderLines() }
      return
    }
    screen = ScreenView(
      title: "", style: configuration.style, recordingPath: configuration.raw.node.record,
      keyring: keyring, environment: environment)
    guard let screen else { throw NodeConfiguration.noScreen }
    screen.takeCommands(phrases, help: NodeOrder.helpLines)
    if !FileDescriptor.standardInput.isTerminal { orders = OrderLines() }
  }

  /// Whether rows are shown on the screen, and not printed.
  var isFullScreen: Bool { screen != nil }

  /// What the user is heard from.
  var descriptors: [Int32] {
    var all: [Int32] = []
    if let screen { all.append(screen.keyDescriptor) }
    if let prompt { all.append(prompt.descriptor) }
    if orders?.isOpen == true { all.append(FileDescriptor.standardInput.rawValue) }
    return all
  }

  /// When to draw again, in nanoseconds of the monotonic clock.
  var deadline: UInt64? { screen?.deadline }

  /// Takes what was typed or sent since, given which of `descriptors` are ready; `nextLine` gives it.
  mutating func read(ready: [Bool], phrases: [String]) {
    if let screen {
      screen.setPhrases(phrases)
      if screen.takeKeys() { lines.append(NodeConsole.quit) }
      lines += screen.enteredCommands()
    }
    if let prompt, ready.first == true {
      prompt.setPhrases(phrases)
      prompt.read()
    }
    if ready.last == true, let more = orders?.read() { lines += more }
  }

  /// The next whole line of the user's.
  mutating func nextLine() -> String? {
    if !lines.isEmpty { return lines.removeFirst() }
    return switch prompt?.next() {
    case .line(let text): text
    case .end: NodeConsole.quit
    case nil: nil
    }
  }

  private static let quit = "quit"

  // MARK: - Telling

  /// Something is about to be printed.
  func prepareToPrint() { prompt?.erase() }

  /// Says something that nobody asked for.
  func say(_ text: String) {
    if let screen { return screen.tell(text) }
    prepareToPrint()
    diagnostics.say(text)
  }

  /// Says something that a user who wants quiet does without.
  func tell(_ text: String) {
    if let screen { return screen.tell(text) }
    prepareToPrint()
    diagnostics.inform(text)
  }

  /// Warns, unless the user wants quiet.
  func warn(_ text: String) {
    if let screen { return screen.tell(text) }
    prepareToPrint()
    diagnostics.warn(text)
  }

  /// Says something that must be seen, if not on the screen then after it.
  mutating func hold(_ text: String) {
    if screen != nil { held.append(text) } else { say(text) }
  }

  /// Answers an order.
  func answer(_ lines: [String]) {
    if let screen { return screen.answer(lines) }
    prepareToPrint()
    for line in lines { prompt == nil ? diagnostics.say(line) : diagnostics.answer(line) }
  }

  /// Shows a row, where there is a screen.
  func show(_ row: TimelineRow, _ engine: MonitorEngine) {
    screen?.show(row, engine, isShown: true)
  }

  /// Shows the prompt or the screen as it is now.
  func draw(title: String, engine: MonitorEngine) {
    prompt?.draw()
    screen?.title = title
    screen?.drawIfDue(at: MonotonicClock.nanoseconds(), engine: engine, hasEnded: false)
  }

  /// Gives the terminal back, and says what was held.
  mutating func stop() {
    prompt?.stop()
    screen?.stop()
    for text in held { diagnostics.say(text) }
    held = []
  }
}
