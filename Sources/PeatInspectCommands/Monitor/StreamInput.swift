import CaptureFormats
import SystemIO

/// A pipe, a FIFO or standard input that carries a capture as it is made.
final class StreamInput: MonitorInput {
  private let source: FileDescriptor
  private var capture: FollowedCapture
  private var buffer = [UInt8](repeating: 0, count: 65_536)
  private let path: String
  private var hasEnded = false

  init(_ source: consuming FileDescriptor, path: String, isStrict: Bool) {
    self.source = source
    self.path = path
    capture = FollowedCapture(name: path, isStrict: isStrict)
  }

  var descriptor: Int32? { hasEnded ? nil : source.rawValue }
  var nextLook: UInt64? { nil }
  var damages: [CaptureError] { capture.damages }
  var notes: [String] { capture.notes }

  func moment(at now: UInt64) -> UInt64 { now }

  func pump(into engine: inout MonitorEngine, at now: UInt64) throws(CaptureError) -> InputState {
    if try capture.drain(into: &engine, at: now) { return .ready }
    if hasEnded { return .ended }
    let count: Int
    do throws(Errno) {
      guard try source.wait(milliseconds: 0) == .readable else { return .waiting }
      count = try source.read(into: &buffer, range: 0..<buffer.count)
    } catch {
      if error.isInterruption || error.isWouldWait { return .waiting }
      throw CaptureError(.io, path: path, reason: "cannot be read: \(error.reason)")
    }
    if count == 0 {
      hasEnded = true
      capture.end()
    } else {
      capture.append(buffer[..<count])
    }
    return .ready
  }
}
