import BluetoothHost
import BluetoothProtocols
import SystemIO

/// The way to a node's controller, which is opened anew where it goes: an adapter that was pulled out
/// may be plugged in again. Times are milliseconds.
struct ControllerLine: ~Copyable {
  /// How long it waits before the first attempt, and at most between two.
  static let shortestPause: UInt64 = 1_000
  static let longestPause: UInt64 = 30_000
  /// Time for a lost TCP connection to come about again: orders wait meanwhile.
  private static let patience: Int32 = 1_000

  private let transport: TransportName
  private var line: H4Transport?
  private var openedAt: UInt64 = 0
  private var lostAt: UInt64?
  private var pause = ControllerLine.shortestPause
  private var nextAttempt: UInt64 = 0
  /// Why it could not be opened again, told once.
  private var obstacle: String?

  /// Opens it for the first time.
  init(_ transport: TransportName) throws(TransportError) {
    self.transport = transport
    line = try H4Transport(transport)
  }

  /// What to poll; nil while the controller is gone.
  var descriptor: Int32? {
    switch line {
    case .some(let line): line.descriptor
    case .none: nil
    }
  }
  var isWaiting: Bool {
    switch line {
    case .some(let line): line.isWaiting
    case .none: false
    }
  }
  /// When to look after it at the latest.
  var deadline: UInt64? {
    switch line {
    case .some(let line): line.deadline
    case .none: nextAttempt
    }
  }

  mutating func send(_ packet: HCIPacket, now: UInt64) throws(TransportError) {
    try line?.send(packet, now: now)
  }

  mutating func flush(now: UInt64) throws(TransportError) { try line?.flush(now: now) }

  mutating func receive() throws(TransportError) -> [HCIPacket] { try line?.receive() ?? [] }

  /// Gives the controller up for now. One that goes again soon is asked ever more seldom.
  mutating func lose(now: UInt64) {
    line = nil
    if lostAt == nil {
      if now &- openedAt >= ControllerLine.longestPause { pause = ControllerLine.shortestPause }
      lostAt = now
    }
    wait(now)
  }

  private mutating func wait(_ now: UInt64) {
    nextAttempt = now &+ pause
    pause = min(pause * 2, ControllerLine.longestPause)
  }

  /// What comes of trying to open it again.
  enum Attempt: Equatable {
    case notDue
    case opened
    /// What to tell, where it was not told yet.
    case failed(String?)
  }

  /// Opens it again, where it is gone and time to.
  mutating func reopen(now: UInt64) -> Attempt {
    guard lostAt != nil, line == nil, now >= nextAttempt else { return .notDue }
    do throws(TransportError) {
      line = try H4Transport(transport, patience: ControllerLine.patience)
      openedAt = now
      return .opened
    } catch {
      wait(now)
      let advice = error.advice(for: transport)
      if error.isAbsence || obstacle == advice { return .failed(nil) }
      obstacle = advice
      return .failed(advice)
    }
  }

  /// The controller works again; gives the seconds for which it was gone, nil where it was not.
  mutating func restored(now: UInt64) -> UInt64? {
    defer { lostAt = nil }
    obstacle = nil
    return lostAt.map { (now &- $0) / 1_000 }
  }
}

extension TransportError {
  /// Whether the controller, or what leads to it, is not there: what a pulled plug looks like.
  fileprivate var isAbsence: Bool {
    guard case .system(let errno) = self else { return true }
    return errno.isGone || errno.isMissingFile || errno.isMissingDevice || errno.isRefused
      || errno.isTimeout || errno.isRadioBlocked
  }
}
