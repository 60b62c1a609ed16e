/// The unpacked bytes of a zlib stream that is held in memory.
final class InflateSource: ByteSource {
  /// The most that is unpacked: Android's buffer holds 256 KiB, so this is no real log any more.
  static let longest = 256 << 20

  private let packed: [UInt8]
  private var inflate: Inflate
  private var produced = 0
  private(set) var fault: String?

  init(_ packed: [UInt8]) throws(Inflate.Failure) {
    self.packed = packed
    inflate = try Inflate(packed)
  }

  var isSeekable: Bool { true }
  var totalBytes: Int? { nil }

  func read(into buffer: inout [UInt8], from start: Int) throws(CaptureError) -> Int {
    guard fault == nil else { return 0 }
    var place = start
    do {
      try inflate.unpack(into: &buffer, from: &place)
    } catch {
      fault = error.reason
    }
    produced += place - start
    if produced > Self.longest {
      fault = "the compressed log unpacks to more than \(Self.longest) bytes"
    }
    return place - start
  }

  func rewind() -> Bool {
    guard let again = try? Inflate(packed) else { return false }
    inflate = again
    produced = 0
    fault = nil
    return true
  }
}

/// The unpacked bytes of a gzip file that is cut or damaged: everything before the fault.
final class GzipSource: ByteSource {
  private let packed: any ByteSource
  private var inflate: Inflate
  private var produced = 0
  private(set) var fault: String?

  /// Begins at the first byte of `packed`; nil where no gzip header can be read.
  init?(_ packed: any ByteSource) {
    guard packed.rewind(), let inflate = try? Inflate(gzip: packed) else { return nil }
    self.packed = packed
    self.inflate = inflate
  }

  var isSeekable: Bool { packed.isSeekable }
  var totalBytes: Int? { nil }
  var packedProgress: PackedProgress? { packed.packedProgress }

  func read(into buffer: inout [UInt8], from start: Int) throws(CaptureError) -> Int {
    guard fault == nil else { return 0 }
    var place = start
    do {
      try inflate.unpack(into: &buffer, from: &place)
    } catch {
      fault = error == .cut ? "the gzip file is cut" : "the gzip file is damaged"
    }
    produced += place - start
    if ArchiveSource.isBomb(produced: produced, consumed: inflate.consumed) {
      fault = "unpacks to more than \(ArchiveHandle.ratio) times its size: not unpacked further"
    }
    return place - start
  }

  func rewind() -> Bool {
    guard packed.rewind(), let again = try? Inflate(gzip: packed) else { return false }
    inflate = again
    produced = 0
    fault = nil
    return true
  }
}
