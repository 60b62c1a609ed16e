internal import CSodium
internal import WireBytes

/// Secret bytes that are wiped when the last owner lets go and that never show in any text.
///
/// They lie on locked pages of their own that core dumps leave out, where the system allows it.
/// Equality takes the same time wherever the first difference is.
package struct SecretBytes: Sendable {
  private let storage: Storage

  /// Copies `bytes`; wiping the source is the caller's part.
  package init(_ bytes: [UInt8]) {
    storage = Storage(count: bytes.count)
    // Every byte of an array of bytes is initialised.
    unsafe storage.fill(from: bytes.span.bytes)
  }

  /// Copies the first `count` bytes, zeros behind the end of a shorter array.
  init(prefix count: Int, of bytes: [UInt8]) {
    storage = Storage(count: count)
    // Every byte of an array of bytes is initialised.
    unsafe storage.fill(from: bytes.span.bytes)
  }

  /// Makes `count` bytes that `body` writes.
  init(count: Int, filledBy body: (UnsafeMutablePointer<UInt8>) -> Void) {
    storage = Storage(count: count)
    unsafe body(storage.pointer)
  }

  /// Number of bytes.
  package var count: Int { storage.count }

  /// Lends the bytes to `body` as a view.
  package func withSpan<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(storage.span)
  }

  /// Lends the address of the bytes to `body`, which must not keep it.
  func withPointer<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
    // The storage outlives the call because `self` holds it.
    unsafe body(UnsafePointer(storage.pointer))
  }

  /// Copies the bytes out of the guarded memory, for an encoding that must contain them.
  package func copy() -> [UInt8] { withSpan { [UInt8]($0) } }
}

extension SecretBytes: Equatable {
  /// Compares in time that depends on the lengths only.
  package static func == (left: SecretBytes, right: SecretBytes) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe left.withPointer { leftBytes in
      // Both sides hold `left.count` bytes.
      unsafe right.withPointer { unsafe sodium_memcmp(leftBytes, $0, left.count) == 0 }
    }
  }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The length alone.
  package var description: String { "<secret, \(count) bytes>" }
  /// The length alone.
  package var debugDescription: String { description }
  /// Shows no children, so that `dump` cannot reveal the bytes.
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The memory of a ``SecretBytes``: written once while it is made, then only read.
@safe
private final class Storage: Sendable {
  // Written only before the owner is shared; freed only when no owner is left.
  nonisolated(unsafe) let pointer: UnsafeMutablePointer<UInt8>
  let count: Int
  private let isGuarded: Bool

  init(count: Int) {
    _ = Sodium.isReady
    self.count = count
    if let guarded = unsafe sodium_malloc(max(count, 1)) {
      unsafe pointer = guarded.assumingMemoryBound(to: UInt8.self)
      isGuarded = true
    } else {
      // The limit on mappings is reached: plain memory, still wiped.
      unsafe pointer = .allocate(capacity: max(count, 1))
      isGuarded = false
    }
    unsafe pointer.initialize(repeating: 0, count: max(count, 1))
  }

  deinit {
    if isGuarded {
      unsafe sodium_free(pointer)
    } else {
      unsafe sodium_memzero(pointer, count)
      unsafe pointer.deallocate()
    }
  }

  var span: RawSpan {
    @_lifetime(borrow self)
    borrowing get {
      // The pointer owns `count` initialised bytes for as long as `self` lives.
      let raw = unsafe UnsafeRawBufferPointer(start: pointer, count: count)
      return unsafe _overrideLifetime(raw.bytes, borrowing: self)
    }
  }

  func fill(from source: RawSpan) {
    for index in 0..<min(count, source.byteCount) {
      // The index is below both lengths.
      unsafe pointer[index] = source.unsafeLoadUnaligned(
        fromUncheckedByteOffset: index, as: UInt8.self)
    }
  }
}
