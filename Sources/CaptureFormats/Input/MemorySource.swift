/// Bytes that are held in memory, such as a small archive that came through a pipe.
final class MemorySource: ByteSource {
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var isSeekable: Bool { true }
  var totalBytes: Int? { bytes.count }

  func read(into buffer: inout [UInt8], from start: Int) throws(CaptureError) -> Int {
    let count = min(buffer.count - start, bytes.count - place)
    guard count > 0 else { return 0 }
    buffer.replaceSubrange(start..<(start + count), with: bytes[place..<(place + count)])
    place += count
    return count
  }

  func seek(to offset: Int) -> Bool {
    guard (0...bytes.count).contains(offset) else { return false }
    place = offset
    return true
  }

  func rewind() -> Bool { seek(to: 0) }
}

/// Bytes that were read already, and behind them the rest of a source that cannot go back.
final class PrefixedSource: ByteSource {
  private let prefix: [UInt8]
  private let rest: any ByteSource
  private var place = 0

  init(_ prefix: [UInt8], rest: any ByteSource) {
    self.prefix = prefix
    self.rest = rest
  }

  var isSeekable: Bool { false }
  var totalBytes: Int? { nil }
  var fault: String? { rest.fault }

  func read(into buffer: inout [UInt8], from start: Int) throws(CaptureError) -> Int {
    let count = min(buffer.count - start, prefix.count - place)
    guard count > 0 else { return try rest.read(into: &buffer, from: start) }
    buffer.replaceSubrange(start..<(start + count), with: prefix[place..<(place + count)])
    place += count
    return count
  }

  func rewind() -> Bool { false }
}
