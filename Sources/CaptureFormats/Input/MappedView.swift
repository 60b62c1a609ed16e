import Glibc
import Synchronization

// Where the view that is in use lies, for the SIGBUS handler: it can be told in no other way, as a
// handler has no context. One view is in use at a time; `begin` sees to that.
private let viewStart = Atomic<UInt>(0)
private let viewEnd = Atomic<UInt>(0)

/// A part of a file mapped into memory for one pass over it.
///
/// Reading costs no copy, but a file that is cut while it is mapped faults where its pages were
/// (SIGBUS). The handler then puts a page of zeros there, which reads as no record at all, and the
/// reader goes on with read(2), which tells the truth about the file's end.
enum MappedView {
  /// Bytes mapped at a time; resident memory stays within that.
  static let length = 8 << 20

  /// Lends out up to `length` bytes of a file from `offset` on; nil where they cannot be mapped.
  ///
  /// The bytes must not be kept beyond `body`.
  static func withBytes<Result>(
    of descriptor: Int32, from offset: Int, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result? {
    var status = stat()
    // fstat fills the structure that it is lent.
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    let page = sysconf(Int32(_SC_PAGESIZE))
    let start = offset / page * page
    let count = min(Int(status.st_size) - start, length)
    guard offset >= 0, count > offset - start else { return nil }
    guard
      let address = unsafe mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, off_t(start)),
      unsafe address != MAP_FAILED
    else { return nil }
    defer { unsafe munmap(address, count) }
    guard begin(UInt(bitPattern: address), count) else { return nil }
    defer { end() }
    // The mapping holds `count` bytes, of which the first ones lie before `offset`.
    let whole = unsafe UnsafeRawBufferPointer(start: address, count: count)
    return unsafe body(UnsafeRawBufferPointer(rebasing: whole[(offset - start)...]))
  }

  /// Takes the one place that the handler knows; false where another view has it.
  private static func begin(_ address: UInt, _ count: Int) -> Bool {
    let (isTaken, _) = viewStart.compareExchange(
      expected: 0, desired: address, ordering: .sequentiallyConsistent)
    guard isTaken else { return false }
    viewEnd.store(address + UInt(count), ordering: .sequentiallyConsistent)
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_sigaction = { signal, information, _ in
      unsafe coverFault(signal, information)
    }
    action.sa_flags = Int32(SA_SIGINFO)
    guard unsafe sigaction(SIGBUS, &action, nil) == 0 else {
      end()
      return false
    }
    return true
  }

  private static func end() {
    _ = signal(SIGBUS, SIG_DFL)
    viewEnd.store(0, ordering: .sequentiallyConsistent)
    viewStart.store(0, ordering: .sequentiallyConsistent)
  }
}

/// Runs in the signal handler: nothing but atomics and system calls.
private func coverFault(_ number: Int32, _ information: UnsafeMutablePointer<siginfo_t>?) {
  let start = viewStart.load(ordering: .sequentiallyConsistent)
  let end = viewEnd.load(ordering: .sequentiallyConsistent)
  let fault = unsafe information.map {
    unsafe UInt(bitPattern: $0.pointee._sifields._sigfault.si_addr)
  }
  guard let fault, fault >= start, fault < end else {
    // Not ours: end as if no handler were there.
    _ = signal(number, SIG_DFL)
    raise(number)
    return
  }
  let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
  let place = unsafe UnsafeMutableRawPointer(bitPattern: fault / page * page)
  _ = unsafe mmap(
    place, Int(page), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
}
