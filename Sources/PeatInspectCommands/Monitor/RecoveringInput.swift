import CaptureFormats
import LiveCapture
import PeatReports
import WireBytes

/// An input that is opened anew where it fails: an adapter that was pulled out may be plugged in
/// again.
final class RecoveringInput: MonitorInput {
  /// How long it waits before the first attempt, and at most between two.
  static let shortestPause: UInt64 = 1_000_000_000
  static let longestPause: UInt64 = 30_000_000_000

  /// Opens the input; what it gives counts on from so many frames.
  typealias Opening = (_ frames: Int) throws(DeviceError) -> any MonitorInput

  private let name: String
  private let open: Opening
  private var input: (any MonitorInput)?
  private var openedAt: UInt64 = 0
  private var lostAt: UInt64 = 0
  private var pause = RecoveringInput.shortestPause
  private var news: [String] = []
  /// Why it could not be opened again, where that is more than its absence.
  private var obstacle: DeviceError?
  private(set) var nextLook: UInt64?

  init(name: String, open: @escaping Opening) throws(DeviceError) {
    self.name = name
    self.open = open
    input = try open(0)
  }

  var descriptor: Int32? { input?.descriptor }
  var damages: [CaptureError] { input?.damages ?? [] }
  var notes: [String] { input?.notes ?? [] }

  func moment(at now: UInt64) -> UInt64 { now }

  func takeNews() -> [String] {
    defer { news = [] }
    return news
  }

  func pump(into engine: inout MonitorEngine, at now: UInt64) throws(CaptureError) -> InputState {
    guard let input else {
      if let nextLook, now >= nextLook { reopen(after: engine.sourceFrames, at: now) }
      return .waiting
    }
    do throws(CaptureError) {
      let state = try input.pump(into: &engine, at: now)
      nextLook = input.nextLook
      return state
    } catch {
      lose(error, at: now)
      return .waiting
    }
  }

  private func lose(_ error: CaptureError, at now: UInt64) {
    input = nil
    lostAt = now
    // One that goes again at once is asked ever more seldom.
    if now &- openedAt >= RecoveringInput.longestPause { pause = RecoveringInput.shortestPause }
    news.append("\(name): \(error.reason); it is opened again when it is back")
    nextLook = now &+ pause
    lengthenPause()
  }

  private func reopen(after frames: Int, at now: UInt64) {
    do throws(DeviceError) {
      input = try open(frames)
      openedAt = now
      obstacle = nil
      nextLook = nil
      news.append(
        "\(name): back after \((now &- lostAt) / 1_000_000_000) s, of which packets are missing")
    } catch {
      if !error.isAbsent, error != obstacle {
        obstacle = error
        news.append("cannot be opened again: \(error)")
      }
      nextLook = now &+ pause
      lengthenPause()
    }
  }

  private func lengthenPause() { pause = min(pause * 2, RecoveringInput.longestPause) }
}
