import Glibc

/// Work done on a second thread while the caller goes on with its own.
package enum SecondThread {
  /// Runs `other` on a thread of its own while `own` runs on this one; both are done at the return.
  ///
  /// The corresponding C functions are pthread_create(3) and pthread_join(3). Where no thread can be
  /// had, both run here, one after the other.
  package static func run<Own, Other: Sendable>(
    _ own: () -> Own, beside other: @escaping @Sendable () -> Other
  ) -> (Own, Other) {
    let work = Work(other)
    var thread = pthread_t()
    // The retained reference is given to the thread, which releases it.
    let reference = unsafe Unmanaged<AnyWork>.passRetained(work)
    let status = unsafe pthread_create(
      &thread, nil,
      { argument in
        if let argument = unsafe argument {
          unsafe Unmanaged<AnyWork>.fromOpaque(argument).takeRetainedValue().run()
        }
        return nil
      }, reference.toOpaque())
    guard status == 0 else {
      unsafe reference.release()
      return (own(), other())
    }
    let result = own()
    _ = pthread_join(thread, nil)
    return (result, work.result ?? other())
  }
}

/// What a thread runs, without the type of its result.
private class AnyWork {
  func run() {}
}

/// A piece of work and its result, which is written by the thread and read only after its end.
private final class Work<Result: Sendable>: AnyWork {
  private let body: @Sendable () -> Result
  private(set) var result: Result?

  init(_ body: @escaping @Sendable () -> Result) { self.body = body }

  override func run() { result = body() }
}
