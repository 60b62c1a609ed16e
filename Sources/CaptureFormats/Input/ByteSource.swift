/// Where the bytes of a capture come from.
///
/// A class, as a source owns a descriptor or a decompressor; it is asked once for each window of
/// bytes, never for a record.
protocol ByteSource: AnyObject {
  /// Reads into `buffer` from place `start` to its end; returns how many bytes, 0 at the end.
  func read(into buffer: inout [UInt8], from start: Int) throws(CaptureError) -> Int

  /// Moves `count` bytes on without reading them; returns how many there were to pass.
  func skip(_ count: Int) throws(CaptureError) -> Int

  /// Moves to an offset; false where the source cannot.
  func seek(to offset: Int) -> Bool

  /// Goes back to the first byte; false where the source cannot.
  func rewind() -> Bool

  /// Gives memory back that only reading on needs; nothing is read until `rewind`.
  func release()

  /// Whether `rewind` works.
  var isSeekable: Bool { get }

  /// Why the bytes ended early, where they did; looked at when `read` gave nothing.
  var fault: String? { get }

  /// Length of what will be read, where it is known.
  var totalBytes: Int? { get }

  /// The file behind the source, and where its first byte lies, where it can be mapped.
  var mappableFile: (descriptor: Int32, start: Int)? { get }

  /// How much of the input behind this source is used, where that differs from what was read.
  var packedProgress: PackedProgress? { get }
}

/// How far an archive is read: bytes of the archive, not of what it holds.
struct PackedProgress: Sendable {
  var consumed: Int
  var total: Int?
}

extension ByteSource {
  var packedProgress: PackedProgress? { nil }

  func seek(to offset: Int) -> Bool { false }

  func release() {}

  /// Plain files end where they end.
  var fault: String? { nil }

  /// Passes over bytes by reading them, for sources that know no better.
  func skip(_ count: Int) throws(CaptureError) -> Int { try skipByReading(count) }

  func skipByReading(_ count: Int) throws(CaptureError) -> Int {
    var scratch = [UInt8](repeating: 0, count: 65_536)
    var left = count
    while left > 0 {
      let got = try read(into: &scratch, from: max(0, scratch.count - left))
      if got == 0 { break }
      left -= got
    }
    return count - left
  }
}

extension ByteSource {
  /// Most sources are no regular files.
  var mappableFile: (descriptor: Int32, start: Int)? { nil }
}
