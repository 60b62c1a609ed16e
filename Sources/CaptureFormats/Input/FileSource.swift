import Glibc

/// A file or standard input. The descriptor is closed with the source.
///
/// Regular files are read with pread(2): a file that shrinks while it is read ends early, where a
/// mapped one would kill the process.
@safe
final class FileSource: ByteSource {
  private let descriptor: Int32
  private let path: String
  private let closes: Bool
  private let start: Int
  private var place: Int
  /// Told the bytes of what can be read only once, as they come.
  var onRead: ((ArraySlice<UInt8>) -> Void)?
  let isSeekable: Bool

  /// Opens `path`, or takes standard input for `-`.
  init(path: String) throws(CaptureError) {
    self.path = path
    closes = path != "-"
    if closes {
      // The C string lives for the call only.
      descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
      if descriptor < 0 { throw Self.error(errno, path: path) }
    } else {
      descriptor = 0
    }
    var status = stat()
    // fstat fills the structure that it is lent.
    guard unsafe fstat(descriptor, &status) == 0 else {
      let code = errno
      if closes { close(descriptor) }
      throw Self.error(code, path: path)
    }
    let type = status.st_mode & S_IFMT
    if type == S_IFDIR {
      if closes { close(descriptor) }
      throw CaptureError(.notACapture, path: path, reason: "is a directory, not a capture file")
    }
    isSeekable = type == S_IFREG
    // Standard input may have been read by someone before us.
    start = isSeekable && !closes ? max(0, Int(lseek(descriptor, 0, SEEK_CUR))) : 0
    place = start
  }

  /// Opens `FILE`, or `FILE!MEMBER` where there is no file of that whole name.
  static func open(
    _ path: String
  ) throws(CaptureError) -> (file: FileSource, member: String?) {
    do {
      return (try FileSource(path: path), nil)
    } catch {
      guard error.kind == .notFound else { throw error }
      for mark in path.indices where path[mark] == "!" {
        let member = String(path[path.index(after: mark)...])
        if !member.isEmpty, let file = try? FileSource(path: String(path[..<mark])) {
          return (file, member)
        }
      }
      throw error
    }
  }

  deinit {
    if closes { close(descriptor) }
  }

  var totalBytes: Int? {
    guard isSeekable else { return nil }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    return max(0, Int(status.st_size) - start)
  }

  var mappableFile: (descriptor: Int32, start: Int)? {
    isSeekable ? (descriptor, start) : nil
  }

  func read(into buffer: inout [UInt8], from start: Int) throws(CaptureError) -> Int {
    guard start < buffer.count else { return 0 }
    while true {
      // The kernel writes at most as many bytes as lie between `start` and the buffer's end.
      let got = unsafe buffer.withUnsafeMutableBytes { bytes in
        let free = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
        return isSeekable
          ? unsafe pread(descriptor, free.baseAddress, free.count, place)
          : unsafe Glibc.read(descriptor, free.baseAddress, free.count)
      }
      if got >= 0 {
        place += got
        if let onRead { onRead(buffer[start..<(start + got)]) }
        return got
      }
      let code = errno
      if code == EINTR { continue }
      throw Self.error(code, path: path, offset: place - self.start)
    }
  }

  func skip(_ count: Int) throws(CaptureError) -> Int {
    guard let totalBytes else { return try skipByReading(count) }
    let passed = max(0, min(count, start + totalBytes - place))
    place += passed
    return passed
  }

  func seek(to offset: Int) -> Bool {
    guard isSeekable, offset >= 0 else { return false }
    place = start + offset
    return true
  }

  func rewind() -> Bool {
    guard isSeekable else { return false }
    place = start
    return true
  }

  private static func error(_ code: Int32, path: String, offset: Int? = nil) -> CaptureError {
    // strerror returns a static or thread-local text, copied at once.
    let text = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    let kind: CaptureError.Kind =
      switch code {
      case ENOENT, ENOTDIR: .notFound
      case EACCES, EPERM: .permission
      case EMFILE, ENFILE: .tooManyFiles
      default: .io
      }
    return CaptureError(kind, path: path, offset: offset, reason: "cannot be read: \(text)")
  }
}
