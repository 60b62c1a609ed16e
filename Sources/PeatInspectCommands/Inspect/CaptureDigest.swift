import PeatSecurity
import SystemIO
import WireBytes

/// Length and SHA-256 of a capture's file, by which it is known again.
struct CaptureDigest {
  private(set) var size: UInt64?
  private(set) var digest: String?

  /// Reads the file once more; nothing is told of what cannot be read again.
  init(path: String, canReopen: Bool) {
    guard canReopen, path != "-", let status = try? FileStatus(path: path), status.kind == .regular
    else { return }
    size = status.size
    digest = try? CaptureDigest.digest(path)
  }

  private static func digest(_ path: String) throws(Errno) -> String {
    let file = try FileDescriptor.open(readOnly: path)
    var hash = SHA256()
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = try file.read(into: &buffer, range: 0..<buffer.count)
      if count == 0 { break }
      hash.update(buffer, count: count)
    }
    var text = OutputText(capacity: 2 * SHA256.size)
    text.append(hex: hash.final())
    return String(decoding: text.slice, as: UTF8.self)
  }
}
