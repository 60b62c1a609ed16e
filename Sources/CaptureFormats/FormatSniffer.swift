/// Recognises a container by its first bytes, never by its name (formats.md 1).
enum FormatSniffer {
  /// What was recognised.
  struct Found {
    var format: CaptureFormat
    var order: ByteOrder
    var link: LinkType
    var clock = RecordClock()
    var notes: [String] = []
    var snooz = BTSnoozState()
    /// What is read instead of the input itself, where that is compressed.
    var unpacked: (any ByteSource)?
  }

  /// A recognised capture with the window to read it through.
  struct Opened: ~Copyable {
    var found: Found
    var window: ByteWindow
    var members: [String]
    var others: [String]
  }

  /// Recognises a capture, unpacking it first where it is packed.
  static func open(
    _ input: consuming ByteWindow, path: String, member: String?, depth: Int
  ) throws(CaptureError) -> Opened {
    var window = input
    let isPacked = try ArchiveOpener.recognises(&window)
    guard isPacked else {
      if let member {
        throw CaptureError(
          .notACapture, path: path, reason: "no archive, so it has no member \(member)")
      }
      let found = try recognise(&window, path: path)
      if let unpacked = found.unpacked {
        window = ByteWindow(source: unpacked, capacity: 1 << 17)
      }
      return Opened(found: found, window: window, members: [], others: [])
    }
    guard depth < ArchiveOpener.deepest else {
      throw CaptureError(
        .unsupported, path: path,
        reason: "archives inside archives, more than \(ArchiveOpener.deepest) deep")
    }
    let source = try window.detach(limit: ArchiveOpener.heldBytes)
    let archive = try ArchiveOpener.open(source, path: path, member: member)
    do throws(CaptureError) {
      return try open(archive, path: path, depth: depth)
    } catch {
      guard error.kind == .notACapture else { throw error }
      switch archive.otherwise {
      case .read(let earlier, let remark):
        guard source.rewind() else { throw error }
        var other = try ArchiveOpener.open(source, path: path, member: earlier.name)
        other.remarks = [remark]
        other.others = archive.others.filter { $0 != earlier.name }
        return try open(other, path: path, depth: depth)
      case .refuse(let reason):
        throw CaptureError(.notACapture, path: path, reason: reason)
      case nil: throw error
      }
    }
  }

  /// Recognises what lies in an archive; members of an archive inside are named behind it.
  private static func open(
    _ archive: ArchiveOpener.Opened, path: String, depth: Int
  ) throws(CaptureError) -> Opened {
    var inner = try open(
      ByteWindow(source: archive.source, capacity: 1 << 17), path: path, member: archive.inner,
      depth: depth + 1)
    let place = archive.members.count == 1 ? archive.members[0] + "!" : ""
    inner.members = archive.members + inner.members
    inner.others = inner.others.map { place + $0 } + archive.others
    inner.found.notes = archive.remarks + inner.found.notes
    return inner
  }

  /// Looks at the first bytes of `window`, which stays where it is.
  static func recognise(
    _ window: inout ByteWindow, path: String
  ) throws(CaptureError) -> Found {
    _ = try window.has(13)
    if window.available < 4, let fault = window.source?.fault {
      throw CaptureError(.damaged, path: path, offset: 0, reason: fault)
    }
    guard window.available > 0 else {
      throw CaptureError(.notACapture, path: path, offset: 0, reason: "the file is empty")
    }
    guard window.available >= 4 else {
      throw CaptureError(
        .notACapture, path: path, offset: 0,
        reason: "no capture: \(window.available) bytes are too few for any file header")
    }
    if window.available >= 8, window.u64(0, .big) == 0x6274_736E_6F6F_7000 {
      return try btsnoop(&window, path: path)
    }
    switch window.u32(0, .big) {
    case 0xD4C3_B2A1:
      return try pcap(&window, path: path, order: .little, isNano: false)
    case 0xA1B2_C3D4:
      return try pcap(&window, path: path, order: .big, isNano: false)
    case 0x4D3C_B2A1:
      return try pcap(&window, path: path, order: .little, isNano: true)
    case 0xA1B2_3C4D:
      return try pcap(&window, path: path, order: .big, isNano: true)
    case 0x0A0D_0D0A:
      return Found(format: .pcapng, order: .little, link: .other(0))
    default: break
    }
    if let found = try btsnooz(&window, path: path) { return found }
    if let found = try withoutMagic(&window) { return found }
    if let found = try h4Stream(&window) { return found }
    let name = ForeignFile.name(window)
    if let found = try bugReport(&window, path: path) { return found }
    if let fault = window.source?.fault {
      throw CaptureError(.damaged, path: path, offset: 0, reason: fault)
    }
    throw CaptureError(.notACapture, path: path, offset: 0, reason: "no capture: \(name)")
  }
}
