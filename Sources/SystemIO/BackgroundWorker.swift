import Glibc
import Synchronization

/// A thread that does jobs one at a time, for work that may be held up without end, such as writing
/// to a terminal that nobody reads.
///
/// It takes no signals but those of its own faults, so that handlers run on the owner's thread, and
/// lives as long as the process. The C function is pthread_create(3).
package final class BackgroundWorker<Job: Sendable>: Sendable {
  private let job = Mutex<Job?>(nil)
  private let wakeUp: (readEnd: Int32, writeEnd: Int32)
  private let done: (readEnd: Int32, writeEnd: Int32)
  private let body: @Sendable (Job) -> Void

  /// Starts the thread.
  package init(_ body: @escaping @Sendable (Job) -> Void) throws(Errno) {
    self.body = body
    wakeUp = try Syscalls.wakeUpPipe()
    done = try Syscalls.wakeUpPipe()
    var all = sigset_t()
    var before = sigset_t()
    _ = unsafe sigfillset(&all)
    // A fault whose signal is blocked ends the process without its handler.
    for fault in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT] {
      _ = unsafe sigdelset(&all, fault)
    }
    _ = unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    let loop = Loop { [self] in work() }
    var thread = pthread_t()
    // The retained reference is given to the thread, which releases it.
    let reference = unsafe Unmanaged<Loop>.passRetained(loop)
    let status = unsafe pthread_create(
      &thread, nil,
      { argument in
        if let argument = unsafe argument {
          unsafe Unmanaged<Loop>.fromOpaque(argument).takeRetainedValue().body()
        }
        return nil
      }, reference.toOpaque())
    guard status == 0 else {
      unsafe reference.release()
      throw Errno(code: status, call: "pthread_create")
    }
    pthread_detach(thread)
  }

  /// Readable once the job is done.
  package var doneDescriptor: Int32 { done.readEnd }

  /// Hands over a job; the one before must have been waited for.
  package func start(_ next: Job) {
    job.withLock { $0 = next }
    BackgroundWorker.signal(wakeUp.writeEnd)
  }

  /// Waits for the job that was handed over; whether it is done.
  package func wait(milliseconds: Int32) -> Bool {
    BackgroundWorker.take(done.readEnd, milliseconds: milliseconds)
  }

  private func work() {
    while true {
      guard BackgroundWorker.take(wakeUp.readEnd, milliseconds: -1) else { continue }
      if let next = job.withLock({ $0.take() }) { body(next) }
      BackgroundWorker.signal(done.writeEnd)
    }
  }

  private static func signal(_ descriptor: Int32) {
    var byte: UInt8 = 0
    _ = unsafe write(descriptor, &byte, 1)
  }

  private static func take(_ descriptor: Int32, milliseconds: Int32) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&waiting, 1, milliseconds) > 0 else { return false }
    var byte: UInt8 = 0
    return unsafe read(descriptor, &byte, 1) == 1
  }
}

/// What the thread runs, without the type of its jobs.
private final class Loop: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
