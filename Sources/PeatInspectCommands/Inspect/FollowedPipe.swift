import CaptureFormats
import PeatDissection
import SystemIO

/// A capture that comes through a pipe, a FIFO or standard input and is read as it comes
/// (`--follow`): it ends with its writer, or with the first signal.
final class FollowedPipe {
  private static let pause: Int32 = 100
  /// Pauses without a new byte after which nothing is held back for order any more.
  private static let idlePauses = 10

  private let path: String
  private let source: FileDescriptor
  private let bytes = IncomingBytes()
  private var buffer = [UInt8](repeating: 0, count: 65_536)
  private var pauses = 0
  /// Where results go: what is ready is handed over before a wait.
  var sink: OutputSink?

  /// Opens it; nil for a regular file, which is followed as a file that grows.
  ///
  /// - Throws: `CaptureError` where it cannot be opened; a signal ends the wait for a FIFO's writer.
  init?(path: String) throws(CaptureError) {
    self.path = path
    do throws(Errno) {
      if path == "-" {
        source = FileDescriptor.standardInput
      } else {
        source = try FileDescriptor.open(readOnly: path)
      }
      if try source.status().kind == .regular { return nil }
    } catch {
      throw CaptureError(
        error.isMissingFile ? .notFound : .io, path: path,
        reason: "cannot be read: \(error.reason)")
    }
  }

  /// Waits until enough came to recognise the container; false where a signal came first.
  func waitForCapture() -> Bool {
    while !bytes.canBeRecognised {
      if Interrupts.received != nil { return false }
      // A pipe that cannot be read on has ended, and what came says whether it is a capture.
      do throws(CaptureError) { try take() } catch { bytes.end() }
    }
    return true
  }

  /// The reader of what came and comes.
  func reader() throws(CaptureError) -> CaptureReader {
    var reader = try CaptureReader(following: bytes, name: path)
    reader.isGrowing = !bytes.hasEnded
    return reader
  }

  /// What to do now that everything that came is read.
  func caughtUp() -> CaptureDissector.CaughtUp {
    try? sink?.flush()
    if bytes.hasEnded { return .finished }
    if Interrupts.received != nil { return .end }
    let before = bytes.count
    // A pipe that cannot be read on has ended.
    do throws(CaptureError) { try take() } catch { bytes.end() }
    pauses = bytes.count > before || bytes.hasEnded ? 0 : pauses + 1
    return pauses >= FollowedPipe.idlePauses ? .idle : .again
  }

  /// Waits a little and takes what came.
  private func take() throws(CaptureError) {
    do throws(Errno) {
      guard try source.wait(milliseconds: FollowedPipe.pause) == .readable else { return }
      let count = try source.read(into: &buffer, range: 0..<buffer.count)
      if count == 0 { bytes.end() } else { bytes.append(buffer[..<count]) }
    } catch {
      if error.isInterruption { return }
      throw CaptureError(.io, path: path, reason: "cannot be read: \(error.reason)")
    }
  }
}
