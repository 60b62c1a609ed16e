import Glibc

/// This program again, as a process that is handed work on descriptor 3 and answers on its standard
/// output; its standard input and standard error are those of this one.
package final class WorkerProcess {
  /// The descriptor on which a worker gets its work.
  package static let workDescriptor: Int32 = 3
  /// What a pipe of answers holds, where the kernel allows it.
  private static let pipeSize: Int32 = 1 << 20

  /// How a worker ended.
  package enum Ending: Sendable, Equatable {
    /// By itself, with its status.
    case exited(Int32)
    /// By a signal.
    case killed(Int32)
  }

  /// The process's number.
  package let identifier: Int32
  private let work: FileDescriptor
  private let answers: FileDescriptor
  private var ending: Ending?

  /// Starts a worker with the words behind the program's name. The C function is posix_spawn(3).
  package init(_ words: [String]) throws(Errno) {
    let (workEnd, work) = try Syscalls.pipeEnds()
    defer { Syscalls.close(workEnd) }
    self.work = FileDescriptor(work)
    let (answers, answerEnd) = try Syscalls.pipeEnds()
    defer { Syscalls.close(answerEnd) }
    self.answers = FileDescriptor(answers)
    // A constant of Linux that Swift does not import: F_SETPIPE_SZ of fcntl(2).
    _ = fcntl(answers, 1031, WorkerProcess.pipeSize)
    try self.answers.setNonBlocking()
    identifier = try Spawn.start(
      "/proc/self/exe", ["peat-inspect"] + words,
      descriptors: [(workEnd, WorkerProcess.workDescriptor), (answerEnd, STDOUT_FILENO)])
  }

  /// Hands over work; it waits while the worker has too much of it.
  package func hand(_ bytes: [UInt8]) throws(Errno) { try work.write(bytes) }

  /// Reads what is there; 0 is the end, nil that nothing is there.
  package func read(into buffer: inout [UInt8]) throws(Errno) -> Int? {
    do throws(Errno) {
      return try answers.read(into: &buffer, range: 0..<buffer.count)
    } catch {
      if error.isWouldWait { return nil }
      throw error
    }
  }

  /// Ends it at once. The C function is kill(2).
  package func kill() {
    // What was waited for is no longer ours to end.
    if ending == nil { _ = Glibc.kill(identifier, SIGKILL) }
  }

  /// Waits for its end. The C function is waitpid(2).
  package func wait() -> Ending {
    if let ending { return ending }
    var status: Int32 = 0
    while unsafe waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    let found: Ending = signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal)
    ending = found
    return found
  }

  /// Which workers can be read from; none where the time is up. The C function is poll(2).
  package static func ready(
    _ workers: [WorkerProcess], milliseconds: Int32
  ) throws(Errno) -> [Bool] {
    try Syscalls.poll(workers.map { $0.answers.rawValue }, milliseconds: milliseconds)
  }
}

/// Starts processes; the C function is posix_spawn(3).
enum Spawn {
  /// Starts a program.
  ///
  /// - Parameters:
  ///   - words: its arguments, its name in front.
  ///   - descriptors: which of this process's descriptors it has, and under what number.
  ///   - silenced: descriptors that lead nowhere.
  ///   - extra: variables that its environment has besides this process's.
  static func start(
    _ program: String, _ words: [String], descriptors: [(own: Int32, its: Int32)],
    silenced: [Int32] = [], environment extra: [String] = []
  ) throws(Errno) -> Int32 {
    if words.contains(where: { $0.utf8.contains(0) }) {
      throw Errno(code: EINVAL, call: "posix_spawn", path: program)
    }
    // Structures that the C library fills and whose pointers nothing here follows.
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (own, its) in descriptors {
      unsafe posix_spawn_file_actions_adddup2(&actions, own, its)
    }
    for number in silenced {
      unsafe posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_WRONLY, 0)
    }
    // Signals that this process watches or ignores are at their defaults there.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGPIPE] { unsafe sigaddset(&signals, number) }
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

    // The copies live until the child has its own.
    let arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] = unsafe extra.map { unsafe strdup($0) }
    let own = unsafe variables.count
    var place = unsafe environ
    while let entry = unsafe place.pointee {
      unsafe variables.append(entry)
      unsafe place += 1
    }
    unsafe variables.append(nil)
    var child: pid_t = 0
    let code = unsafe posix_spawnp(&child, program, &actions, &attributes, arguments, variables)
    unsafe arguments.forEach { unsafe free($0) }
    unsafe variables.prefix(own).forEach { unsafe free($0) }
    if code != 0 { throw Errno(code: code, call: "posix_spawn", path: program) }
    return child
  }
}
