import Glibc

/// The one place where the C library's calls on files are made.
///
/// Every call is tried again when a signal broke into it (EINTR), unless that signal is one which
/// `Interrupts` watches: then the caller must hear of it, or a read from a silent pipe would never
/// end.
enum Syscalls {
  /// Runs `body` until it gives no negative answer or an error other than EINTR.
  static func retrying(
    _ call: String, path: String?, _ body: () -> Int
  ) throws(Errno) -> Int {
    while true {
      let result = body()
      if result >= 0 { return result }
      let code = errno
      if code == EINTR && Interrupts.received == nil { continue }
      throw Errno(code: code, call: call, path: path)
    }
  }

  static func open(
    _ path: String, flags: Int32, mode: mode_t = 0, shownAs shown: String? = nil
  ) throws(Errno) -> Int32 {
    if path.utf8.contains(0) { throw Errno(code: EINVAL, call: "open", path: path) }
    let result = try retrying("open", path: shown ?? path) {
      unsafe Int(Glibc.open(path, flags | O_CLOEXEC, mode))
    }
    return Int32(truncatingIfNeeded: result)
  }

  /// Never retried: Linux has released the descriptor even where close(2) says EINTR.
  @discardableResult
  static func close(_ descriptor: Int32) -> Int32 {
    Glibc.close(descriptor) == 0 ? 0 : errno
  }

