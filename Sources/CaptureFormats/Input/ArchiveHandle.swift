import CArchive
import Glibc

/// One open libarchive reader over a source. The handle is freed with the object.
@safe
final class ArchiveHandle {
  /// What is said of one member.
  struct Member: Sendable {
    /// Its place among the members, counted from 0; names need not be unique.
    var index: Int
    /// Its name, at most `longestName` bytes of it.
    var name: String
    var isFile: Bool
    var isEncrypted: Bool
  }

  /// Limits against archives made to fill memory or time: what is unpacked may be this many
  /// times its packed size once it is longer than `freeBytes`.
  static let ratio = 400
  static let freeBytes = 64 << 20

  /// Bytes of a member's name that are kept: the longest path that Linux takes.
  static let longestName = 4096

  private let handle: OpaquePointer
  private let feed: ArchiveFeed
  /// UTF-8 as the encoding of names; the C function is newlocale(3).
  private let locale: locale_t?
  /// What is left of the block that libarchive lent last.
  private var block: UnsafeRawPointer?
  private var blockLeft = 0
  private var members = 0
  /// Whether the last member was asked for and there was none more, by a sound end.
  private(set) var reachedEnd = false

  /// Opens an archive or a compressed file over `source`, which stands at its first byte.
  init(_ source: any ByteSource, path: String) throws(CaptureError) {
    guard let handle = unsafe archive_read_new() else {
      throw CaptureError(
        .io, path: path,
        reason: peat_archive_is_there() != 0
          ? "no memory for reading an archive"
          : "is packed, and libarchive, which unpacks it, is not installed")
    }
    unsafe self.handle = handle
    feed = ArchiveFeed(source)
    unsafe locale = newlocale(Int32(1) << LC_CTYPE, "C.UTF-8", nil)
    unsafe archive_read_support_filter_gzip(handle)
    unsafe archive_read_support_filter_bzip2(handle)
    unsafe archive_read_support_filter_xz(handle)
    unsafe archive_read_support_filter_lz4(handle)
    unsafe archive_read_support_filter_zstd(handle)
    unsafe archive_read_support_format_zip(handle)
    unsafe archive_read_support_format_tar(handle)
    unsafe archive_read_support_format_raw(handle)
    // The feed outlives the handle, which this object owns along with it.
    let client = unsafe Unmanaged.passUnretained(feed).toOpaque()
    unsafe archive_read_set_callback_data(handle, client)
    unsafe archive_read_set_read_callback(handle) { _, client, place in
      guard let client = unsafe client, let place = unsafe place else { return -1 }
      let feed = unsafe Unmanaged<ArchiveFeed>.fromOpaque(client).takeUnretainedValue()
      return unsafe feed.next(place)
    }
    if source.isSeekable, source.totalBytes != nil {
      unsafe archive_read_set_seek_callback(handle) { _, client, offset, whence in
        guard let client = unsafe client else { return -1 }
        let feed = unsafe Unmanaged<ArchiveFeed>.fromOpaque(client).takeUnretainedValue()
        return Int64(feed.seek(Int(offset), whence))
      }
    }
    guard unsafe archive_read_open1(handle) == ARCHIVE_OK else {
      throw feed.error
        ?? CaptureError(.damaged, path: path, offset: 0, reason: "cannot be unpacked: \(problem)")
    }
  }

  deinit {
    unsafe archive_read_free(handle)
    if let locale = unsafe locale { unsafe freelocale(locale) }
  }

  /// libarchive's own words for what went wrong.
  var problem: String {
    unsafe archive_error_string(handle).map { unsafe String(cString: $0) } ?? "unknown error"
  }

  /// The error of the file behind the archive, if reading it failed.
  var inputError: CaptureError? { feed.error }

  /// Bytes of the archive that were used.
  var consumed: Int { feed.place }

  /// Whether the input is one compressed file and no archive with members.
  var isRaw: Bool { unsafe archive_format(handle) == ARCHIVE_FORMAT_RAW }

  /// Whether members can be passed over without unpacking them.
  var isZip: Bool { unsafe archive_format(handle) & ARCHIVE_FORMAT_BASE_MASK == ARCHIVE_FORMAT_ZIP }

