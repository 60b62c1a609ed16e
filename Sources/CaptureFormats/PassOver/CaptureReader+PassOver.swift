public import WireBytes

extension CaptureReader {
  /// Passes over records that say nothing wanted.
  ///
  /// Only records beyond any doubt are passed over; the first other one, or one later than `until`
  /// (nanoseconds since 1970), is left for `next()`. Gives the time of the last record passed over,
  /// if there was one.
  public mutating func passOver(
    _ gate: inout TrafficGate, until: Int64? = nil
  ) -> Timestamp? {
    guard headerLength == 0, clock.hasLatest else { return nil }
    switch format {
    case .btsnoop:
      guard clock.scale == 1, link == .hciH4 || link == .hciUnencapsulated || link == .linuxMonitor
      else { return nil }
      return passOver(
        BTSnoopWalk(link: link, origin: clock.origin, drops: gate.drops), &gate, until)
    case .pcap:
      guard let wrapping = PacketWrapping(link) else { return nil }
      return passOver(
        PcapWalk(wrapping: wrapping, isBig: order == .big, isNano: clock.scale == 0), &gate, until)
    case .pcapng:
      guard sections.hasSection else { return nil }
      return passOver(sections.walk(isBig: order == .big), &gate, until)
    case .packetLogger:
      return passOver(PacketLoggerWalk(isBig: order == .big), &gate, until)
    case .hcidump, .btsnooz, .bugReport, .h4: return nil
    }
  }

  /// What is left of the window or of the file's view when a whole record may no longer fit.
  private static let nearEnd = 4096
  private static let nearViewEnd = 1 << 18
  /// Bytes taken from the file's view for a record that is not passed over, and those behind it.
  private static let lent = 1024

  private mutating func passOver(
    _ walk: some RecordWalk, _ gate: inout TrafficGate, _ until: Int64?
  ) -> Timestamp? {
    var passed = PassedRecords(
      frame: frames, lastTime: clock.latest, limit: until.map { $0 / 1000 - 1 } ?? .max)
    if view == nil {
      window.passOver(walk, &gate, &passed)
      if window.available < CaptureReader.nearEnd, !isGrowing { openView() }
    }
    if view != nil { passOverView(walk, &gate, &passed) }
    guard passed.frame > frames else { return nil }
    let isPrecise = format == .pcap && clock.scale == 0 || passed.rest != 0
    frames = passed.frame
    clock.note(passed.lastTime)
    let (nanoseconds, overflow) = passed.lastTime.multipliedReportingOverflow(by: 1000)
    if overflow { return Timestamp(microseconds: passed.lastTime) }
    return Timestamp(
      nanoseconds: nanoseconds &+ passed.rest, isNanosecondPrecise: isPrecise)
  }

  /// Goes on where the window ends, over the file mapped in parts.
  private mutating func openView() {
    guard let file = window.source?.mappableFile, let total = window.source?.totalBytes,
      total - window.offset > CaptureReader.nearViewEnd
    else { return }
    view = FileView(of: file.descriptor, start: file.start, from: window.offset)
  }

  private mutating func passOverView(
    _ walk: some RecordWalk, _ gate: inout TrafficGate, _ passed: inout PassedRecords
  ) {
    guard let view else { return }
    var place = window.offset
    while true {
      guard let bytes = view.bytes(from: place) else {
        self.view = nil
        break
      }
      place += passed.passOver(bytes, walk, &gate)
      if view.isFaulty {
        self.view = nil
        break
      }
      guard view.end - place < CaptureReader.nearViewEnd, !view.reachesEnd else { break }
      guard view.move(to: place) else {
        self.view = nil
        break
      }
    }
    let isInWindow = place - window.offset <= window.available
    if isInWindow { window.jump(to: place) }
    guard let view = self.view, !isInWindow || window.available < CaptureReader.lent,
      let bytes = view.bytes(from: place)
    else {
      window.jump(to: place)
      return
    }
    // What is lent out lies in the window, whatever becomes of the file meanwhile.
    window.adopt(bytes, count: min(bytes.count, CaptureReader.lent), at: place)
    if view.isFaulty {
      window.drop()
      self.view = nil
    }
  }
}

extension PcapngState {
  fileprivate func walk(isBig: Bool) -> PcapngWalk {
    // Where a monitor lies beside other interfaces, or numbers were given anew, packets do not say
    // themselves which adapter they are of.
    let isPlain =
      adapters.isPlain
      && (interfaces.count < 2 || !interfaces.contains { $0.link == .linuxMonitor })
    func interface(_ number: Int) -> PcapngWalk.Interface {
      PcapngWalk.Interface(isPlain && number < interfaces.count ? interfaces[number] : nil)
    }
    return PcapngWalk(
      isBig: isBig, first: interface(0), second: interface(1), third: interface(2),
      fourth: interface(3))
  }
}

extension ByteWindow {
  fileprivate mutating func passOver(
    _ walk: some RecordWalk, _ gate: inout TrafficGate, _ passed: inout PassedRecords
  ) {
    let start = position
    let count = available
    guard count > 0 else { return }
    // The pointer does not leave the closure, and the range lies in the buffer.
    let bytes = unsafe buffer.withUnsafeBytes { whole in
      guard let base = whole.baseAddress else { return 0 }
      return passed.passOver(unsafe PacketBytes(base + start, count: count), walk, &gate)
    }
    guard bytes > 0 else { return }
    position = start + bytes
    keep = position
  }
}

/// Records passed over.
struct PassedRecords {
  /// The last record's number.
  var frame: Int
  /// Its time, in microseconds since 1970.
  var lastTime: Int64
  /// Nanoseconds beyond.
  var rest: Int64 = 0
  /// Nothing later than this is passed over.
  let limit: Int64

  init(frame: Int, lastTime: Int64, limit: Int64) {
    self.frame = frame
    self.lastTime = lastTime
    self.limit = limit
  }

  /// Passes over records from the start of `bytes` on; gives how many bytes they take.
  @inline(__always)
  mutating func passOver(
    _ bytes: PacketBytes, _ walk: some RecordWalk, _ gate: inout TrafficGate
  ) -> Int {
    var at = 0
    var packet = PassedPacket()
    var frame = frame
    var last = lastTime
    var rest = rest
    while true {
      let record = bytes.part(at, bytes.count &- at)
      let length = walk.record(record, &packet)
      guard length > 0 else { break }
      let difference = packet.time &- last
      guard difference < RecordClock.step, difference > -RecordClock.step, packet.time <= limit,
        gate.passes(packet, record.part(packet.start, packet.count), frame: frame &+ 1)
      else { break }
      frame &+= 1
      last = packet.time
      rest = packet.rest
      at &+= length
    }
    self.frame = frame
    lastTime = last
    self.rest = rest
    return at
  }
}
