import Foundation
import PeatTestSupport
import Testing

/// The full-screen view in a real terminal.
@Suite(.enabled(if: TmuxSession.isAvailable), .serialized)
struct MonitorScreenTests {
  private let sample = TestData.captures.appendingPathComponent("a-two-nodes.h4.btsnoop").path

  private func monitor(
    _ options: String = "", columns: Int = 100, rows: Int = 30, before: String = ""
  ) throws -> TmuxSession {
    try TmuxSession(
      columns: columns, rows: rows,
      "\(before) \(CommandRun.binary) monitor --replay \(sample) --speed 40 \(options)")
  }

  @Test("a replay fills the screen: nodes, messages, the emergency, and its end")
  func overview() throws {
    let session = try monitor()
    let screen = try session.wait { $0.contains { $0.contains("ENDED") } }
    #expect(screen[1].contains("!!! EMERGENCY from BRAVO-2 for 0:"))
    #expect(screen[1].contains("ACK 2 of 2, all acked"))
    #expect(screen.contains { $0.contains("207F0E0F ALPHA-1") })
    #expect(screen.contains { $0.hasPrefix("> 11:34:13.416 ← BRAVO-2") })
    #expect(screen.contains { $0.contains("14 messages") })
  }

  @Test("keys select, show the detail, and q gives the terminal back with the summary")
  func keys() throws {
    let session = try monitor()
    _ = try session.wait { $0.contains { $0.contains("ENDED") } }
    try session.send("g", "Enter")
    let detail = try session.wait { $0.contains { $0.contains("write_request handle 16") } }
    #expect(detail.contains { $0.hasPrefix("> 11:33:57.024 → ALPHA-1") })
    #expect(detail.contains { $0.hasPrefix("     4  0f 0e 7f 20              node") })
    #expect(detail.contains { $0.hasPrefix("PAST 11:33:57; history starts at 11:33:57") })
    try session.send("Down")
    let next = try session.wait { $0.contains { $0.hasPrefix("> 11:33:58.026") } }
    #expect(next.contains { $0.contains("notification handle 16") })
    try session.send("Escape", "?")
    let help = try session.wait { $0.contains { $0.contains("hold the screen") } }
    #expect(help.contains { $0.contains("ctrl-z suspends") })
    try session.send("x", "q")
    let left = try session.wait { $0.contains("status 0") }
    #expect(left.contains { $0.hasPrefix("14 messages, 6 sent, 8 received") })
    #expect(!left.contains { $0.contains("q quit") })
  }

  @Test func `the mouse selects in a real terminal, and a crash lets go of it`() throws {
    let session = try monitor()
    let screen = try session.wait { $0.contains { $0.contains("ENDED") } }
    let row = try #require(screen.firstIndex { $0.contains("11:33:58.026") })
    // A press and a release of the first button, as xterm tells them: 32 and the place from 1.
    func press(_ button: Int, _ release: Bool = true) throws {
      let place =
        "\(Character(UnicodeScalar(UInt8(33 + 40))))\(Character(UnicodeScalar(UInt8(33 + row))))"
      try session.send("-l", "\u{1B}[M\(Character(UnicodeScalar(UInt8(32 + button))))\(place)")
      if release { try session.send("-l", "\u{1B}[M#\(place)") }
    }
    try press(0)
    _ = try session.wait { $0.contains { $0.hasPrefix("> 11:33:58.026") } }
    try press(65, false)
    _ = try session.wait { $0.contains { $0.hasPrefix("> 11:34:03.276") } }
    #expect(try session.value("mouse_any_flag") == "1")
    try session.send("q")
    _ = try session.wait { $0.contains("status 0") }
    #expect(try session.value("mouse_any_flag") == "0")
  }