  /// Moves to the next member; nil at the end, `problem` says if that came early.
  func nextMember() -> Member? {
    blockLeft = 0
    var entry: OpaquePointer?
    // libarchive loses names that the current locale cannot spell; this holds for the thread.
    let before = unsafe locale.flatMap { unsafe uselocale($0) }
    defer { if let before = unsafe before { _ = unsafe uselocale(before) } }
    let result = unsafe archive_read_next_header(handle, &entry)
    reachedEnd = result == ARCHIVE_EOF
    guard result == ARCHIVE_OK || result == ARCHIVE_WARN, let entry = unsafe entry else {
      return nil
    }
    let index = members
    members += 1
    // Names that are no UTF-8 come back empty from the UTF-8 call; the raw bytes are repaired.
    let name = unsafe Self.text(archive_entry_pathname_utf8(entry) ?? archive_entry_pathname(entry))
    let isFile = unsafe archive_entry_filetype(entry) == 0o100_000 || isRaw
    let isEncrypted = unsafe archive_entry_is_encrypted(entry) != 0
    return Member(
      index: index, name: name ?? "#\(index + 1)", isFile: isFile, isEncrypted: isEncrypted)
  }

  /// The front of a name that libarchive lends until the next member; nil where there is none.
  private static func text(_ name: UnsafePointer<CChar>?) -> String? {
    guard let name = unsafe name else { return nil }
    // Within the string, by strnlen.
    let bytes = unsafe UnsafeRawBufferPointer(start: name, count: strnlen(name, longestName))
    return unsafe bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// Unpacks into `buffer` from place `start` on; 0 at the member's end, negative on failure.
  ///
  /// Block by block: archive_read_data would throw away what it has when a later block fails.
  func read(into buffer: inout [UInt8], from start: Int) -> Int {
    guard start < buffer.count else { return 0 }
    while blockLeft == 0 {
      var size = 0
      var offset: Int64 = 0
      let result = unsafe archive_read_data_block(handle, &block, &size, &offset)
      if result == ARCHIVE_EOF { return 0 }
      if result != ARCHIVE_OK, result != ARCHIVE_WARN { return Int(ARCHIVE_FATAL) }
      blockLeft = size
    }
    guard let from = unsafe block else { return Int(ARCHIVE_FATAL) }
    let count = min(blockLeft, buffer.count - start)
    // `count` is within both the block that libarchive lends until its next call and the buffer.
    unsafe buffer.withUnsafeMutableBytes { bytes in
      let free = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
      unsafe free.copyMemory(from: UnsafeRawBufferPointer(start: from, count: count))
    }
    unsafe block = from + count
    blockLeft -= count
    return count
  }
}

/// The bytes that libarchive asks for, one piece at a time.
@safe
final class ArchiveFeed {
  private let source: any ByteSource
  private var chunk = [UInt8](repeating: 0, count: 1 << 16)
  private let lent: UnsafeMutableRawBufferPointer
  private(set) var place = 0
  private(set) var error: CaptureError?

  init(_ source: any ByteSource) {
    self.source = source
    unsafe lent = .allocate(byteCount: 1 << 16, alignment: 16)
  }

  deinit { unsafe lent.deallocate() }

  /// Reads the next piece; libarchive keeps the pointer until the next call.
  func next(_ pointer: UnsafeMutablePointer<UnsafeRawPointer?>) -> Int {
    do {
      let got = try source.read(into: &chunk, from: 0)
      unsafe chunk.withUnsafeBytes { bytes in
        unsafe lent.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<got]))
      }
      unsafe pointer.pointee = UnsafeRawPointer(lent.baseAddress)
      place += got
      return got
    } catch {
      self.error = error
      return -1
    }
  }

  /// lseek(2) for libarchive.
  func seek(_ offset: Int, _ whence: Int32) -> Int {
    let from: Int
    switch whence {
    case 0: from = 0
    case 1: from = place
    default: from = source.totalBytes ?? 0
    }
    let (target, overflow) = from.addingReportingOverflow(offset)
    guard !overflow, target >= 0, source.seek(to: target) else { return Int(ARCHIVE_FATAL) }
    place = target
    return target
  }
}
