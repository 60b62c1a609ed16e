import WireBytes

/// Reads the records of a capture one after the other, whatever its container.
///
/// Memory stays within one window whatever the length of the input. Damage never loses the records
/// before it: `next()` passes over what cannot be read, where it can find the next record, and
/// notes it in `damages`.
public struct CaptureReader: ~Copyable {
  /// The file as the user named it.
  public let path: String
  /// The container, recognised by its content.
  public internal(set) var format: CaptureFormat
  /// The link types met so far, in order of appearance.
  public internal(set) var linkTypes: [LinkType]
  /// What was damaged, in file order; the first 16.
  public internal(set) var damages: [CaptureError] = []
  /// How many places were damaged.
  public internal(set) var damageCount = 0
  /// Damaged places that a record said it follows.
  var toldDamages = 0
  /// What is odd about the capture without being damage, such as clocks in the wrong unit.
  public var notes: [String] { openingNotes + passedOverNotes }
  /// The members of an archive that are read, in order; empty for a plain or compressed file.
  public let members: [String]
  /// Members that hold captures too and are not read.
  public let otherMembers: [String]
  /// Whether to end at the first damage instead of passing over it.
  public var stopsAtDamage = false
  /// Whether an end inside a record means that the rest is still to come.
  public var isGrowing = false

  var window: ByteWindow
  var order: ByteOrder
  var link: LinkType
  var clock: RecordClock
  var frames = 0
  var skippedRecords = 0
  var sections = PcapngState()
  var usb = USBCapture()
  /// What was odd when the capture was opened.
  let openingNotes: [String]
  /// Whether a pcap record's packet lies in the record itself.
  private let isPlainPcap: Bool
  var snooz: BTSnoozState
  /// Data packets that the recorder cut.
  public private(set) var cuts = RecordCuts()
  var hasEnded = false
  /// The file mapped into memory, while records of it are passed over.
  var view: FileView?
  private var isResting = false
  /// Bytes of the file header that are still to be passed.
  var headerLength = 0

  /// Opens a file, or standard input for `-`, and recognises what it is.
  ///
  /// `FILE!MEMBER` names a member of an archive. Throws where nothing can be read at all (exit
  /// status 3 of cli.md).
  ///
  /// - Parameter onRead: told the bytes of a pipe as they come; nothing of what can be read again.
  public init(
    path: String, onRead: ((ArraySlice<UInt8>) -> Void)? = nil
  ) throws(CaptureError) {
    let (file, member) = try FileSource.open(path)
    if !file.isSeekable { file.onRead = onRead }
    try self.init(
      window: ByteWindow(source: file, capacity: 1 << 17), name: path, member: member)
  }

  /// Opens a file that goes by another name, such as a copy of what came through a pipe.
  public init(path: String, shownAs name: String) throws(CaptureError) {
    try self.init(source: try FileSource(path: path), name: name)
  }

  /// Reads a capture that lies in memory.
  public init(bytes: [UInt8], name: String) throws(CaptureError) {
    try self.init(window: ByteWindow(bytes: bytes), name: name, member: nil)
  }

  /// Reads a capture from any source through a window of `capacity` bytes.
  init(
    source: any ByteSource, name: String, capacity: Int = 1 << 17
  ) throws(CaptureError) {
    try self.init(
      window: ByteWindow(source: source, capacity: capacity), name: name, member: nil)
  }

  private init(
    window: consuming ByteWindow, name: String, member: String?
  ) throws(CaptureError) {
    let opened = try FormatSniffer.open(window, path: name, member: member, depth: 0)
    let found = opened.found
    snooz = found.snooz
    path = name
    format = found.format
    order = found.order
    link = found.link
    linkTypes = found.format == .pcapng ? [] : [found.link]
    clock = found.clock
    openingNotes = found.notes
    isPlainPcap = found.format == .pcap && !found.link.isUSB
    members = opened.members
    otherMembers = opened.others
    self.window = opened.window
    start()
  }

