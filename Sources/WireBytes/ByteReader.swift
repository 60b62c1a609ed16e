/// A bounds-checked cursor over borrowed bytes that remembers their place in the file.
///
/// Reading moves the cursor; a failed read leaves it where it was. Offsets in errors are
/// `base` plus the position, so a reader made for a slice of a file reports file offsets.
@safe
public struct ByteReader: ~Escapable {
  @usableFromInline let _bytes: RawSpan
  @usableFromInline var _position: Int
  @usableFromInline var _end: Int
  @usableFromInline let _base: Int

  /// The layer that faults are attributed to.
  public var layer: Layer

  /// Makes a reader over `bytes`, whose first byte lies at offset `base`.
  @inlinable @inline(__always) @_lifetime(copy bytes)
  public init(_ bytes: RawSpan, base: Int = 0, layer: Layer) {
    _bytes = bytes
    _position = 0
    _end = bytes.byteCount
    _base = base
    self.layer = layer
  }

  /// Bytes not read yet.
  @inlinable public var remaining: Int { @inline(__always) get { _end &- _position } }

  /// Whether every byte was read.
  @inlinable public var isAtEnd: Bool { @inline(__always) get { _end == _position } }

  /// Position of the next byte, counted from the base.
  @inlinable public var offset: Int { @inline(__always) get { _base &+ _position } }

  /// The bytes not read yet, as a view.
  public var bytes: RawSpan {
    @inlinable @inline(__always) @_lifetime(copy self)
    get { _bytes.extracting(_position..<_end) }
  }

  @usableFromInline func _truncated(_ needed: Int) -> DecodeError {
    DecodeError(
      kind: .truncated, layer: layer, offset: offset, needed: needed, available: remaining)
  }

  @inlinable @inline(__always)
  mutating func _take<T: FixedWidthInteger & BitwiseCopyable>(
    _: T.Type
  ) throws(DecodeError) -> T {
    let size = MemoryLayout<T>.size
    guard remaining >= size else { throw _truncated(size) }
    // The guard above is the bounds check that the unchecked load asks for.
    let value = unsafe _bytes.unsafeLoadUnaligned(
      fromUncheckedByteOffset: _position, as: T.self)
    _position &+= size
    return value
  }

  /// Moves over `count` bytes.
  @inlinable @inline(__always)
  public mutating func skip(_ count: Int) throws(DecodeError) {
    guard count >= 0, remaining >= count else { throw _truncated(count) }
    _position &+= count
  }

  /// Reads `count` bytes as a view.
  @inlinable @inline(__always) @_lifetime(copy self)
  public mutating func view(_ count: Int) throws(DecodeError) -> RawSpan {
    guard count >= 0, remaining >= count else { throw _truncated(count) }
    let start = _position
    _position &+= count
    return _bytes.extracting(start..<(start &+ count))
  }

  /// Reads `count` bytes as a reader of their own, attributed to `layer`.
  @inlinable @inline(__always) @_lifetime(copy self)
  public mutating func split(_ count: Int, layer: Layer) throws(DecodeError) -> ByteReader {
    guard count >= 0, remaining >= count else { throw _truncated(count) }
    var part = self
    part._end = _position &+ count
    part.layer = layer
    _position &+= count
    return part
  }

  /// Reads `count` bytes as an array.
  @inlinable
  public mutating func array(_ count: Int) throws(DecodeError) -> [UInt8] {
    [UInt8](try view(count))
  }

  /// Reads everything that is left as an array.
  @inlinable
  public mutating func rest() -> [UInt8] {
    let all = [UInt8](bytes)
    _position = _end
    return all
  }

  /// The byte `ahead` places on, without moving; nil past the end.
  @inlinable @inline(__always)
  public func peek(_ ahead: Int = 0) -> UInt8? {
    guard ahead >= 0, ahead < remaining else { return nil }
    return unsafe _bytes.unsafeLoadUnaligned(
      fromUncheckedByteOffset: _position &+ ahead, as: UInt8.self)
  }
}

extension Array where Element == UInt8 {
  /// Copies the bytes of a view.
  @inlinable
  public init(_ span: RawSpan) {
    let count = span.byteCount
    // The closure fills exactly the `count` bytes that it declares initialised.
    unsafe self.init(unsafeUninitializedCapacity: count) { buffer, initialized in
      unsafe span.withUnsafeBytes { source in
        if count > 0 {
          unsafe UnsafeMutableRawBufferPointer(buffer).copyMemory(from: source)
        }
      }
      initialized = count
    }
  }
}

extension Array where Element == UInt8 {
  /// A view of the bytes, valid while the array is borrowed.
  @inlinable
  public var rawBytes: RawSpan {
    @_lifetime(borrow self)
    get {
      // A byte has no padding or invalid pattern: the raw view shows initialised memory only.
      unsafe span.bytes
    }
  }
}
