import CaptureFormats

/// A capture that is read while it is written: its bytes are given as they come.
struct FollowedCapture: ~Copyable {
  private let name: String
  private let bytes = IncomingBytes()
  private var reader: CaptureReader?
  private let isStrict: Bool

  init(name: String, isStrict: Bool) {
    self.name = name
    self.isStrict = isStrict
  }

  var damages: [CaptureError] { mutating get { reader?.damages ?? [] } }
  var notes: [String] { mutating get { reader?.notes ?? [] } }

  mutating func append(_ more: ArraySlice<UInt8>) { bytes.append(more) }

  /// Hands over whole records until one gives rows; true where there may be more.
  mutating func drain(
    into engine: inout MonitorEngine, at now: UInt64
  ) throws(CaptureError) -> Bool {
    if reader == nil {
      guard bytes.canBeRecognised else { return false }
      var opened = try CaptureReader(following: bytes, name: name)
      opened.stopsAtDamage = isStrict
      opened.isGrowing = !bytes.hasEnded
      reader = consume opened
    }
    // The first nil may only mean that the reader had not looked for the new bytes.
    for _ in 0..<2 {
      while let record = try reader?.next() {
        engine.take(record, at: now)
        if engine.hasRows { return true }
      }
    }
    return false
  }

  /// No more bytes come: what is cut now stays cut.
  mutating func end() {
    bytes.end()
    if bytes.count == 0, reader == nil { return }
    reader?.isGrowing = false
  }
}
