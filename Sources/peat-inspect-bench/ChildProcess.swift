import Glibc

/// One run of another program: how long it took and how much memory it had at most.
struct ChildProcess {
  var seconds: Double
  var peakKibibytes: Int
  var status: Int32

  /// Runs a program to its end with its output thrown away; nil where it cannot be started.
  static func run(_ arguments: [String]) -> ChildProcess? {
    var pointers: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) }
    unsafe pointers.append(nil)
    defer { unsafe pointers.forEach { unsafe free($0) } }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    let start = monotonic()
    var child: pid_t = 0
    guard unsafe posix_spawn(&child, arguments[0], &actions, nil, pointers, environ) == 0 else {
      return nil
    }
    var status: Int32 = 0
    var usage = rusage()
    guard unsafe wait4(child, &status, 0, &usage) == child else { return nil }
    return ChildProcess(
      seconds: monotonic() - start, peakKibibytes: usage.ru_maxrss, status: status)
  }

  private static func monotonic() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
