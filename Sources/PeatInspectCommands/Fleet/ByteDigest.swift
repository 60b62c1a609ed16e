import PeatSecurity
import WireBytes

/// The checksum of bytes that come one after the other, whoever hands them over.
final class ByteDigest {
  private var hash = SHA256()
  /// Bytes taken in so far.
  private(set) var byteCount: UInt64 = 0

  /// Takes in the first `count` of some bytes.
  func add(_ bytes: [UInt8], count: Int) {
    hash.update(bytes, count: count)
    byteCount &+= UInt64(count)
  }

  /// The SHA-256 as 64 lower-case digits; nothing can be added behind it.
  func finish() -> String { Hexadecimal.string(hash.final()) }
}
