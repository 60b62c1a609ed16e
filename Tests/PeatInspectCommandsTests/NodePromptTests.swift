import Foundation
import PeatTestSupport
import Testing

/// A node in a real terminal, with its prompt or its screen.
@Suite(.serialized, .enabled(if: Bumble.isInstalled && TmuxSession.isAvailable))
struct NodePromptTests {
  /// A virtual radio without a node of its own, and a shell in a terminal for each node.
  private final class Rig {
    private let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("peat-prompt-\(UUID().uuidString)")
    private var radio: Companion
    private let port: Int

    init() throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let script = TestData.testsFolder.appendingPathComponent("Peer/peer.py").path
      radio = try Companion(Bumble.python, ["-B", script, "--count", "0"])
      port = try #require(radio.next("listening")?["port"].int)
    }

    deinit {
      radio.order("quit")
      try? FileManager.default.removeItem(at: folder)
    }

    /// Starts a node, and waits until it is on the air.
    func node(_ name: String, _ options: String = "", before: String = "") throws -> TmuxSession {
      let session = try TmuxSession(columns: 100, rows: 30, "bash --norc -i")
      _ = try session.wait { $0.contains { $0.contains("$") || $0.contains("#") } }
      let file = folder.appendingPathComponent(name).path
      let id = name == "ALPHA" ? "0A0A0A0A" : "0B0B0B0B"
      let script = """
        export XDG_STATE_HOME=\(folder.path) SWIFT_BACKTRACE=enable=no PS1='READY '
        ulimit -c 0; stty -g >\(file).tty
        run() { sh -c 'echo $$ >\(file).pid; exec \(before) \(CommandRun.binary) node \
        --hci tcp:127.0.0.1:\(port) --mesh TEST --callsign \(name) --node-id \(id) \(options)'; }
        after() { echo status $?; stty -g | cmp - \(file).tty && echo same; }
        """
      try script.write(toFile: file, atomically: true, encoding: .utf8)
      try session.send(". \(file); clear", "Enter")
      try session.send("run; after", "Enter")
      return session
    }

