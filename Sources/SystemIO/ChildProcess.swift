import Glibc

/// A program started with bytes on its standard input, which run beside this one.
package struct ChildProcess: Sendable {
  /// The process's number.
  package let identifier: Int32

  /// Starts a program found by PATH; no shell is involved. The C function is posix_spawnp(3).
  ///
  /// Its standard output goes where this process's standard error goes, so that it cannot mix with
  /// results, or nowhere.
  package init(
    _ words: [String], input: [UInt8], environment extra: [String], isSilent: Bool
  ) throws(Errno) {
    guard let program = words.first, !words.contains(where: { $0.utf8.contains(0) }) else {
      throw Errno(code: EINVAL, call: "posix_spawn", path: words.first)
    }
    let source = try Syscalls.memoryFile(input)
    defer { Syscalls.close(source) }
    // Structures that the C library fills and whose pointers nothing here follows.
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, source, STDIN_FILENO)
    if isSilent {
      unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
      unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    } else {
      unsafe posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
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
    identifier = child
  }

  /// Whether it has ended; then it is gone for good. The C function is waitpid(2).
  package func hasEnded() -> Bool {
    var status: Int32 = 0
    return unsafe waitpid(identifier, &status, WNOHANG) != 0
  }
}