  static func read(
    _ descriptor: Int32, into buffer: inout [UInt8], range: Range<Int>, path: String?
  ) throws(Errno) -> Int {
    precondition(range.lowerBound >= 0 && range.upperBound <= buffer.count, "range beyond buffer")
    return try retrying("read", path: path) {
      unsafe buffer.withUnsafeMutableBytes { bytes in
        // In bounds: checked above.
        let target = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[range])
        return unsafe Glibc.read(descriptor, target.baseAddress, target.count)
      }
    }
  }

  static func pread(
    _ descriptor: Int32, into buffer: inout [UInt8], range: Range<Int>, at offset: Int64,
    path: String?
  ) throws(Errno) -> Int {
    precondition(range.lowerBound >= 0 && range.upperBound <= buffer.count, "range beyond buffer")
    return try retrying("pread", path: path) {
      unsafe buffer.withUnsafeMutableBytes { bytes in
        // In bounds: checked above.
        let target = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[range])
        return unsafe Glibc.pread(descriptor, target.baseAddress, target.count, off_t(offset))
      }
    }
  }

  static func write(
    _ descriptor: Int32, _ buffer: [UInt8], range: Range<Int>, path: String?
  ) throws(Errno) -> Int {
    precondition(range.lowerBound >= 0 && range.upperBound <= buffer.count, "range beyond buffer")
    return try retrying("write", path: path) {
      unsafe buffer.withUnsafeBytes { bytes in
        // In bounds: checked above.
        let source = unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
        return unsafe Glibc.write(descriptor, source.baseAddress, source.count)
      }
    }
  }

  static func write(
    _ descriptor: Int32, _ bytes: ArraySlice<UInt8>, path: String?
  ) throws(Errno) -> Int {
    try retrying("write", path: path) {
      unsafe bytes.withUnsafeBytes { source in
        unsafe Glibc.write(descriptor, source.baseAddress, source.count)
      }
    }
  }

  static func status(_ descriptor: Int32, path: String?) throws(Errno) -> FileStatus {
    var status = stat()
    _ = try retrying("fstat", path: path) { unsafe Int(fstat(descriptor, &status)) }
    return FileStatus(status)
  }

  static func status(path: String) throws(Errno) -> FileStatus {
    if path.utf8.contains(0) { throw Errno(code: EINVAL, call: "stat", path: path) }
    var status = stat()
    _ = try retrying("stat", path: path) { unsafe Int(stat(path, &status)) }
    return FileStatus(status)
  }

  /// The path with every symbolic link followed, or nil where it does not exist.
  static func resolved(_ path: String) -> String? {
    guard let pointer = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(pointer) }
    return unsafe String(cString: pointer)
  }

  /// What a symbolic link that leads nowhere yet names, through further ones; the path itself where
  /// it is none. The C function is readlink(2).
  static func linkTarget(_ path: String) -> String {
    var path = path
    // As many as the kernel follows (path_resolution(7)).
    for _ in 0..<40 {
      var buffer = [UInt8](repeating: 0, count: 4096)
      // The kernel writes at most as many bytes as the buffer has.
      let count = unsafe buffer.withUnsafeMutableBytes { bytes in
        unsafe bytes.withMemoryRebound(to: CChar.self) { names in
          unsafe names.baseAddress.map { unsafe readlink(path, $0, names.count) } ?? -1
        }
      }
      guard count > 0, count < buffer.count else { return path }
      let target = String(decoding: buffer[..<count], as: UTF8.self)
      if target.hasPrefix("/") {
        path = target
      } else if let slash = path.lastIndex(of: "/") {
        path = String(path[...slash]) + target
      } else {
        path = target
      }
    }
    return path
  }

  static func synchronise(_ descriptor: Int32, path: String?) throws(Errno) {
    _ = try retrying("fsync", path: path) { Int(fsync(descriptor)) }
  }

  static func setMode(_ descriptor: Int32, _ mode: UInt32, path: String?) throws(Errno) {
    _ = try retrying("fchmod", path: path) { Int(fchmod(descriptor, mode)) }
  }

  static func rename(_ source: String, to target: String, shownAs shown: String) throws(Errno) {
    _ = try retrying("rename", path: shown) { unsafe Int(Glibc.rename(source, target)) }
  }

  /// Gives the unnamed file behind `descriptor` (O_TMPFILE) a name; see open(2).
  static func link(_ descriptor: Int32, to target: String, shownAs shown: String) throws(Errno) {
    _ = try retrying("linkat", path: shown) {
      unsafe Int(
        linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, target, AT_SYMLINK_FOLLOW))
    }
  }

  /// Removes a file.
  static func remove(_ path: String) throws(Errno) {
    _ = try retrying("unlink", path: path) { unsafe Int(Glibc.unlink(path)) }
  }

  /// A nameless file that holds `bytes` and is read from its start; in memory where it can be.
  static func memoryFile(_ bytes: [UInt8]) throws(Errno) -> Int32 {
    // O_TMPFILE of open(2): a macro that Swift does not import.
    let flags = O_RDWR | O_EXCL | 0o20_000_000 | O_DIRECTORY
    let file: Int32
    do throws(Errno) {
      file = try open("/dev/shm", flags: flags, mode: 0o600)
    } catch {
      file = try open("/tmp", flags: flags, mode: 0o600)
    }
    var start = 0
    while start < bytes.count {
      start += try write(file, bytes, range: start..<bytes.count, path: nil)
    }
    lseek(file, 0, SEEK_SET)
    return file
  }

  /// Removes a file, best effort: it is used where an error is already on its way.
  static func unlink(_ path: String) { _ = unsafe Glibc.unlink(path) }

  /// The columns of the terminal behind a descriptor, or nil where there is none.
  static func terminalColumns(_ descriptor: Int32) -> Int? {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return nil
    }
    return Int(size.ws_col)
  }

  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// A pipe that a signal handler can write to: neither end waits, neither is inherited.
  static func wakeUpPipe() throws(Errno) -> (readEnd: Int32, writeEnd: Int32) {
    var ends: [Int32] = [-1, -1]
    if unsafe pipe(&ends) != 0 { throw Errno(code: errno, call: "pipe") }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    return (ends[0], ends[1])
  }

  /// A pipe whose ends no process inherits by itself.
  static func pipeEnds() throws(Errno) -> (readEnd: Int32, writeEnd: Int32) {
    var ends: [Int32] = [-1, -1]
    if unsafe pipe(&ends) != 0 { throw Errno(code: errno, call: "pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Waits until one of two descriptors can be read; a negative one is passed over, as is a
  /// negative timeout (in milliseconds).
  static func poll(
    _ descriptor: Int32, _ other: Int32, milliseconds: Int32, path: String?
  ) throws(Errno) -> (first: Bool, second: Bool) {
    let ready = try poll([descriptor, other], milliseconds: milliseconds, path: path)
    return (ready[0], ready[1])
  }

  /// The same for any number of descriptors, one of which is waited for also to be written to; none
  /// is ready where a signal ended the wait.
  static func poll(
    _ descriptors: [Int32], writing: Int32? = nil, milliseconds: Int32, path: String? = nil
  ) throws(Errno) -> [Bool] {
    var entries = descriptors.map {
      pollfd(fd: $0, events: Int16($0 == writing ? POLLIN | POLLOUT : POLLIN), revents: 0)
    }
    let result = unsafe entries.withUnsafeMutableBufferPointer { buffer in
      unsafe Glibc.poll(buffer.baseAddress, nfds_t(buffer.count), milliseconds)
    }
    let code = errno
    if result < 0 && code != EINTR { throw Errno(code: code, call: "poll", path: path) }
    return entries.map { result > 0 && $0.revents != 0 }
  }
}
