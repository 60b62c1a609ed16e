import Glibc

/// An open file, closed when its owner goes.
package struct FileDescriptor: ~Copyable, Sendable {
  /// The number the kernel knows it by.
  package let rawValue: Int32
  /// The path as the user gave it, for messages.
  package let path: String?
  private let closesAtEnd: Bool

  /// Takes over an open descriptor.
  ///
  /// - Parameter closesAtEnd: false for descriptors that belong to somebody else.
  package init(_ rawValue: Int32, path: String? = nil, closesAtEnd: Bool = true) {
    self.rawValue = rawValue
    self.path = path
    self.closesAtEnd = closesAtEnd
  }

  deinit {
    if closesAtEnd { Syscalls.close(rawValue) }
  }

  /// Opens a file for reading. The C function is open(2).
  ///
  /// Opening a FIFO waits for its writer; a signal that `Interrupts` watches ends the wait.
  package static func open(readOnly path: String) throws(Errno) -> FileDescriptor {
    FileDescriptor(try Syscalls.open(path, flags: O_RDONLY | O_NOCTTY), path: path)
  }

  /// Opens a FIFO or device for reading without waiting for whoever writes; reads do not wait
  /// either (`Errno.isWouldWait`). The C function is open(2).
  package static func open(withoutWaiting path: String) throws(Errno) -> FileDescriptor {
    FileDescriptor(
      try Syscalls.open(path, flags: O_RDONLY | O_NOCTTY | O_NONBLOCK), path: path)
  }

  /// Opens a file for writing and empties it, or makes it. The C function is open(2).
  package static func open(writing path: String) throws(Errno) -> FileDescriptor {
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY
    return FileDescriptor(try Syscalls.open(path, flags: flags, mode: 0o666), path: path)
  }

  /// Standard input, left open at the end.
  package static var standardInput: FileDescriptor {
    FileDescriptor(STDIN_FILENO, path: "-", closesAtEnd: false)
  }

  /// Standard output, left open at the end.
  package static var standardOutput: FileDescriptor {
    FileDescriptor(STDOUT_FILENO, closesAtEnd: false)
  }

  /// Standard error, left open at the end.
  package static var standardError: FileDescriptor {
    FileDescriptor(STDERR_FILENO, closesAtEnd: false)
  }

  /// Reads what is there, up to the length of the range; 0 is the end. The C function is read(2).
  ///
  /// From what may stay silent, `wait(milliseconds:)` first: a signal that comes just before a read
  /// begins cannot end it.
  package func read(into buffer: inout [UInt8], range: Range<Int>) throws(Errno) -> Int {
    try Syscalls.read(rawValue, into: &buffer, range: range, path: path)
  }

  /// Reads at an offset without moving the file's position; 0 is the end. The C function is
  /// pread(2).
  package func read(
    into buffer: inout [UInt8], range: Range<Int>, at offset: UInt64
  ) throws(Errno) -> Int {
    guard let offset = Int64(exactly: offset) else { return 0 }
    return try Syscalls.pread(rawValue, into: &buffer, range: range, at: offset, path: path)
  }

  /// Reads to the end or to `limit` bytes, whichever is first.
  package func readAll(limit: Int) throws(Errno) -> [UInt8] {
    var result: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: min(max(limit, 1), 65_536))
    while result.count < limit {
      let wanted = min(chunk.count, limit - result.count)
      let count = try read(into: &chunk, range: 0..<wanted)
      if count == 0 { break }
      result.append(contentsOf: chunk[0..<count])
    }
    return result
  }

  /// Writes all of the bytes. The C function is write(2).
  package func write(_ bytes: [UInt8]) throws(Errno) {
    try write(bytes, range: 0..<bytes.count)
  }

  /// Writes all of the bytes in the range. The C function is write(2).
  package func write(_ bytes: [UInt8], range: Range<Int>) throws(Errno) {
    var start = range.lowerBound
    while start < range.upperBound {
      start += try Syscalls.write(rawValue, bytes, range: start..<range.upperBound, path: path)
    }
  }

  /// Writes all of the bytes. The C function is write(2).
  package func write(_ bytes: ArraySlice<UInt8>) throws(Errno) {
    var rest = bytes
    while !rest.isEmpty {
      rest = rest.dropFirst(try Syscalls.write(rawValue, rest, path: path))
    }
  }

  /// Makes reads and writes fail where they would wait (`Errno.isWouldWait`). The C function is
  /// fcntl(2).
  package func setNonBlocking() throws(Errno) {
    try Syscalls.setNonBlocking(rawValue, path: path)
  }

  /// Writes what the kernel takes at once; gives the number of bytes. The C function is write(2).
  package func writeSome(_ bytes: ArraySlice<UInt8>) throws(Errno) -> Int {
    try Syscalls.write(rawValue, bytes, path: path)
  }

  /// Kind, size and permissions. The C function is fstat(2).
  package func status() throws(Errno) -> FileStatus {
    try Syscalls.status(rawValue, path: path)
  }

  /// Whether a terminal is behind it. The C function is isatty(3).
  package var isTerminal: Bool { Syscalls.isTerminal(rawValue) }

  /// What a wait for input ended with.
  package enum WaitResult: Sendable, Equatable {
    /// Bytes, or the end, can be read without waiting.
    case readable
    /// A signal that `Interrupts` watches came.
    case interrupted
    /// Nothing came in the time given.
    case timedOut
  }

  /// Waits for input, for a watched signal, or until the time is up. The C function is poll(2).
  ///
  /// - Parameter milliseconds: nil waits without end.
  package func wait(milliseconds: Int32?) throws(Errno) -> WaitResult {
    if Interrupts.received != nil { return .interrupted }
    let ready = try Syscalls.poll(
      rawValue, Interrupts.wakeUpDescriptor, milliseconds: milliseconds ?? -1, path: path)
    if Interrupts.received != nil { return .interrupted }
    return ready.first ? .readable : .timedOut
  }
}
