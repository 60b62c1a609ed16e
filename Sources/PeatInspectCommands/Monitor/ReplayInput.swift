import CaptureFormats

/// A capture that is played as if it came now, faster or slower.
final class ReplayInput: MonitorInput {
  private var player: ReplayPlayer

  /// - Parameter speed: seconds of the capture in one second; 0 plays without any pause.
  init(path: String, speed: Double, isStrict: Bool) throws(CaptureError) {
    var reader = try CaptureReader(path: path)
    reader.stopsAtDamage = isStrict
    player = ReplayPlayer(reader: reader, pace: ReplayPace(speed: speed))
  }

  var descriptor: Int32? { nil }
  var nextLook: UInt64? { player.held.flatMap { player.pace.due($0.header.time) } }
  var damages: [CaptureError] { player.reader.damages }
  var notes: [String] { player.reader.notes }

  func moment(at now: UInt64) -> UInt64 {
    player.hasEnded ? player.pace.latest : player.pace.moment(at: now)
  }

  func pump(into engine: inout MonitorEngine, at now: UInt64) throws(CaptureError) -> InputState {
    try player.pump(into: &engine, at: now)
  }
}

/// The reader of a replayed capture, and how far it is.
private struct ReplayPlayer: ~Copyable {
  /// Records handed over at once, so that signals are seen in between.
  private static let batch = 256

  var reader: CaptureReader
  var pace: ReplayPace
  /// The next record, whose time has not come.
  private(set) var held: StoredRecord?
  private(set) var hasEnded = false

  init(reader: consuming CaptureReader, pace: ReplayPace) {
    self.reader = reader
    self.pace = pace
  }

  mutating func pump(
    into engine: inout MonitorEngine, at now: UInt64
  ) throws(CaptureError) -> InputState {
    if hasEnded { return .ended }
    if let record = held {
      guard pace.isDue(record.header.time, at: now) else { return .waiting }
      held = nil
      pace.reach(record.header.time)
      engine.take(record.view, at: pace.latest)
    }
    for _ in 0..<ReplayPlayer.batch where !engine.hasRows {
      guard let record = try reader.next() else {
        hasEnded = true
        return .ended
      }
      pace.begin(record.time, at: now)
      guard pace.isDue(record.time, at: now) else {
        held = StoredRecord(record)
        return .waiting
      }
      pace.reach(record.time)
      engine.take(record, at: pace.latest)
    }
    return .ready
  }
}