  /// The next record; nil at the end, or where damage ends the capture (see `damages`).
  @_lifetime(&self)
  public mutating func next() throws(CaptureError) -> RecordView? {
    var step = Step.skipped
    if headerLength == 0 {
      // The two formats of long captures are tried here, so that the record stays in registers.
      var out = PendingRecord()
      if format == .btsnoop {
        step = try stepBTSnoop(&out)
        if case .record = step {
          return RecordView(header: out.header, payload: window.view(out.start, out.count))
        }
      } else if isPlainPcap {
        step = try stepPcap(&out)
        if case .record = step {
          return RecordView(header: out.header, payload: window.view(out.start, out.count))
        }
      } else {
        skippedRecords -= 1
      }
    } else {
      try wake()
      _ = try window.skip(headerLength)
      headerLength = 0
      skippedRecords -= 1
    }
    var out = PendingRecord()
    guard try advance(&out, after: step) else { return nil }
    if out.isJoined {
      return RecordView(header: out.header, payload: usb.current.rawBytes)
    }
    return RecordView(header: out.header, payload: window.view(out.start, out.count))
  }

  /// Goes back to the first record; false where the input cannot (a pipe).
  public mutating func rewind() throws(CaptureError) -> Bool {
    view = nil
    guard window.rewind() else { return false }
    damages = []
    damageCount = 0
    toldDamages = 0
    frames = 0
    skippedRecords = 0
    hasEnded = false
    sections = PcapngState()
    usb = USBCapture()
    cuts = RecordCuts()
    snooz.elapsed = 0
    clock.forget()
    start()
    return true
  }

  /// Gives back the memory that reading takes, until the first record is asked for: for a capture
  /// that was opened along with many others. Does nothing where the input cannot go back.
  public mutating func rest() {
    guard frames == 0, !isResting, isSeekable, window.source != nil else { return }
    window.release()
    isResting = true
  }

  private mutating func wake() throws(CaptureError) {
    guard isResting else { return }
    isResting = false
    guard try rewind() else {
      throw CaptureError(.io, path: path, reason: "cannot be read a second time")
    }
  }

  /// Whether `rewind()` works.
  public var isSeekable: Bool { window.source?.isSeekable ?? true }

  /// Whether the input is a plain file, which may grow while it is read.
  public var canGrow: Bool { (window.source as? FileSource)?.isSeekable ?? false }

  /// Bytes of the input passed so far.
  public var bytesConsumed: Int { window.source?.packedProgress?.consumed ?? window.offset }

  /// Length of the input, where it is known.
  public var totalBytes: Int? {
    guard let source = window.source else { return window.end }
    if let progress = source.packedProgress { return progress.total }
    return source.totalBytes
  }

  /// The first damage, if there was any (exit status 4 of cli.md).
  public var damage: CaptureError? { damages.first }

  /// Records read so far, those of unread kinds included.
  public var frameCount: Int { frames }

  /// Records passed over because their interface or type carries nothing that is read here.
  public var skippedRecordCount: Int { skippedRecords }

  /// One line for `-v`: container and link types.
  public var summary: String {
    let links = linkTypes.map(\.description).joined(separator: ", ")
    return links.isEmpty ? "\(format)" : "\(format), \(links)"
  }
}

extension CaptureReader {
  /// What one attempt at reading a record came to.
  enum Step {
    /// `current` and the payload's place are set.
    case record
    /// A record was counted and is not given.
    case skipped
    /// A record was counted; packets that it holds or completes are given one by one.
    case held
    /// The input ended between records.
    case end
    /// The bytes at the reader's place are no record.
    case damaged(Fault)
  }

  /// Passes the container's own header, whose bytes the sniffer has checked.
  private mutating func start() {
    headerLength =
      switch format {
      case .btsnoop: 16
      case .pcap: 24
      case .pcapng, .packetLogger, .hcidump, .btsnooz, .bugReport, .h4: 0
      }
  }

