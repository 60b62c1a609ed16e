/// Opens archives and compressed files: finds what to read in them.
enum ArchiveOpener {
  /// What was opened: the unpacked bytes and the names of what they are.
  struct Opened {
    var source: ArchiveSource
    var members: [String]
    var others: [String]
    /// What the user should know of what was found.
    var remarks: [String] = []
    /// What to do where what was opened holds no log.
    var otherwise: MemberSelection.Otherwise?
    /// What was asked for inside the member that was opened.
    var inner: String?
  }

  /// First bytes of what is unpacked (formats.md 1): gzip, zstd, zip, bzip2, xz, lz4.
  static let magics: [[UInt8]] = [
    [0x1F, 0x8B], [0x28, 0xB5, 0x2F, 0xFD], [0x50, 0x4B, 0x03, 0x04], [0x42, 0x5A, 0x68],
    [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], [0x04, 0x22, 0x4D, 0x18],
  ]

  /// Archives inside archives are opened to this depth.
  static let deepest = 4
  /// The most that is held of an archive that comes through a pipe.
  static let heldBytes = 16 << 20
  private static let mostMembers = 100_000
  private static let mostListedBytes = 4 << 30
  private static let mostNameBytes = 16 << 20

  /// Whether the bytes are to be unpacked.
  static func recognises(_ window: inout ByteWindow) throws(CaptureError) -> Bool {
    guard try window.has(4) else { return false }
    let head = (0..<min(8, window.available)).map { window.u8($0) }
    if magics.contains(where: { head.starts(with: $0) }) { return true }
    // A plain tar has its magic behind the first member's name.
    guard try window.has(512) else { return false }
    return (0..<5).map { window.u8(257 + $0) } == Array("ustar".utf8)
  }

  /// Opens `source`; `member` is what the user asked for behind the `!`.
  ///
  /// A gzip file that is cut within its first bytes cannot even be opened by libarchive.
  static func open(
    _ source: any ByteSource, path: String, member wanted: String?
  ) throws(CaptureError) -> Opened {
    do {
      return try list(source, path: path, member: wanted)
    } catch {
      guard error.kind == .damaged, let plain = GzipSource(source) else { throw error }
      guard let opened = try? list(plain, path: path, member: wanted) else { throw error }
      return opened
    }
  }

  private static func list(
    _ source: any ByteSource, path: String, member wanted: String?
  ) throws(CaptureError) -> Opened {
    let handle = try ArchiveHandle(source, path: path)
    var listed: [ListedMember] = []
    var mainText: String?
    var produced = 0
    var nameBytes = 0
    var scratch = [UInt8](repeating: 0, count: 1 << 16)
    while let member = handle.nextMember() {
      if handle.isRaw {
        return Opened(
          source: ArchiveSource(source, path: path, raw: handle), members: [], others: [])
      }
      guard source.isSeekable else {
        throw CaptureError(
          .unsupported, path: path,
          reason: "an archive of more than \(heldBytes >> 20) MiB through a pipe: save it to a "
            + "file, so that the right member can be found")
      }
      nameBytes += member.name.utf8.count
      produced += member.name.utf8.count
      if member.index >= mostMembers || nameBytes > mostNameBytes { throw tooMuch(path) }
      guard member.isFile else { continue }
      if member.isEncrypted, wanted == nil || wanted == member.name {
        throw CaptureError(
          .unsupported, path: path,
          reason: "member \(member.name.shortened) is encrypted: unpack it first")
      }
      var count = 0
      while count < 512 {
        let got = handle.read(into: &scratch, from: count)
        if got <= 0 { break }
        count += got
        if handle.isZip { break }
      }
      if member.name == "main_entry.txt" {
        let text = String(decoding: scratch[..<min(count, 256)], as: UTF8.self)
        mainText = text.split(whereSeparator: \.isWhitespace).first.map(String.init)
      }
      listed.append(
        ListedMember(
          index: member.index, name: member.name,
          head: Array(scratch[..<min(count, ListedMember.headLength)])))
      produced += count
      // Nothing behind what was asked for by its whole name is looked at.
      if member.name == wanted { break }
      // Unpacking the rest here, and not in libarchive, keeps its amount in sight.
      while !handle.isZip {
        let got = handle.read(into: &scratch, from: 0)
        if got <= 0 { break }
        produced += got
        if ArchiveSource.isBomb(produced: produced, consumed: handle.consumed) { break }
      }
      if produced > mostListedBytes
        || ArchiveSource.isBomb(produced: produced, consumed: handle.consumed)
      {
        throw tooMuch(path)
      }
    }
    if let error = handle.inputError { throw error }
    if listed.isEmpty, handle.reachedEnd {
      throw CaptureError(
        .notACapture, path: path, reason: "an archive that holds no regular file")
    }
    if listed.isEmpty {
      throw CaptureError(
        .damaged, path: path, offset: 0, reason: "cannot be unpacked: \(handle.problem)")
    }
    let (choice, inner) = try choose(listed, mainText: mainText, wanted: wanted, path: path)
    guard source.rewind() else {
      throw CaptureError(.io, path: path, reason: "cannot be read a second time")
    }
    return Opened(
      source: try ArchiveSource(source, path: path, members: choice.members.map(\.index)),
      members: choice.members.map(\.name), others: choice.others, remarks: choice.remarks,
      otherwise: choice.otherwise, inner: inner)
  }

  private static func tooMuch(_ path: String) -> CaptureError {
    CaptureError(
      .unsupported, path: path,
      reason: "an archive that unpacks to far more than any capture; unpack it yourself")
  }

  /// What to read, and what was asked for inside of it (`INNER.zip!MEMBER`).
  private static func choose(
    _ listed: [ListedMember], mainText: String?, wanted: String?, path: String
  ) throws(CaptureError) -> (choice: MemberSelection.Choice, inner: String?) {
    if let wanted {
      if let member = listed.first(where: { $0.name == wanted }) {
        return (MemberSelection.Choice(members: [member], others: []), nil)
      }
      for mark in wanted.indices where wanted[mark] == "!" {
        if let member = listed.first(where: { $0.name == wanted[..<mark] }) {
          return (
            MemberSelection.Choice(members: [member], others: []),
            String(wanted[wanted.index(after: mark)...])
          )
        }
      }
      throw CaptureError(
        .notFound, path: path, reason: "has no member \(wanted.shortened); it has \(some(listed))")
    }
    if let choice = MemberSelection.choose(listed, mainText: mainText) {
      if choice.members.isEmpty, case .refuse(let reason) = choice.otherwise {
        throw CaptureError(.notACapture, path: path, reason: reason)
      }
      return (choice, nil)
    }
    throw CaptureError(
      .notACapture, path: path,
      reason: "an archive without a Bluetooth capture; it has \(some(listed))")
  }

  private static func some(_ listed: [ListedMember]) -> String {
    let names = listed.prefix(5).map(\.name.shortened).joined(separator: ", ")
    return listed.count > 5 ? "\(names) and \(listed.count - 5) more" : names
  }
}

extension String {
  /// The name for a message: at most 120 characters, without its middle where it is longer.
  fileprivate var shortened: String {
    count <= 120 ? self : "\(prefix(59))…\(suffix(60))"
  }
}