  @Test func `every key of the help is driven`() throws {
    let session = try monitor()
    _ = try session.wait { $0.contains { $0.contains("ENDED") } }
    func see(_ keys: [String], _ holds: @escaping (String) -> Bool) throws {
      for key in keys { try session.send(key) }
      let screen = try session.wait { $0.contains(where: holds) }
      #expect(screen.contains(where: holds), "\(keys): \(screen.joined(separator: "\n"))")
    }
    // The first of 14, at 11:33:57.024; the last, at 11:34:13.416.
    try see(["Home"]) { $0.hasPrefix("> 11:33:57.024") }
    try see(["End"]) { $0.hasPrefix("> 11:34:13.416") }
    try see(["g"]) { $0.hasPrefix("> 11:33:57.024") }
    try see(["Down"]) { $0.hasPrefix("> 11:33:58.026") }
    try see(["Up"]) { $0.hasPrefix("> 11:33:57.024") }
    try see(["j", "j"]) { $0.hasPrefix("> 11:33:59.885") }
    try see(["k"]) { $0.hasPrefix("> 11:33:58.026") }
    try see(["G"]) { $0.hasPrefix("> 11:34:13.416") }
    for up in ["PPage", "b", "C-b"] {
      try see(["G", up]) { $0.hasPrefix("> ") && !$0.hasPrefix("> 11:34:13.416") }
    }
    for down in ["NPage", "C-f"] { try see(["b", down]) { $0.hasPrefix("> 11:34:13.416") } }
    try see(["E"]) { $0.hasPrefix("> 11:34:03.276") }
    try see(["e"]) { $0.contains("no emergency after this message") }
    try see(["n"]) { $0.contains("no warning or error after this message") }
    try see(["N"]) { $0.contains("no warning or error before this message") }
    try see(["["]) { $0.hasPrefix("> 11:33:57.024") || $0.hasPrefix("> 11:33:58.026") }
    try see(["]"]) { $0.hasPrefix("> 11:34:08.449") || $0.hasPrefix("> 11:34:07") }
    try see(["m"]) { $0.hasPrefix(">*") }
    try see(["g", "'"]) { $0.hasPrefix(">*") }
    try see(["G", "\""]) { $0.hasPrefix(">*") }
    try see(["t", "11:34:03", "Enter"]) { $0.hasPrefix("> 11:34:03.276") }
    try see(["f"]) { $0.hasPrefix("> 11:34:13.416") }
    try see(["Space"]) { $0.contains("PAUSED") }
    try see(["p"]) { $0.hasSuffix(" ENDED") }
    try see(["u"]) { $0.contains("each message is shown") }
    try see(["u"]) { $0.contains("unchanged messages are folded") }
    try see(["l"]) { $0.contains("LAST END") }
    try see(["x", "s"]) { $0.contains("nodes sorted by callsign") }
    try see(["Tab"]) { $0.contains("enter only its messages") }
    try see(["Enter"]) { $0.contains("only messages of") }
    try see(["Escape", "G", "Enter"]) { $0.contains("message, lines 1 to") }
    try see(["J"]) { $0.contains("message, lines 2 to") }
    try see(["K"]) { $0.contains("message, lines 1 to") }
    try see(["Escape", "C-l"]) { $0.contains("14 messages") }
    for help in ["?", "h", "F1"] {
      try see([help]) { $0.contains("hold the screen") }
      try see(["x"]) { $0.contains("14 messages") }
    }
    try see(["/", "BRAVO", "Enter"]) { $0.contains("shows 8") }
    try see(["W"]) { $0.contains("write the message to file: peat-message.ndjson_") }
    try see(["Escape", "w"]) { $0.contains("file: peat-messages.ndjson_") }
    try see(["Escape", "q"]) { $0.hasPrefix("14 messages, 6 sent") }
  }

  @Test func `a typed filter knows times`() throws {
    let session = try monitor("--utc")
    _ = try session.wait { $0.contains { $0.contains("ENDED") } }
    // Three of 14 messages came in the first 5 s, the last one at 11:33:59.885.
    try session.send("/", "time > 5", "Enter")
    _ = try session.wait { $0.contains { $0.contains("shows 11") } }
    try session.send("/", "C-u", "time > 11:34:05", "Enter")
    _ = try session.wait { $0.contains { $0.contains("shows 6") } }
  }

  @Test("a filter is typed, and shows only what holds the text")
  func filter() throws {
    let session = try monitor()
    _ = try session.wait { $0.contains { $0.contains("ENDED") } }
    try session.send("/", "207f0e0f", "Enter")
    let screen = try session.wait { $0.contains { $0.contains("shows 6") } }
    let shown = screen.filter { $0.dropFirst(2).hasPrefix("11:3") }
    #expect(shown.count == 6)
    #expect(shown.allSatisfy { $0.contains("ALPHA-1") })
  }