  @inline(never)
  private mutating func advance(
    _ out: inout PendingRecord, after first: Step
  ) throws(CaptureError) -> Bool {
    try wake()
    var step = first
    while true {
      switch step {
      case .record: return true
      case .skipped: skippedRecords += 1
      case .held: break
      case .end: if try !finish() { return end() }
      case .damaged(let fault): if try !recover(from: fault) { return end() }
      }
      if let header = usb.takeReady() {
        out.header = header
        out.isJoined = true
        return true
      }
      step =
        switch format {
        case .btsnoop: try stepBTSnoop(&out)
        case .pcap: try stepPcap(&out)
        case .pcapng: try stepPcapng(&out)
        case .packetLogger: try stepPacketLogger(&out)
        case .hcidump: try stepHCIDump(&out)
        case .btsnooz, .bugReport: try stepBTSnooz(&out)
        case .h4: try stepH4(&out)
        }
    }
  }

  @inline(never)
  private mutating func noteCut(_ kind: PacketKind, _ kept: Int) {
    if kind.content == .acl { cuts.note(kept) }
  }

  /// No record is given: where that stays so, nothing needs the window any more.
  private mutating func end() -> Bool {
    if hasEnded {
      window.release()
      view = nil
    }
    return false
  }

  /// The end of the input: a capture without any Bluetooth interface is refused only now.
  private mutating func finish() throws(CaptureError) -> Bool {
    if window.source?.fault != nil, !isGrowing { return try recover(from: .source) }
    if isGrowing {
      window.retry()
      return false
    }
    if !hasEnded, damageCount == 0, let refused = refusal {
      throw CaptureError(.notACapture, path: path, offset: refused.offset, reason: refused.reason)
    }
    hasEnded = true
    return false
  }

  /// Why a capture that was read to its end is none of Bluetooth; nil where it is one.
  private var refusal: (offset: Int?, reason: String)? {
    if let refused = sections.refused, !linkTypes.contains(where: \.isReadable) {
      return (refused.offset, refused.reason)
    }
    let wrapped = linkTypes.filter(\.isReadable)
    if wrapped == [.ppi], frames > 0, let unread = sections.unread.first,
      sections.unread.reduce(0, { $0 + $1.packets }) == frames
    {
      return (nil, "\(LinkType.ppi), behind which lies \(unread.link.refusal)")
    }
    guard frames > 0, usb.adapterCount == 0, let link = wrapped.first, wrapped.allSatisfy(\.isUSB)
    else { return nil }
    return (
      nil,
      "\(link): none of the \(usb.deviceCount) USB devices in it is a Bluetooth adapter, by its "
        + "descriptors or by what it sends"
    )
  }

  /// What was passed over because nothing here reads it.
  private var passedOverNotes: [String] {
    guard refusal == nil else { return [] }
    // What cuts btsnooz logs is told of them as a whole.
    let isShort = format == .btsnooz || format == .bugReport
    return sections.unread.map(\.note) + (isShort ? [] : [cuts.note].compactMap(\.self))
  }

  /// Sets what `next()` will give, for a record whose packet lies `ahead` of the reader's place,
  /// and moves over the whole record of `length` bytes.
  @inline(__always)
  mutating func take(
    _ out: inout PendingRecord, _ kind: PacketKind, ahead: Int, captured: Int, original: Int,
    time: Timestamp?, adapter: Int, drops: UInt32, length: Int
  ) {
    if original > captured { noteCut(kind, captured) }
    let start = window.position &+ ahead &+ kind.front
    let count = captured &- kind.front
    out.start = start
    out.count = count
    out.header = RecordHeader(
      frame: frames, time: time, adapter: adapter,
      originalLength: max(original &- kind.front, count), fileOffset: window.base &+ start,
      drops: drops, monitorOpcode: kind.opcode, content: kind.content, direction: kind.direction,
      directionGuessed: kind.guessed, followsDamage: damageCount > toldDamages)
    toldDamages = damageCount
    window.keep = window.position
    window.position &+= length
  }
}

extension RecordHeader {
  /// What a reader holds before its first record.
  static var none: RecordHeader {
    RecordHeader(
      frame: 0, time: nil, adapter: 0, originalLength: 0, fileOffset: 0, drops: 0,
      monitorOpcode: 0, content: .other, direction: .unknown, directionGuessed: false)
  }
}
