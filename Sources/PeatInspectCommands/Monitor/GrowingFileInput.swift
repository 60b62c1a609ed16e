import CaptureFormats
import SystemIO

/// A capture file that somebody else is writing, followed through rotation as `tail -F` does.
final class GrowingFileInput: MonitorInput {
  /// How often the file is looked at.
  private static let interval: UInt64 = 20_000_000
  /// How often the path is asked whether it still names the same file.
  private static let rotationInterval: UInt64 = 500_000_000

  private let path: String
  private let isStrict: Bool
  private var file: FileDescriptor
  private var status: FileStatus
  private var capture: FollowedCapture
  private var offset: UInt64 = 0
  private var buffer = [UInt8](repeating: 0, count: 65_536)
  private var lastRotationLook: UInt64 = 0
  private var hasEnded = false
  private var earlierDamages: [CaptureError] = []
  private(set) var nextLook: UInt64?

  init(path: String, isStrict: Bool) throws(Errno) {
    self.path = path
    self.isStrict = isStrict
    let opened = try FileDescriptor.open(readOnly: path)
    status = try opened.status()
    file = opened
    capture = FollowedCapture(name: path, isStrict: isStrict)
  }

  var descriptor: Int32? { nil }
  var damages: [CaptureError] { earlierDamages + capture.damages }
  var notes: [String] { capture.notes }

  func moment(at now: UInt64) -> UInt64 { now }

  func pump(into engine: inout MonitorEngine, at now: UInt64) throws(CaptureError) -> InputState {
    nextLook = now + GrowingFileInput.interval
    if try capture.drain(into: &engine, at: now) { return .ready }
    if hasEnded {
      // What replaced it may be gone again; then the old one goes on until there is a new one.
      if (try? beginAnew()) == nil { return .waiting }
      hasEnded = false
    }
    let count: Int
    do throws(Errno) {
      count = try file.read(into: &buffer, range: 0..<buffer.count, at: offset)
    } catch {
      if error.isInterruption { return .waiting }
      throw CaptureError(.io, path: path, reason: "cannot be read: \(error.reason)")
    }
    if count > 0 {
      offset += UInt64(count)
      capture.append(buffer[..<count])
      return .ready
    }
    if now >= lastRotationLook + GrowingFileInput.rotationInterval {
      lastRotationLook = now
      if isReplaced {
        capture.end()
        hasEnded = true
        return .ready
      }
    }
    return .waiting
  }

  /// Whether the path names another file now, or the file became shorter: it begins anew then.
  private var isReplaced: Bool {
    // While a writer rotates there may be no file for a moment: looked at again later.
    guard let current = try? FileStatus(path: path) else { return false }
    return !current.isSameFile(as: status) || current.size < offset
  }

  private func beginAnew() throws(Errno) {
    let opened = try FileDescriptor.open(readOnly: path)
    status = try opened.status()
    file = opened
    earlierDamages = Array(damages.prefix(16))
    offset = 0
    capture = FollowedCapture(name: path, isStrict: isStrict)
  }
}
