import CZlib

/// Unpacks deflated data piece by piece with zlib, from memory or from a source (RFC 1950 to 1952).
///
/// Two inputs need it beside libarchive: btsnooz, as libarchive reads no bare zlib streams, and cut
/// gzip files, of which libarchive throws the last unpacked 64 KiB away.
@safe
final class Inflate {
  /// Why a stream cannot be unpacked any further.
  enum Failure: Error, Sendable, Equatable {
    case cut, notZlib, damaged, checksum, memory

    /// The clause of the error message.
    var reason: String {
      switch self {
      case .cut: "the compressed log is cut"
      case .notZlib: "no zlib header where the compressed log should begin"
      case .checksum: "the compressed log's checksum does not match"
      case .damaged: "the compressed log is damaged"
      case .memory: "no memory for unpacking the compressed log"
      }
    }
  }

  /// zlib keeps the address of its state, which therefore stays where it is.
  private let stream: UnsafeMutablePointer<z_stream>
  private var input: [UInt8]
  private var place = 0
  private let feed: (any ByteSource)?
  private var hasEnded = false
  /// Bytes that were read from the source.
  private(set) var consumed = 0

  /// Begins with `input`, where a zlib header must lie.
  convenience init(_ input: [UInt8]) throws(Failure) {
    guard input.count >= 2 else { throw .cut }
    // No preset dictionary: nobody could have it (RFC 1950, 2.2).
    let isHeader = (Int(input[0]) << 8 | Int(input[1])) % 31 == 0 && input[1] & 0x20 == 0
    guard input[0] & 0x0F == 8, input[0] >> 4 <= 7, isHeader else { throw .notZlib }
    try self.init(input, feed: nil, windowBits: 15)
  }

  /// Begins at the gzip header that `source` begins with.
  convenience init(gzip source: any ByteSource) throws(Failure) {
    // 16 more bits of window ask zlib for gzip's header and checksum (zlib.h, inflateInit2).
    try self.init([], feed: source, windowBits: 15 + 16)
    guard refill(), input.starts(with: [0x1F, 0x8B, 8]) else { throw .notZlib }
  }

  private init(
    _ input: [UInt8], feed: (any ByteSource)?, windowBits: Int32
  ) throws(Failure) {
    self.input = input
    self.feed = feed
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let size = unsafe Int32(MemoryLayout<z_stream>.size)
    let result = unsafe inflateInit2_(stream, windowBits, ZLIB_VERSION, size)
    guard result == Z_OK else { throw .memory }
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Reads more input where there is a source; false at its end.
  private func refill() -> Bool {
    guard let feed else { return false }
    var more = [UInt8](repeating: 0, count: 1 << 16)
    guard let got = try? feed.read(into: &more, from: 0), got > 0 else { return false }
    more.removeLast(more.count - got)
    input = more
    place = 0
    consumed += got
    return true
  }

  /// Unpacks into `output` from place `start` to its end; `start` tells how far it came, also where
  /// it fails. Unmoved at the stream's end.
  func unpack(into output: inout [UInt8], from start: inout Int) throws(Failure) {
    while start < output.count, !hasEnded {
      let isDry = place == input.count && !refill()
      let (result, used, made) = step(&output, from: start)
      place += used
      start += made
      switch result {
      case Z_OK: if isDry, made == 0 { throw .cut }
      case Z_STREAM_END: hasEnded = !beginsAgain()
      case Z_BUF_ERROR: if isDry { throw .cut }
      case Z_MEM_ERROR: throw .memory
      default: throw isChecksumFault ? .checksum : .damaged
      }
    }
  }

  /// One call of zlib with what is left of the input and free in the output.
  private func step(
    _ output: inout [UInt8], from start: Int
  ) -> (result: Int32, used: Int, made: Int) {
    // zlib reads and writes within the bytes that are lent for this call, and keeps no address of
    // them behind it; it declares its input mutable and does not change it.
    unsafe input.withUnsafeBytes { bytes in
      unsafe output.withUnsafeMutableBytes { free in
        let left = bytes.count - place
        let room = free.count - start
        let next = unsafe bytes.baseAddress.map {
          unsafe UnsafeMutableRawPointer(mutating: $0 + place)
        }
        unsafe stream.pointee.next_in = unsafe next?.assumingMemoryBound(to: UInt8.self)
        unsafe stream.pointee.avail_in = UInt32(clamping: left)
        unsafe stream.pointee.next_out =
          unsafe free.baseAddress.map { unsafe ($0 + start).assumingMemoryBound(to: UInt8.self) }
        unsafe stream.pointee.avail_out = UInt32(clamping: room)
        let result = unsafe inflate(stream, Z_NO_FLUSH)
        let used = unsafe left - Int(stream.pointee.avail_in)
        let made = unsafe room - Int(stream.pointee.avail_out)
        unsafe stream.pointee.next_in = nil
        unsafe stream.pointee.next_out = nil
        return (result, used, made)
      }
    }
  }

  /// Whether another gzip member follows the one that ended; then it is begun (RFC 1952, 2.2).
  private func beginsAgain() -> Bool {
    guard feed != nil, place < input.count || refill(), input[place] == 0x1F else { return false }
    return unsafe inflateReset(stream) == Z_OK
  }

  /// Whether zlib's own words are of a check at the stream's end.
  private var isChecksumFault: Bool {
    // A constant text of zlib's.
    guard let text = unsafe stream.pointee.msg else { return false }
    return unsafe String(cString: text).hasSuffix("check")
      && String(cString: text) != "incorrect header check"
  }
}
