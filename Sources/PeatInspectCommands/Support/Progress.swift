import SystemIO
import WireBytes

/// A line on stderr that says how far a long reading is.
struct Progress {
  private static let interval: UInt64 = 250_000_000
  private static let patience: UInt64 = 1_000_000_000

  private let isShown: Bool
  /// Whether even a short reading is told.
  private let isAlways: Bool
  private let start = MonotonicClock.nanoseconds()
  private var last: UInt64 = 0
  private var calls = 0
  private var hasPrinted = false
  private let sink = OutputSink.standardError()

  init(_ choice: RawOptions.ProgressChoice, hasPatience: Bool = true) {
    switch choice {
    case .never: isShown = false
    case .always: isShown = true
    case .auto: isShown = FileDescriptor.standardError.isTerminal
    }
    isAlways = choice == .always
    last = choice == .always ? 0 : start + Progress.patience
  }

  /// Says where the reading is, if it is time to.
  mutating func update(done: Int, total: Int?, messages: Int) {
    guard isShown else { return }
    calls += 1
    guard calls % 64 == 1 else { return }
    let now = MonotonicClock.nanoseconds()
    guard now >= last + (hasPrinted ? Progress.interval : 0) else { return }
    print(done: done, total: total, messages: messages, at: now)
  }

  private mutating func print(done: Int, total: Int?, messages: Int, at now: UInt64) {
    last = now
    hasPrinted = true
    let seconds = max(1, Double(now - start) / 1e9)
    let rate = Double(done) / seconds
    var line = "\(done / 1_000_000) MB"
    if let total, total > 0 { line += " of \(total / 1_000_000) MB" }
    line += ", \(messages) messages, \(Int(rate / 1e6)) MB/s"
    if let total, rate > 0, total > done {
      line += ", \(Int(Double(total - done) / rate)) s left"
    }
    try? sink.append("\r\u{1B}[K\(line)")
    try? sink.flush()
  }

  /// Takes the line away, which was there once where it was asked for in any case.
  mutating func finish(done: Int, total: Int?, messages: Int) {
    if isAlways && !hasPrinted {
      print(done: done, total: total, messages: messages, at: MonotonicClock.nanoseconds())
    }
    guard hasPrinted else { return }
    try? sink.append("\r\u{1B}[K")
    try? sink.flush()
  }
}
