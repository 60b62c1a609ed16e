import SystemIO

/// Checksum and length of what a capture's name stands for; of `ARCHIVE!MEMBER`, the archive's.
struct CaptureFingerprint {
  var sha256: String?
  var bytes: UInt64?

  private static let chunk = 1 << 20

  /// Reads a regular file, or a file that is standard input; of anything else nothing is known.
  init(file name: String) {
    if name == "-" {
      read(.standardInput)
      return
    }
    var paths = [name]
    for mark in name.indices where name[mark] == "!" { paths.append(String(name[..<mark])) }
    for path in paths {
      // A pipe without a writer, or one that somebody else reads from, is left alone.
      guard let status = try? FileStatus(path: path) else { continue }
      guard status.kind == .regular, let file = try? FileDescriptor.open(readOnly: path) else {
        return
      }
      read(file)
      return
    }
  }

  /// What was read of a pipe, once it is read to its end.
  init(_ digest: ByteDigest) {
    bytes = digest.byteCount
    sha256 = digest.finish()
  }

  private mutating func read(_ file: borrowing FileDescriptor) {
    guard let status = try? file.status(), status.kind == .regular else { return }
    let digest = ByteDigest()
    let size = max(1, min(CaptureFingerprint.chunk, Int(clamping: status.size)))
    var buffer = [UInt8](repeating: 0, count: size)
    while true {
      guard
        let count = try? file.read(into: &buffer, range: 0..<size, at: digest.byteCount)
      else { return }
      if count == 0 { break }
      digest.add(buffer, count: count)
    }
    bytes = digest.byteCount
    sha256 = digest.finish()
  }
}
