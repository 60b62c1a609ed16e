import CaptureFormats
import PeatDissection
import PeatTimeline
import SystemIO

/// Waits where a growing capture has no more for now (`--follow`), until a signal ends it.
final class CaptureFollower {
  private static let pause: Int32 = 100
  /// Pauses without a new byte after which nothing is held back for order any more.
  private static let idlePauses = 10

  private let path: String
  private let isStrict: Bool
  private let sink: OutputSink
  private var opened: FileStatus?
  private var lastSize: UInt64 = 0
  private var pauses = 0
  private var hasLookedOnce = false

  init(path: String, isStrict: Bool, sink: OutputSink) {
    self.path = path
    self.isStrict = isStrict
    self.sink = sink
    opened = try? FileStatus(path: path)
  }

  /// Waits until a file is there that is long enough to be recognised; false when a signal came
  /// first. What is waited for is told once.
  static func waitForFile(_ path: String, tell: (String) -> Void) -> Bool {
    if path == "-" { return true }
    var isTold = false
    while true {
      let status = try? FileStatus(path: path)
      if let status, status.kind != .regular || status.size >= 24 { return true }
      if !isTold {
        tell(status == nil ? "waiting for the file to appear" : "waiting for a capture's header")
        isTold = true
      }
      if pauseForSignal() { return false }
    }
  }

  private static func pauseForSignal() -> Bool {
    let none = FileDescriptor(-1, closesAtEnd: false)
    return (try? none.wait(milliseconds: pause)) == .interrupted
  }

  /// What to do now that everything written so far is read.
  func caughtUp(readBytes: Int) -> CaptureDissector.CaughtUp {
    // What is ready is for the reader of our output now, not when a block is full.
    try? sink.flush()
    if Interrupts.received != nil {
      // What was written before the signal came is still read.
      if hasLookedOnce { return .end }
      hasLookedOnce = true
      return .again
    }
    if let status = try? FileStatus(path: path), path != "-", let opened {
      if !status.isSameFile(as: opened) || status.size < UInt64(max(0, readBytes)) {
        if status.size >= 24 { return .rotated }
      }
      pauses = status.size == lastSize ? pauses + 1 : 0
      lastSize = status.size
    } else {
      pauses += 1
    }
    _ = CaptureFollower.pauseForSignal()
    return pauses >= CaptureFollower.idlePauses ? .idle : .again
  }

  /// Opens the file that has the name now.
  func reopen() -> CaptureReader? {
    guard let status = try? FileStatus(path: path), var reader = try? CaptureReader(path: path)
    else { return nil }
    opened = status
    lastSize = 0
    pauses = 0
    reader.stopsAtDamage = isStrict
    return reader
  }
}
