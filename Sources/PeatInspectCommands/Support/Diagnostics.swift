import CaptureFormats
import CommandLineOptions
import PeatDissection
import PeatReplay
import PeatReports
import SystemIO
import WireBytes

/// What the tool says on stderr, and what it means for the exit status.
struct Diagnostics {
  /// Warnings of one code that are printed before they are only counted (cli.md, Warnings).
  private static let limit = 20

  private let sink = OutputSink.standardError()
  private let isQuiet: Bool
  private let style: TextStyle
  private var counts: [String: Int] = [:]
  private var order: [String] = []
  private var unopened = 0
  private(set) var status = ExitStatus.done
  /// The gravest fault of each capture, and of equal ones the first.
  private(set) var faults: [CaptureFault] = []

  init(isQuiet: Bool, style: TextStyle) {
    self.isQuiet = isQuiet
    self.style = style
  }

  mutating func raise(to status: ExitStatus) { self.status = max(self.status, status) }

  /// Says something that is no warning.
  func say(_ text: String) {
    write("peat-inspect: \(text)")
  }

  /// Says what is no warning, unless the user wants quiet.
  func inform(_ text: String) {
    if !isQuiet { write("peat-inspect: \(text)") }
  }

  /// Says what somebody who types commands asked for.
  func answer(_ text: String) { write(text) }

  /// A fault of one of many inputs; of one code, only the first few are printed.
  mutating func report(_ text: String, code: String) {
    _ = admits(code)
    if (counts[code] ?? 0) <= Diagnostics.limit { write("peat-inspect: \(text)") }
  }

  /// A fault of an input, with its status.
  mutating func report(_ error: CaptureError) {
    raise(to: error.kind == .damaged ? .damaged : .unreadable)
    note(
      CaptureFault(
        file: error.path, outcome: error.kind == .damaged ? .damaged : .unreadable,
        offset: error.offset, reason: error.reason))
    guard error.kind == .tooManyFiles else {
      return write("peat-inspect: \(error)")
    }
    unopened += 1
    if unopened == 1 {
      write("peat-inspect: \(error); raise the limit (ulimit -n) or give fewer captures at once")
    }
  }

  /// Values that a capture cut: they were needed (cli.md, "Exit status").
  mutating func report(_ cut: CutValues, file: String) {
    raise(to: .damaged)
    let values = cut.count == 1 ? "a value was" : "\(cut.count) values were"
    note(
      CaptureFault(
        file: file, outcome: .damaged, offset: cut.offset, reason: "\(values) cut by the capture"))
    write(
      "peat-inspect: \(file): offset \(cut.offset): \(values) cut by the capture, the first in frame "
        + "\(cut.frame) with \(cut.captured) of \(cut.length) bytes; record whole packets")
  }

  /// Something else that a capture lacks, with the frame that first shows it.
  mutating func report(_ text: String, frame: Int?, file: String) {
    raise(to: .damaged)
    note(CaptureFault(file: file, outcome: .damaged, offset: nil, reason: text))
    write("peat-inspect: \(file): \(frame.map { "frame \($0): " } ?? "")\(text)")
  }

  /// A warning on one packet of a file.
  mutating func warn(_ notice: Notice, file: String, start: Timestamp?) {
    guard admits(notice.code.rawValue) else { return }
    let place = "frame \(notice.frame)" + (notice.time.map { ", \(shown($0, start))" } ?? "")
    write(
      "peat-inspect: warning: \(file): \(place): \(notice.text) [\(notice.code.rawValue)]")
  }

  /// What a monitor file tells besides packets.
  func say(_ note: MonitorNote, file: String, start: Timestamp?) {
    let place = "frame \(note.frame)" + (note.time.map { ", \(shown($0, start))" } ?? "")
    let adapter = note.adapter.map { "hci\($0): " } ?? ""
    write("peat-inspect: \(file): \(place): \(adapter)\(note.text)")
  }

  /// A warning on no file in particular.
  func warn(_ text: String) {
    guard !isQuiet else { return }
    write("peat-inspect: warning: \(text)")
  }

  /// A warning on a whole file.
  mutating func warn(_ text: String, file: String) {
    guard !isQuiet else { return }
    write("peat-inspect: warning: \(file): \(text)")
  }

  /// Says what a time on the command line means where a recorder's clock was put.
  mutating func warn(ofSteps clocks: [ClockSteps], _ files: [String], _ raw: RawOptions) {
    guard raw.from != nil || raw.to != nil || raw.at != nil else { return }
    for (steps, file) in zip(clocks, files) {
      guard let first = steps.all.first else { continue }
      let more = steps.all.count > 1 ? " and \(steps.all.count - 1) times more" : ""
      warn(
        "frame \(first.frame): \(first.text)\(more); times that were asked for are those that "
          + "were recorded: messages are chosen on both sides by them, and a state is the one "
          + "before the clock first showed a later time", file: file)
    }
  }

  /// Says that there were more nodes than are kept.
  func warn(ofLimits state: MeshState) {
    guard state.isFull else { return }
    warn("more than \(MeshState.maximumNodes) nodes: the first are kept, the others left out")
  }

  /// Says how many more warnings there were of each code.
  func finish() {
    if unopened > 1 {
      write("peat-inspect: \(counted(unopened - 1, "more capture")) not read: too many open files")
    }
    guard !isQuiet else { return }
    for code in order {
      let count = counts[code] ?? 0
      if count > Diagnostics.limit {
        write("peat-inspect: warning: \(count - Diagnostics.limit) more [\(code)]")
      }
    }
  }

  private mutating func note(_ fault: CaptureFault) {
    guard let place = faults.firstIndex(where: { $0.file == fault.file }) else {
      return faults.append(fault)
    }
    if faults[place].outcome == .damaged, fault.outcome == .unreadable { faults[place] = fault }
  }

  private mutating func admits(_ code: String) -> Bool {
    if counts[code] == nil { order.append(code) }
    counts[code, default: 0] += 1
    return !isQuiet && (counts[code] ?? 0) <= Diagnostics.limit
  }

  /// A warning's time in the notation of the text output.
  private func shown(_ time: Timestamp, _ start: Timestamp?) -> String {
    var text = OutputText(capacity: 40)
    if style.clock == .relative, let start {
      text.append(seconds: time.nanoseconds(since: start), decimals: 6)
    } else {
      text.append(instant: time, style: style)
    }
    return String(decoding: text.slice, as: UTF8.self)
  }

  /// Nowhere is left to complain to when stderr itself fails.
  private func write(_ line: String) {
    try? sink.append(line.replacingUnsafeCharacters() + "\n")
  }
}

/// What is wrong with a capture, for its closing record.
struct CaptureFault {
  var file: String
  var outcome: CaptureRecord.Outcome
  var offset: Int?
  var reason: String
}
