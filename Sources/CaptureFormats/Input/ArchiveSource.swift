/// The unpacked bytes of a compressed file, or of chosen members of an archive one after another.
///
/// Nothing is written to disk and no more than one window is held. A second pass opens the archive
/// again.
final class ArchiveSource: ByteSource {
  private var upstream: any ByteSource
  private var isRecovering = false
  private let path: String
  /// Open while it is read.
  private var handle: ArchiveHandle?
  /// What a handle that is closed had used of the archive.
  private var usedBefore = 0
  /// The places of the members to read, in order; empty for a compressed file.
  let members: [Int]
  /// The index of the next member to open.
  private var nextMember = 0
  private var isInMember = false
  private var produced = 0
  private var producedOfMember = 0
  private var heldBack: [UInt8] = []
  private(set) var fault: String?
  private let packedTotal: Int?

  /// Reads `members` of the archive, or the whole of a compressed file where there are none.
  init(_ upstream: any ByteSource, path: String, members: [Int]) throws(CaptureError) {
    self.upstream = upstream
    self.path = path
    self.members = members
    packedTotal = upstream.totalBytes
    handle = try ArchiveHandle(upstream, path: path)
  }

  /// Takes over a handle that stands inside its only member, for input that is read once.
  init(_ upstream: any ByteSource, path: String, raw handle: ArchiveHandle) {
    self.upstream = upstream
    self.path = path
    self.handle = handle
    members = []
    packedTotal = upstream.totalBytes
    isInMember = true
    nextMember = 1
  }

  var isSeekable: Bool { upstream.isSeekable }
  var totalBytes: Int? { nil }
  var packedProgress: PackedProgress? {
    upstream.packedProgress
      ?? PackedProgress(consumed: handle?.consumed ?? usedBefore, total: packedTotal)
  }

  func read(into buffer: inout [UInt8], from start: Int) throws(CaptureError) -> Int {
    while fault == nil {
      if !heldBack.isEmpty {
        let count = min(heldBack.count, buffer.count - start)
        buffer.replaceSubrange(start..<(start + count), with: heldBack[..<count])
        heldBack.removeFirst(count)
        return count
      }
      if !isInMember {
        guard nextMember < max(1, members.count) else { return 0 }
        guard try openMember() else { return 0 }
        continue
      }
      guard let handle else { return 0 }
      let got = handle.read(into: &buffer, from: start)
      if got < 0 {
        if let error = handle.inputError { throw error }
        if recover() { continue }
        fault = "the archive is damaged or cut: \(handle.problem)"
        return 0
      }
      produced += got
      producedOfMember += got
      if Self.isBomb(produced: produced, consumed: handle.consumed) {
        fault = "unpacks to more than \(ArchiveHandle.ratio) times its size: not unpacked further"
      }
      if got > 0 { return got }
      fault = fault ?? upstream.fault
      isInMember = false
    }
    return 0
  }

  func release() {
    usedBefore = handle?.consumed ?? usedBefore
    handle = nil
    heldBack = []
    upstream.release()
  }

  func rewind() -> Bool {
    guard upstream.rewind() else { return false }
    // Opened where reading begins.
    handle = nil
    usedBefore = 0
    nextMember = 0
    isInMember = false
    produced = 0
    heldBack = []
    fault = nil
    return true
  }

  /// Goes on with our own unpacker where libarchive gave up on a gzip file, behind the bytes that
  /// were given already. False where that is no help.
  private func recover() -> Bool {
    guard !isRecovering, let plain = GzipSource(upstream),
      let again = try? ArchiveHandle(plain, path: path)
    else { return false }
    isRecovering = true
    let given = producedOfMember
    let current = max(0, nextMember - 1)
    while let member = again.nextMember() {
      guard members.isEmpty || member.index == members[current] else { continue }
      var scratch = [UInt8](repeating: 0, count: 1 << 16)
      var left = given + (nextMember > 1 ? 16 : 0)
      while left > 0 {
        let got = again.read(into: &scratch, from: max(0, scratch.count - left))
        if got <= 0 { return false }
        left -= got
      }
      upstream = plain
      handle = again
      return true
    }
    return false
  }

  static func isBomb(produced: Int, consumed: Int) -> Bool {
    produced > ArchiveHandle.freeBytes && produced / ArchiveHandle.ratio > consumed
  }

  /// Moves to the next wanted member, opening the archive again where it lies before this one.
  private func openMember() throws(CaptureError) -> Bool {
    var hasReopened = nextMember == 0
    while true {
      let handle: ArchiveHandle
      if let open = self.handle {
        handle = open
      } else {
        handle = try ArchiveHandle(upstream, path: path)
        self.handle = handle
      }
      guard let member = handle.nextMember() else {
        if let error = handle.inputError { throw error }
        if hasReopened {
          fault = "the archive is damaged or cut: \(handle.problem)"
          return false
        }
        guard upstream.rewind() else { return false }
        self.handle = nil
        hasReopened = true
        continue
      }
      if members.isEmpty || (member.isFile && member.index == members[nextMember]) { break }
    }
    isInMember = true
    producedOfMember = 0
    if nextMember > 0 { dropRepeatedHeader() }
    nextMember += 1
    return true
  }

  /// Numbered parts of a btsnoop log each have a file header; only the first one's is wanted.
  private func dropRepeatedHeader() {
    guard let handle else { return }
    var head = [UInt8](repeating: 0, count: 16)
    var count = 0
    while count < 16 {
      let got = handle.read(into: &head, from: count)
      if got <= 0 { break }
      count += got
    }
    let isHeader = count == 16 && head.starts(with: Array("btsnoop\u{0}".utf8))
    heldBack = isHeader ? [] : Array(head[..<count])
  }
}
