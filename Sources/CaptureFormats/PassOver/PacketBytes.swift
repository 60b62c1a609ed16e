/// The bytes of one record or packet while a reader passes over records.
///
/// Lent for one decision and kept nowhere. A place beyond the end reads as zero, so that a decision
/// checks lengths where they matter and never faults where it did not.
@safe
struct PacketBytes {
  private let base: UnsafeRawPointer
  let count: Int

  /// `count` bytes that stay valid while this is used.
  @inline(__always)
  init(_ base: UnsafeRawPointer, count: Int) {
    unsafe self.base = unsafe base
    self.count = count
  }

  /// A part of these bytes; empty where it does not lie in them.
  @inline(__always)
  func part(_ start: Int, _ length: Int) -> PacketBytes {
    guard start >= 0, length >= 0, start <= count &- length else {
      return unsafe PacketBytes(base, count: 0)
    }
    return unsafe PacketBytes(base + start, count: length)
  }

  // Every load lies within `count` bytes, by the condition before it.

  @inline(__always)
  func u8(_ place: Int) -> Int {
    place < count ? unsafe Int(base.load(fromByteOffset: place, as: UInt8.self)) : 0
  }

  @inline(__always)
  func u16(_ place: Int) -> Int {
    place &+ 1 < count
      ? unsafe Int(base.loadUnaligned(fromByteOffset: place, as: UInt16.self)) : 0
  }

  @inline(__always)
  func u32(_ place: Int) -> UInt32 {
    place &+ 3 < count ? unsafe base.loadUnaligned(fromByteOffset: place, as: UInt32.self) : 0
  }

  @inline(__always)
  func u64(_ place: Int) -> UInt64 {
    place &+ 7 < count ? unsafe base.loadUnaligned(fromByteOffset: place, as: UInt64.self) : 0
  }

  /// Copies the first bytes to the front of a buffer, as far as both reach.
  func copy(_ length: Int, into buffer: inout [UInt8]) {
    let base = unsafe base
    let count = min(length, count)
    unsafe buffer.withUnsafeMutableBytes { room in
      // Both have at least as many bytes as are copied, and do not overlap.
      unsafe room.copyMemory(
        from: UnsafeRawBufferPointer(start: base, count: min(count, room.count)))
    }
  }
}
