import Foundation

/// A terminal that a test looks at and types into: tmux, with a server of its own.
package final class TmuxSession {
  private let socket = "peat-\(UUID().uuidString.prefix(8))"

  /// Whether tmux is there to be used.
  package static let isAvailable = ["/usr/bin/tmux", "/usr/local/bin/tmux"].contains {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// Runs a shell command in a terminal of that size.
  package init(columns: Int, rows: Int, _ command: String) throws {
    // The shell behind the command keeps the terminal open, so that what is left can be seen.
    _ = try run([
      "-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)",
      "\(command); echo status $?; exec sleep 60",
    ])
  }

  deinit { _ = try? run(["kill-server"]) }

  /// Types keys, as tmux names them.
  package func send(_ keys: String...) throws { _ = try run(["send-keys"] + keys) }

  /// Changes the size of the terminal.
  package func resize(columns: Int, rows: Int) throws {
    _ = try run(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
  }

  /// The lines that are on the screen.
  package func screen() throws -> [String] {
    try run(["capture-pane", "-p"]).split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
  }

  /// What tmux knows of the terminal, by its name in formats, such as `alternate_on`.
  package func value(_ name: String) throws -> String {
    try run(["display-message", "-p", "#{\(name)}"]).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Looks at the screen until it is as wanted, ten seconds at most; gives what was seen last.
  package func wait(until isWanted: ([String]) -> Bool) throws -> [String] {
    var seen: [String] = []
    var settled = 0
    for _ in 0..<500 {
      let before = seen
      seen = try screen()
      // A screen comes in pieces: what is wanted may be there before the rest is. One that always
      // moves is taken as it is after a while.
      settled += isWanted(seen) ? 1 : 0
      if isWanted(seen), seen == before || settled > 20 { return seen }
      usleep(20_000)
    }
    return seen
  }

  @discardableResult
  private func run(_ arguments: [String]) throws -> String {
    // A file, as the server that the first command leaves behind would hold a pipe open.
    let file = NSTemporaryDirectory() + "tmux-\(UUID().uuidString)"
    defer { unlink(file) }
    let quoted = arguments.map { "'" + $0.replacingOccurrences(of: "'", with: "'\\''") + "'" }
    _ = system(
      "env -u TMUX TZ=UTC LC_ALL=C.UTF-8 TERM=xterm-256color tmux -L \(socket) "
        + "\(quoted.joined(separator: " ")) >\(file) 2>/dev/null </dev/null")
    let data = try Data(contentsOf: URL(fileURLWithPath: file))
    return String(decoding: data, as: UTF8.self)
  }
}
