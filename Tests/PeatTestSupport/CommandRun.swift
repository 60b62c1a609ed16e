import Foundation

/// One run of the built `peat-inspect`: what it was given, what it answered.
package struct CommandRun: Sendable {
  /// What the tool reads on standard input.
  package enum Input: Sendable {
    /// Nothing: `/dev/null`.
    case nothing
    /// Bytes through a pipe, as in `… | peat-inspect`.
    case pipe([UInt8])
    /// A file, as in `peat-inspect < FILE`.
    case file(String)
  }

  /// A run that could not even begin.
  package struct Failure: Error, CustomStringConvertible {
    /// What could not be done.
    package let description: String
  }

  /// Standard output as bytes.
  package let output: [UInt8]
  /// Standard error as text.
  package let standardError: String
  /// The exit status; 128 + N after signal N, as a shell tells it.
  package let status: Int32

  /// Standard output as text.
  package var text: String { String(decoding: output, as: UTF8.self) }

  /// The lines of standard output, without their ends.
  package var lines: [String] {
    text.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
  }

  /// The lines of standard output, each parsed as JSON.
  package func records() throws -> [JSON] {
    try lines.map { try JSON(parsing: Data($0.utf8)) }
  }

  /// The binary beside the test bundle, or the one that `PEAT_INSPECT` names.
  package static var binary: String {
    if let path = ProcessInfo.processInfo.environment["PEAT_INSPECT"], !path.isEmpty {
      return path
    }
    let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let beside = own.deletingLastPathComponent().appendingPathComponent("peat-inspect").path
    if FileManager.default.isExecutableFile(atPath: beside) { return beside }
    return TestData.testsFolder.deletingLastPathComponent()
      .appendingPathComponent(".build/debug/peat-inspect").path
  }

  /// Runs the tool to its end.
  ///
  /// - Parameters:
  ///   - environment: variables besides a fixed few; `TZ` is UTC unless given.
  ///   - isLimited: whether it may take 64 MiB and 5 seconds at most.
  package init(
    _ arguments: [String], input: Input = .nothing, environment: [String: String] = [:],
    isLimited: Bool = false
  ) throws {
    var variables = ["PATH": "/usr/bin:/bin", "TZ": "UTC", "LC_ALL": "C.UTF-8"]
    variables.merge(environment) { $1 }
    let started = try CommandRun.lock.withLock { () throws in
      try CommandRun.start(
        (isLimited ? CommandRun.limits : []) + [CommandRun.binary] + arguments, input,
        variables.map { "\($0)=\($1)" })
    }
    if case .pipe(let bytes) = input { CommandRun.write(bytes, to: started.feed) }

    var result: Int32 = 0
    while waitpid(started.pid, &result, 0) < 0 && errno == EINTR {}
    let signal = result & 0x7F
    status = signal == 0 ? (result >> 8) & 0xFF : 128 + signal
    output = started.files.contents(started.files.output)
    standardError = String(
      decoding: started.files.contents(started.files.error), as: UTF8.self)
  }

  /// 64 MiB of memory of its own and 5 seconds of a processor; more ends the tool by a signal.
  private static let limits = [
    "/bin/sh", "-c", "ulimit -d 65536; ulimit -t 5; exec \"$0\" \"$@\"",
  ]

  /// Held from the opening of descriptors until they are closed on exec and the child has its own:
  /// else a tool started meanwhile would hold another one's input open.
  private static let lock = NSLock()

  private static func start(
    _ words: [String], _ input: Input, _ variables: [String]
  ) throws -> (pid: pid_t, files: Files, feed: Int32) {
    let files = try Files()
    var action = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&action)
    defer { posix_spawn_file_actions_destroy(&action) }
    posix_spawn_file_actions_adddup2(&action, files.output, 1)
    posix_spawn_file_actions_adddup2(&action, files.error, 2)
    var ends: [Int32] = [-1, -1]
    switch input {
    case .nothing: posix_spawn_file_actions_addopen(&action, 0, "/dev/null", O_RDONLY, 0)
    case .file(let path): posix_spawn_file_actions_addopen(&action, 0, path, O_RDONLY, 0)
    case .pipe:
      guard Foundation.pipe(&ends) == 0 else { throw Failure(description: "no pipe") }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      posix_spawn_file_actions_adddup2(&action, ends[0], 0)
    }
    let pid = try spawn(words, variables, &action)
    if ends[0] >= 0 { close(ends[0]) }
    return (pid, files, ends[1])
  }

  private static func spawn(
    _ words: [String], _ variables: [String], _ action: inout posix_spawn_file_actions_t
  ) throws -> pid_t {
    // The child starts with every signal at its default, whatever the test runner ignores.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

    var arguments = words.map { strdup($0) } + [nil]
    var environment = variables.map { strdup($0) } + [nil]
    defer { for pointer in arguments + environment { free(pointer) } }
    var pid: pid_t = 0
    let code = posix_spawn(&pid, words[0], &action, &attributes, &arguments, &environment)
    guard code == 0 else {
      throw Failure(description: "\(words[0]): \(String(cString: strerror(code)))")
    }
    return pid
  }

  /// Writes from a thread's own view of signals: a tool that has ended early is no failure here.
  private static func write(_ bytes: [UInt8], to descriptor: Int32) {
    var blocked = sigset_t()
    sigemptyset(&blocked)
    sigaddset(&blocked, SIGPIPE)
    var before = sigset_t()
    pthread_sigmask(SIG_BLOCK, &blocked, &before)
    var start = 0
    while start < bytes.count {
      let count = bytes.withUnsafeBytes {
        Foundation.write(descriptor, $0.baseAddress?.advanced(by: start), bytes.count - start)
      }
      if count < 0 {
        if errno == EINTR { continue }
        if errno == EPIPE {
          var none = timespec()
          sigtimedwait(&blocked, nil, &none)
        }
        break
      }
      start += count
    }
    close(descriptor)
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  /// Nameless files that take the output, so that no amount of it can block the tool.
  private final class Files {
    let output: Int32
    let error: Int32

    init() throws {
      output = Files.nameless()
      error = Files.nameless()
      guard output >= 0, error >= 0 else { throw Failure(description: "no temporary file") }
    }

    deinit {
      close(output)
      close(error)
    }

    private static func nameless() -> Int32 {
      var path = Array((NSTemporaryDirectory() + "peat-inspect-XXXXXX").utf8CString)
      let descriptor = mkstemp(&path)
      guard descriptor >= 0 else { return -1 }
      unlink(path)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      return descriptor
    }

    func contents(_ descriptor: Int32) -> [UInt8] {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { return [] }
      var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
      var start = 0
      while start < bytes.count {
        let room = bytes.count - start
        let count = bytes.withUnsafeMutableBytes {
          pread(descriptor, $0.baseAddress?.advanced(by: start), room, off_t(start))
        }
        if count <= 0 { break }
        start += count
      }
      return bytes
    }
  }
}