  @Test("it fits 60x15, says what is too small, and follows the terminal's size")
  func resize() throws {
    let session = try monitor(columns: 60, rows: 15)
    let small = try session.wait { $0.contains { $0.contains("ENDED") } }
    #expect(small.contains { $0.contains("207F0E2E BRAVO-2") })
    #expect(small.contains { $0.hasPrefix("> 11:34:13.416") })
    try session.resize(columns: 50, rows: 10)
    let tiny = try session.wait { $0.contains { $0.contains("60x15") } }
    #expect(tiny.contains { $0.contains("50x10") })
    try session.resize(columns: 120, rows: 30)
    let large = try session.wait { $0.contains { $0.contains("SIGNAL") } }
    #expect(large.contains { $0.contains("w write") })
  }

  @Test(
    "every usual terminal has the screen",
    arguments: ["xterm-256color", "screen", "tmux-256color", "linux", "vt100"])
  func terminals(name: String) throws {
    let session = try monitor(before: "env TERM=\(name) NO_COLOR=1")
    let screen = try session.wait { $0.contains { $0.contains("ENDED") } }
    #expect(screen.contains { $0.contains("q quit") })
    #expect(screen.contains { $0.contains("BRAVO-2") && $0.contains("acked") })
    try session.send("q")
    _ = try session.wait { $0.contains("status 0") }
  }

  @Test("a terminal that takes nothing holds up no recording")
  func stalled() throws {
    let folder = NSTemporaryDirectory() + "monitor-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // The script's pseudo-terminal is read by nobody; redraws by ctrl-l fill it.
    let script = """
      import os, pty, sys, time, fcntl, termios, struct
      pid, fd = pty.fork()
      if pid == 0:
          os.environ["TERM"] = "xterm-256color"
          os.execv(sys.argv[1], sys.argv[1:])
      fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 200, 0, 0))
      for _ in range(100):
          os.write(fd, b"\\x0c")
          time.sleep(0.02)
      end = time.time() + 10
      while os.path.getsize(sys.argv[-1]) < int(os.environ["WANTED"]) and time.time() < end:
          time.sleep(0.02)
      print(os.path.getsize(sys.argv[-1]))
      os.kill(pid, 15)
      end = time.time() + 10
      while os.waitpid(pid, os.WNOHANG)[0] == 0 and time.time() < end:
          time.sleep(0.02)
      print("ended" if time.time() < end else "hangs")
      """
    let file = folder + "/stalled.py"
    try script.write(toFile: file, atomically: true, encoding: .utf8)
    let whole = folder + "/whole.btsnoop"
    let capture = TestData.captures.appendingPathComponent("a-two-nodes.h4.btsnoop").path
    let session = try TmuxSession(
      columns: 100, rows: 30,
      """
      \(CommandRun.binary) monitor --replay \(capture) --speed max -f ndjson -w \(whole) >/dev/null; \
      WANTED=$(stat -c %s \(whole)) python3 \(file) \(CommandRun.binary) monitor --replay \(capture) \
      --speed 4 -w \(folder)/stalled.btsnoop; stat -c 'whole %s' \(whole)
      """)
    let screen = try session.wait { $0.contains { $0.hasPrefix("status") } }
    let size = screen.first { $0.hasPrefix("whole ") }.map { String($0.dropFirst(6)) }
    #expect(screen.contains { $0 == size })
    #expect(screen.contains("ended"))
  }

  @Test("TERM=dumb, or none, falls back to lines", arguments: ["TERM=dumb", "-u TERM"])
  func dumb(term: String) throws {
    let session = try monitor(before: "env \(term)")
    let screen = try session.wait { $0.contains("status 0") }
    #expect(screen.contains { $0.hasPrefix("14 messages, 6 sent, 8 received") })
    #expect(!screen.contains { $0.contains("q quit") })
  }

