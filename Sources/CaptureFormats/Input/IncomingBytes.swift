/// Bytes of a capture that is still being written, handed over as they come.
///
/// A reader over it gives no record where none is whole yet, and goes on when more bytes came. It
/// does no input itself, so that whoever waits for the bytes can wait for other things too.
public final class IncomingBytes: ByteSource {
  /// Enough of any container to recognise it, and for btsnoop to see what its clock means.
  private static let enough = 4096

  private var bytes: [UInt8] = []
  private var start = 0
  /// Whether the last bytes have come.
  public private(set) var hasEnded = false

  /// Makes a source to which nothing came yet.
  public init() {}

  /// Bytes that no reader has taken yet.
  public var count: Int { bytes.count - start }

  /// Takes bytes that came.
  public func append(_ more: ArraySlice<UInt8>) {
    if start > 0, start * 2 >= bytes.count {
      bytes.removeFirst(start)
      start = 0
    }
    bytes.append(contentsOf: more)
  }

  /// No more bytes come.
  public func end() { hasEnded = true }

  /// Whether a reader can be made: the container's header and its first record are there.
  ///
  /// Headers: btsnoop 16 bytes and a record of 24, pcap 24, pcapng by its section's length.
  public var canBeRecognised: Bool {
    if hasEnded || count >= IncomingBytes.enough { return true }
    guard count >= 12 else { return false }
    let head = bytes[start..<(start + 12)]
    if head.starts(with: Array("btsnoop".utf8)) { return count >= 40 }
    if head.starts(with: [0x0A, 0x0D, 0x0D, 0x0A]) { return count >= 28 }
    let isPcap = [0xD4, 0xA1, 0x4D].contains(head.first ?? 0) && count >= 24
    return isPcap
  }

  func read(into buffer: inout [UInt8], from place: Int) throws(CaptureError) -> Int {
    let taken = min(buffer.count - place, count)
    guard taken > 0 else { return 0 }
    buffer.replaceSubrange(place..<(place + taken), with: bytes[start..<(start + taken)])
    start += taken
    return taken
  }

  var isSeekable: Bool { false }
  var totalBytes: Int? { nil }

  func rewind() -> Bool { false }
}

extension CaptureReader {
  /// Reads a capture that is still being written; `next()` gives nil where no record is whole yet.
  ///
  /// After `nil` the next call looks for new bytes. When the source has ended, set `isGrowing` to
  /// false and read on: what is cut then is damage.
  public init(following source: IncomingBytes, name: String) throws(CaptureError) {
    try self.init(source: source, name: name)
    isGrowing = true
  }
}
