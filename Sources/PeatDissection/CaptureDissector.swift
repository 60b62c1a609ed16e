public import CaptureFormats
public import WireBytes

/// Finds the values of Peat characteristics in one capture, in file order.
///
/// Where discovery names handles after their first values, the values wait in memory. Where too
/// many wait, a file is read twice: the first reading learns the tables, the second shows the
/// values (architecture.md 2.1). From a pipe, the oldest waiting value is given up instead.
public struct CaptureDissector: ~Copyable {
  private var reader: CaptureReader
  private var dissector: LinkDissector
  private var hasEnded = false
  /// Told now and then how many bytes are read, and of how many where that is known.
  public var onProgress: ((Int, Int?) -> Void)?
  private static let progressInterval = 1 << 14
  private var given = 0
  private var toSkip = 0
  private var firstTimestamp: Timestamp?

  /// Makes a dissector that reads to the end of `reader`.
  public init(reader: consuming CaptureReader, options: DissectionOptions) {
    self.reader = reader
    dissector = LinkDissector(options: options)
  }

  /// Time of the first packet that has one.
  public var firstTime: Timestamp? { firstTimestamp }
  /// Time of the last packet read that has one.
  public private(set) var lastTime: Timestamp?
  /// Packets read.
  public var frameCount: Int { reader.frameCount }
  /// LE connections met.
  public var connectionCount: Int { dissector.nextLinkID - 1 }
  /// Who was heard advertising.
  public var advertisers: AdvertiserTable { dissector.advertisers }
  /// What is known of each connection besides its values; whole once the end is reached.
  public var linkFacts: [LinkFacts] { dissector.facts.all }
  /// The container's name and link types.
  public var summary: String { reader.summary }
  /// What was damaged, at most 16 places.
  public var damages: [CaptureError] { reader.damages }
  /// How many places were damaged.
  public var damageCount: Int { reader.damageCount }
  /// What is odd about the container.
  public var containerNotes: [String] { reader.notes }
  /// Bytes read, and of how many where that is known.
  public var progress: (done: Int, total: Int?) { (reader.bytesConsumed, reader.totalBytes) }

  /// The values that waited for a name until the end and were given up, by handle.
  public private(set) var unresolvedCount = 0

  /// Takes what went wrong below the messages since the last call.
  public mutating func takeNotices() -> [Notice] {
    defer { dissector.notices.removeAll() }
    return dissector.notices
  }

  /// The next value, or nil at the end.
  ///
  /// - Throws: `CaptureError` where the input cannot be read on.
  public mutating func next() throws(CaptureError) -> CapturedValue? {
    while true {
      if !dissector.queue.isEmpty, let value = dissector.nextValue() {
        if toSkip > 0 {
          toSkip -= 1
          continue
        }
        given += 1
        return value
      }
      if hasEnded { return nil }
      try readOn()
    }
  }

  /// Reads records until a value may be ready, or to the end.
  private mutating func readOn() throws(CaptureError) {
    while try step() {
      if dissector.frame & (CaptureDissector.progressInterval - 1) == 0, let onProgress {
        onProgress(reader.bytesConsumed, reader.totalBytes)
      }
      if dissector.needsAttention {
        let limit = reader.isSeekable ? OutputQueue.surveyLimit : OutputQueue.byteLimit
        if dissector.queue.heldBytes > limit { try giveWay() }
        return
      }
    }
    try finish()
  }

  /// Reads one record; false at the end.
  @inline(__always)
  private mutating func step() throws(CaptureError) -> Bool {
    if let time = reader.passOver(dissector.unwanted) { lastTime = time }
    guard let record = try reader.next() else { return false }
    if let time = record.time {
      lastTime = time
      if firstTimestamp == nil { firstTimestamp = time }
    }
    dissector.process(record)
    return true
  }

  /// Too much waits.
  private mutating func giveWay() throws(CaptureError) {
    if reader.isSeekable {
      dissector.startSurvey()
    } else {
      unresolvedCount += dissector.giveUpOldest()
    }
  }

  private mutating func finish() throws(CaptureError) {
    dissector.finish()
    if dissector.isSurvey, dissector.surveyNamesValues, try reader.rewind() {
      dissector = dissector.secondReading()
      toSkip = given
      given = 0
      return
    }
    hasEnded = true
    unresolvedCount += dissector.giveUpUnresolved()
  }
}