  @Test(
    "a crash and a signal give the terminal back as it was",
    arguments: ["SEGV", "ILL", "TRAP", "ABRT", "TERM", "INT", "HUP", "QUIT"])
  func crash(signal: String) throws {
    let file = NSTemporaryDirectory() + "peat-crash-\(UUID().uuidString)"
    defer { unlink(file) }
    let session = try TmuxSession(
      columns: 100, rows: 30,
      """
      echo before; stty -g >\(file).before; sh -c 'echo $$ >\(file); ulimit -c 0; \
      SWIFT_BACKTRACE=enable=no exec \(CommandRun.binary) monitor --replay \(sample) --speed 40'; \
      stty -g | cmp - \(file).before && echo same; rm -f \(file).before
      """)
    _ = try session.wait { $0.contains { $0.contains("ENDED") } }
    #expect(try session.value("alternate_on") == "1")
    let number = try String(contentsOfFile: file, encoding: .utf8)
    _ = system("kill -\(signal) \(number)")
    let left = try session.wait { $0.contains { $0.hasPrefix("status") } }
    #expect(left.contains("before"))
    #expect(left.contains("same"))
    #expect(!left.contains { $0.contains("q quit") })
    #expect(try session.value("alternate_on") == "0")
    #expect(try session.value("cursor_flag") == "1")
  }

  @Test("ctrl-z suspends to a usable terminal, and going on draws again")
  func suspend() throws {
    let session = try TmuxSession(columns: 100, rows: 30, "bash --norc -i")
    _ = try session.wait { $0.contains { $0.contains("$") || $0.contains("#") } }
    try session.send(
      "\(CommandRun.binary) monitor --replay \(sample) --speed 40", "Enter")
    _ = try session.wait { $0.contains { $0.contains("ENDED") } }
    try session.send("C-z")
    let stopped = try session.wait { $0.contains { $0.contains("Stopped") } }
    #expect(!stopped.contains { $0.contains("q quit") })
    try session.send("fg", "Enter")
    let again = try session.wait { $0.contains { $0.contains("q quit") } }
    #expect(again.contains { $0.contains("ENDED") })
  }

  @Test("wide, combining and hostile characters of callsigns move no column")
  func callsigns() throws {
    // The capture's names, each of seven bytes, are replaced by others of seven.
    var bytes = try Data(contentsOf: URL(fileURLWithPath: sample))
    for (name, other) in [("BRAVO-2", "日本x"), ("ALPHA-1", "\u{1B}[2Je\u{301}")] {
      while let place = bytes.range(of: Data(name.utf8)) {
        bytes.replaceSubrange(place, with: Data(other.utf8))
      }
    }
    let file = NSTemporaryDirectory() + "callsigns-\(UUID().uuidString).btsnoop"
    try bytes.write(to: URL(fileURLWithPath: file))
    defer { unlink(file) }
    let session = try TmuxSession(
      columns: 100, rows: 30, "\(CommandRun.binary) monitor --replay \(file) --speed 40")
    let screen = try session.wait { $0.contains { $0.contains("ENDED") } }
    // Name and spaces fill thirteen columns: two for each of the wide characters, none for the accent.
    #expect(screen.contains { $0.hasPrefix(" ● 207F0E2E 日本x        7 ") })
    #expect(screen.contains { $0.hasPrefix(" ● 207F0E0F \u{FFFD}[2Je\u{301}        5 ") })
    #expect(screen.last { !$0.isEmpty }?.contains("q quit") == true)
  }

  @Test("marked messages are saved as records")
  func save() throws {
    let folder = NSTemporaryDirectory() + "monitor-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let session = try monitor(before: "cd \(folder);")
    _ = try session.wait { $0.contains { $0.contains("ENDED") } }
    try session.send("m", "k", "m", "w", "Enter")
    _ = try session.wait { $0.contains { $0.contains("2 messages saved") } }
    // Another time it would replace the file: the user is asked.
    try session.send("W", "C-u", "peat-messages.ndjson", "Enter")
    _ = try session.wait { $0.contains { $0.contains("exists, replace it (y/n)?") } }
    try session.send("n")
    _ = try session.wait { $0.contains { $0.contains("not saved: peat-messages.ndjson exists") } }
    try session.send("W", "C-u", "absent/file", "Enter")
    _ = try session.wait { $0.contains { $0.contains("not saved: ") } }
    let text = try String(contentsOfFile: folder + "/peat-messages.ndjson", encoding: .utf8)
    #expect(text.split(separator: "\n").count == 2)
    #expect(text.contains("\"frame\":"))
  }
}
