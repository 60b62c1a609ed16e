import Glibc

/// A file without a name that goes with its owner: for what is read twice and written once.
///
/// It lies in `$TMPDIR`, or in /tmp, on disk: what is put there may be larger than memory.
package final class TemporaryFile {
  private let descriptor: FileDescriptor
  private var buffer: [UInt8] = []
  /// Bytes appended so far.
  package private(set) var count: UInt64 = 0
  private var written: UInt64 = 0

  /// Makes an empty one.
  package init(environment: Environment = Environment()) throws(Errno) {
    let folder = environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    // O_TMPFILE of open(2): a macro that Swift does not import.
    let unnamed = O_RDWR | O_EXCL | 0o20_000_000 | O_DIRECTORY
    do throws(Errno) {
      descriptor = FileDescriptor(
        try Syscalls.open(folder, flags: unnamed, mode: 0o600), path: folder)
      return
    } catch  where [EOPNOTSUPP, EISDIR, EINVAL].contains(error.code) {
      // A file system without O_TMPFILE: the name goes at once.
    }
    let digits = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    let path = "\(folder)/.peat-inspect.\(digits)"
    let opened = try Syscalls.open(path, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
    Syscalls.unlink(path)
    descriptor = FileDescriptor(opened, path: path)
  }

  /// The path by which this process alone can open it once more; what was appended is in it.
  package func path() throws(Errno) -> String {
    try flush()
    return "/proc/self/fd/\(descriptor.rawValue)"
  }

  /// Appends bytes; gives the offset of the first.
  @discardableResult
  package func append(_ bytes: some Collection<UInt8>) throws(Errno) -> UInt64 {
    let start = count
    buffer.append(contentsOf: bytes)
    count += UInt64(bytes.count)
    if buffer.count >= OutputSink.capacity { try flush() }
    return start
  }

  /// Bytes appended before; fewer where the file ends.
  package func read(at offset: UInt64, count wanted: Int) throws(Errno) -> [UInt8] {
    if offset + UInt64(wanted) > written { try flush() }
    var bytes = [UInt8](repeating: 0, count: wanted)
    var got = 0
    while got < wanted {
      let more = try descriptor.read(
        into: &bytes, range: got..<wanted, at: offset + UInt64(got))
      if more == 0 { break }
      got += more
    }
    bytes.removeLast(wanted - got)
    return bytes
  }

  private func flush() throws(Errno) {
    guard !buffer.isEmpty else { return }
    try descriptor.write(buffer)
    written += UInt64(buffer.count)
    buffer.removeAll(keepingCapacity: true)
  }
}