    /// The process of a node.
    func process(_ name: String) throws -> String {
      try String(contentsOf: folder.appendingPathComponent("\(name).pid"), encoding: .utf8)
    }
  }

  private static func isReady(_ lines: [String]) -> Bool {
    lines.last { !$0.isEmpty } == "peat>"
  }

  /// Waits until the screen is as wanted, and expects that it comes to be.
  @discardableResult
  private func see(
    _ session: TmuxSession, _ place: SourceLocation = #_sourceLocation,
    until isWanted: ([String]) -> Bool
  ) throws -> [String] {
    let lines = try session.wait(until: isWanted)
    let isSeen = isWanted(lines)
    #expect(
      isSeen, "\(lines.filter { !$0.isEmpty }.joined(separator: "\n"))", sourceLocation: place)
    return lines
  }

  /// The last line that holds something.
  private func last(_ lines: [String]) -> String? { lines.last { !$0.isEmpty } }

  @Test("an emergency at one node's prompt is acknowledged on the other's screen")
  func twoNodes() throws {
    let rig = try Rig()
    let alpha = try rig.node("ALPHA")
    try see(alpha, until: NodePromptTests.isReady)
    let bravo = try rig.node("BRAVO", "--screen")
    try see(bravo) { $0.contains { $0.contains("← ALPHA") } }
    try alpha.send("emerg", "Tab", "Enter")
    let started = try see(alpha) { $0.contains { $0.contains("ACK 1 of 2") } }
    #expect(started.contains("peat> emergency"))
    #expect(started.contains("emergency started"))
    // A line that is being typed stays below the rows that come.
    try alpha.send("battery 5")
    try see(bravo) { $0.contains { $0.contains("!!! EMERGENCY from ALPHA") } }
    try bravo.send(":", "ac", "Tab")
    #expect(try see(bravo) { last($0) == ":ack_" }.contains { $0.contains("LIVE") })
    try bravo.send("Enter")
    let acked = try see(bravo) { $0.contains { $0.contains("ACK 2 of 2, all acked") } }
    #expect(acked[0].contains("mesh TEST"))
    let below = try see(alpha) { $0.contains { $0.contains("ACK 2 of 2") } }
    #expect(last(below) == "peat> battery 5")
    #expect(below.filter { $0.hasPrefix("peat> battery") }.count == 1)
    try bravo.send(":", "peers", "Enter")
    try see(bravo) { $0.contains { $0.contains("our link") || $0.contains("their link") } }
    try bravo.send(":", "jump", "Enter")
    try see(bravo) { last($0)?.hasPrefix("unknown order \"jump\"") == true }
    try bravo.send("?")
    try see(bravo) { $0.contains { $0.contains("type a command") } }
    try bravo.send("G")
    try see(bravo) { $0.contains { $0.hasPrefix("  :position LAT LON [ALT]") } }
    try bravo.send("x", ":", "quit", "Enter")
    let left = try see(bravo) { $0.contains("same") }
    #expect(left.contains("status 0"))
    #expect(left.contains { $0.contains("all acked") })
  }

  @Test("every order is answered, and the line is edited as in a shell")
  func orders() throws {
    let rig = try Rig()
    let alpha = try rig.node("ALPHA")
    try see(alpha, until: NodePromptTests.isReady)
    try alpha.send(
      "battery 50", "Enter", "event moving", "Enter", "position 46.5 7.25 400", "Enter", "send 0a",
      "Enter", "disconnect", "Enter", "clear", "Enter", "ack", "Enter", "state", "Enter", "peers",
      "Enter", "jump", "Enter")
    let screen = try see(alpha) { $0.contains { $0.hasPrefix("unknown order") } }
    for answer in [
      "battery 50%", "event moving", "position 46.5 7.25", "no links",
      "there is no emergency",
    ] {
      #expect(screen.contains { $0.hasPrefix(answer) }, "\(answer)")
    }
    #expect(screen.contains { $0.hasPrefix("node 0A0A0A0A, version ") })
    // Back to "state", with another word put before it: a wide and an accented one, and gone again.
    try alpha.send("Up", "Up", "Up", "Home", "日本é")
    try see(alpha) { last($0) == "peat> 日本éstate" }
    #expect(try alpha.value("cursor_x") == "11")
    try alpha.send("BSpace", "BSpace", "BSpace", "C-e", "C-w", "emer", "Tab")
    try see(alpha) { last($0) == "peat> emergency" }
    try alpha.send("C-l")
    try see(alpha) { $0.first == "peat> emergency" }
    try alpha.send("C-u", "C-d")
    let left = try see(alpha) { $0.contains("same") }
    #expect(left.contains("status 0"))
  }

  @Test(
    "the terminal is as it was, however the node ends at its prompt",
    arguments: ["C-c", "SEGV", "TERM", "INT", "HUP", "QUIT", "ABRT"])
  func end(by cause: String) throws {
    let rig = try Rig()
    let alpha = try rig.node("ALPHA")
    try see(alpha, until: NodePromptTests.isReady)
    try alpha.send("bat")
    try see(alpha) { last($0) == "peat> bat" }
    if cause == "C-c" {
      try alpha.send(cause)
    } else {
      _ = system("kill -\(cause) \(try rig.process("ALPHA"))")
    }
    let left = try see(alpha) { $0.contains("same") }
    #expect(left.contains("same"))
    #expect(left.contains("status 0") == ["C-c", "TERM", "INT", "HUP"].contains(cause))
  }

  @Test("ctrl-z gives the shell a usable terminal, and going on keeps the line")
  func suspend() throws {
    let rig = try Rig()
    let alpha = try rig.node("ALPHA")
    try see(alpha, until: NodePromptTests.isReady)
    try alpha.send("battery")
    try see(alpha) { last($0) == "peat> battery" }
    try alpha.send("C-z")
    try see(alpha) { $0.contains { $0.contains("Stopped") } }
    try alpha.send("after", "Enter")
    #expect(try see(alpha) { $0.contains("same") }.contains("same"))
    try alpha.send("clear; fg", "Enter")
    try see(alpha) { last($0) == "peat> battery" }
    try alpha.send(" 7", "Enter")
    #expect(
      try see(alpha) { $0.contains { $0.hasPrefix("battery 7%") } }.contains("peat> battery 7"))
  }

  @Test("TERM=dumb has plain lines and no prompt")
  func dumb() throws {
    let rig = try Rig()
    let alpha = try rig.node("ALPHA", before: "env TERM=dumb")
    try see(alpha) { $0.contains { $0.contains("of mesh TEST at") } }
    try alpha.send("state", "Enter")
    let screen = try see(alpha) {
      $0.contains { $0.hasPrefix("peat-inspect: node ") && $0.contains("total 0") }
    }
    #expect(screen.contains("state"))
    #expect(!screen.contains { $0.contains("peat>") })
    try alpha.send("quit", "Enter")
    #expect(try see(alpha) { $0.contains("same") }.contains("status 0"))
  }
}

/// What needs neither a radio nor a terminal.
struct NodeScreenTests {
  @Test("--screen without a terminal is a mistake, told before anything is opened")
  func noTerminal() throws {
    let run = try CommandRun(["node", "--hci", "tcp:127.0.0.1:1", "--screen"])
    #expect(run.status == 2)
    #expect(run.standardError.contains("--screen needs a terminal"))
  }
}
