import PeatReports
package import SystemIO

/// A line for commands below what is printed on a terminal.
///
/// Whoever prints calls `erase` before and `draw` after it, so that the typed line stays below all.
package final class TerminalPrompt {
  /// What was typed.
  package enum Event: Sendable, Equatable {
    case line(String)
    /// No more comes.
    case end
  }

  private static let label = "peat> "

  private var entry: CommandEntry
  private var parser = KeyParser()
  private var keys: [ScreenKey] = []
  private var hasEnded = false
  private var buffer = [UInt8](repeating: 0, count: 4_096)
  private let environment: Environment
  /// The text that is on the terminal and the columns that it was laid out for.
  private var drawn: (text: String, cursor: Int, columns: Int)?
  private var isRunning = true

  /// Takes standard input and output over; nil where they are no terminal that has a cursor.
  package init?(phrases: [String], environment: Environment) {
    guard FileDescriptor.standardInput.isTerminal, FileDescriptor.standardOutput.isTerminal,
      let term = environment["TERM"], !term.isEmpty, term != "dumb", term != "unknown",
      PromptMode.begin()
    else { return nil }
    entry = CommandEntry(phrases: phrases)
    self.environment = environment
  }

  /// Where keys come from.
  package var descriptor: Int32 { FileDescriptor.standardInput.rawValue }

  /// What Tab completes.
  package func setPhrases(_ phrases: [String]) { entry.phrases = phrases }

  /// Reads the keys that are there; `next` tells what they came to.
  package func read() {
    do throws(Errno) {
      let count = try FileDescriptor.standardInput.read(into: &buffer, range: 0..<buffer.count)
      if count == 0 { hasEnded = true }
      keys += parser.take(buffer[..<count])
    } catch {
      if !error.isInterruption { hasEnded = true }
    }
  }

  /// The next thing that was typed; nil where the line is not whole yet.
  package func next() -> Event? {
    while !keys.isEmpty {
      switch entry.take(keys.removeFirst()) {
      case .edited, .ignored: break
      case .redraw:
        drawn = nil
        write("\u{1B}[H\u{1B}[2J")
      case .candidates(let words):
        erase()
        write(words.joined(separator: "  ").replacingUnsafeCharacters() + "\n")
      case .entered(let text):
        // The line stays above its answer.
        erase()
        write(TerminalPrompt.label + text.replacingUnsafeCharacters() + "\n")
        return .line(text)
      case .ended: return .end
      }
    }
    return hasEnded ? .end : nil
  }

  /// Takes the line away, so that something can be printed.
  package func erase() {
    guard let drawn else { return }
    self.drawn = nil
    // A terminal that became narrower has wrapped the line.
    let above = drawn.cursor / max(1, columns)
    write("\r" + (above > 0 ? "\u{1B}[\(above)A" : "") + "\u{1B}[J")
  }

  /// Shows the line, where it is not shown as it is.
  package func draw() {
    guard isRunning else { return }
    if PromptMode.takeSuspension() { drawn = nil }
    let columns = columns
    let label = TerminalPrompt.label.cutToCells(columns - 8)
    let (head, tail) = entry.line.window(columns: columns - label.cellCount)
    let text = label + head + tail
    let cursor = label.cellCount + head.cellCount
    if let drawn, drawn == (text, cursor, columns) { return }
    erase()
    // Back and forth again, as a move by no column moves by one.
    write("\r\u{1B}[J\(text)\r" + (cursor > 0 ? "\u{1B}[\(cursor)C" : ""))
    drawn = (text, cursor, columns)
  }

  /// Gives the terminal back.
  package func stop() {
    guard isRunning else { return }
    isRunning = false
    erase()
    PromptMode.end()
  }

  private var columns: Int {
    Terminal.columns(of: FileDescriptor.standardOutput, environment: environment)
  }

  /// Nowhere is left to complain to when the terminal is gone.
  private func write(_ text: String) {
    try? FileDescriptor.standardOutput.write(Array(text.utf8))
  }
}
