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
    identifier = try Spawn.start(
      program, words,
      descriptors: isSilent
        ? [(source, STDIN_FILENO)]
        : [(source, STDIN_FILENO), (STDERR_FILENO, STDOUT_FILENO)],
      silenced: isSilent ? [STDOUT_FILENO, STDERR_FILENO] : [], environment: extra)
  }

  /// Whether it has ended; then it is gone for good. The C function is waitpid(2).
  package func hasEnded() -> Bool {
    var status: Int32 = 0
    return unsafe waitpid(identifier, &status, WNOHANG) != 0
  }
}
