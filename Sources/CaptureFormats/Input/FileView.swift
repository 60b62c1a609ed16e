import Glibc
import Synchronization

// Where the view that is in use lies, for the SIGBUS handler: it can be told in no other way, as a
// handler has no context. One view is in use at a time; `begin` sees to that.
private let viewStart = Atomic<UInt>(0)
private let viewEnd = Atomic<UInt>(0)
private let viewFault = Atomic<Bool>(false)

/// A part of a file mapped into memory, which moves along the file.
///
/// Reading costs no copy, but a file that is cut while it is mapped faults where its pages were
/// (SIGBUS). The handler then puts a page of zeros there, which reads as no record at all, and the
/// reader goes on with read(2), which tells the truth about the file's end.
@safe
final class FileView {
  /// Bytes mapped at a time; resident memory stays within that.
  private static let length = 8 << 20

  private var isInUse = false
  private let descriptor: Int32
  /// Where the capture begins in the file.
  private let start: Int
  private var address: UnsafeMutableRawPointer?
  private var count = 0
  /// Offset in the capture of the first byte mapped.
  private var first = 0
  /// Offset in the capture behind the last byte mapped.
  var end: Int { first + count }
  /// Whether the file ends where the view does.
  private(set) var reachesEnd = false

  /// A view of a file from an offset of the capture on; nil where it cannot be mapped, or another
  /// one is in use.
  init?(of descriptor: Int32, start: Int, from offset: Int) {
    self.descriptor = descriptor
    self.start = start
    guard FileView.begin() else { return nil }
    isInUse = true
    if !move(to: offset) { return nil }
  }

  deinit {
    // A view that found another one in use has nothing to give back.
    guard isInUse else { return }
    unmap()
    FileView.end()
  }

  /// Whether the file was cut under the view.
  var isFaulty: Bool { viewFault.load(ordering: .relaxed) }

  /// Maps the file from an offset of the capture on; false where that cannot be.
  func move(to offset: Int) -> Bool {
    unmap()
    var status = stat()
    // fstat fills the structure that it is lent.
    guard unsafe fstat(descriptor, &status) == 0 else { return false }
    let page = sysconf(Int32(_SC_PAGESIZE))
    let place = (start + offset) / page * page
    let left = Int(status.st_size) - place
    let count = min(left, FileView.length)
    guard offset >= 0, count > start + offset - place else { return false }
    guard
      let address = unsafe mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, off_t(place)),
      unsafe address != MAP_FAILED
    else { return false }
    _ = unsafe madvise(address, count, MADV_SEQUENTIAL)
    unsafe self.address = unsafe address
    self.count = count
    first = place - start
    reachesEnd = count == left
    viewEnd.store(UInt(bitPattern: address) + UInt(count), ordering: .sequentiallyConsistent)
    viewStart.store(UInt(bitPattern: address), ordering: .sequentiallyConsistent)
    return true
  }

  private func unmap() {
    guard let address = unsafe address else { return }
    viewStart.store(FileView.none, ordering: .sequentiallyConsistent)
    viewEnd.store(0, ordering: .sequentiallyConsistent)
    unsafe munmap(address, count)
    unsafe self.address = nil
    count = 0
  }

  /// The bytes from an offset of the capture to the view's end, which stay valid until it moves.
  func bytes(from offset: Int) -> PacketBytes? {
    guard let address = unsafe address, offset >= first, offset <= end else { return nil }
    return unsafe PacketBytes(address + (offset - first), count: end - offset)
  }

  /// An address at which nothing is mapped: the place is taken, and nothing is in view.
  private static let none = UInt.max

  /// Takes the one place that the handler knows; false where another view has it.
  private static func begin() -> Bool {
    let (isTaken, _) = viewStart.compareExchange(
      expected: 0, desired: none, ordering: .sequentiallyConsistent)
    guard isTaken else { return false }
    viewFault.store(false, ordering: .sequentiallyConsistent)
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
  viewFault.store(true, ordering: .sequentiallyConsistent)
  let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
  let place = unsafe UnsafeMutableRawPointer(bitPattern: fault / page * page)
  _ = unsafe mmap(
    place, Int(page), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
}
