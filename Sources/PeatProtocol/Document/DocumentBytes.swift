internal import WireBytes

/// The bytes of one message, read by absolute offset.
///
/// Every getter is total: past the end it gives zeros. Callers check lengths first, because the
/// rules of protocol.md 2 are stated in lengths; a missed check can then neither trap nor leak.
@safe
struct DocumentBytes: ~Escapable {
  let bytes: RawSpan
  let count: Int

  @inline(__always) @_lifetime(copy bytes)
  init(_ bytes: RawSpan) {
    self.bytes = bytes
    count = bytes.byteCount
  }

  @inline(__always)
  func u8(_ offset: Int) -> UInt8 { load(offset, UInt8.self) }
  @inline(__always)
  func le16(_ offset: Int) -> UInt16 { UInt16(littleEndian: load(offset, UInt16.self)) }
  @inline(__always)
  func le32(_ offset: Int) -> UInt32 { UInt32(littleEndian: load(offset, UInt32.self)) }
  @inline(__always)
  func le64(_ offset: Int) -> UInt64 { UInt64(littleEndian: load(offset, UInt64.self)) }
  @inline(__always)
  func float(_ offset: Int) -> Float { Float(bitPattern: le32(offset)) }
  @inline(__always)
  func node(_ offset: Int) -> NodeID { NodeID(rawValue: le32(offset)) }

  /// A copy of the bytes from `start` up to `end`, as far as they are there.
  func array(_ start: Int, _ end: Int) -> [UInt8] {
    let low = min(max(start, 0), count)
    return [UInt8](bytes.extracting(low..<max(low, min(end, count))))
  }

  @inline(__always)
  private func load<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, _: T.Type) -> T {
    guard offset >= 0, offset <= count &- MemoryLayout<T>.size else { return 0 }
    // The guard above is the bounds check that the unchecked load asks for.
    return unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: T.self)
  }
}
