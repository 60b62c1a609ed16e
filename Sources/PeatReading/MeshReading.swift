import BluetoothProtocols
import CaptureFormats
import PeatDissection
public import PeatProtocol
import PeatReplay
import PeatSecurity
import PeatTimeline
import WireBytes

/// What one or several captures tell of a Peat mesh: its messages in order, then its nodes, its
/// emergencies, and how news spread.
///
///     let reading = try MeshReading(captures: ["phone.log"]) { message in
///       print(message.frame, message.content.kind, message.content.node.map { "\($0)" } ?? "-")
///     }
///     for emergency in reading.emergencies { print(emergency.verdict) }
///
/// Several captures are put on the first one's clock, and a message that two of them recorded is
/// given once (docs/cli.md, "Several captures"). A capture that cannot be read, or not to its end,
/// is a problem of the reading, and the others go on.
public struct MeshReading: Sendable {
  /// Messages of Peat that the captures hold.
  public let messageCount: Int
  /// Nodes that sent documents, ascending by id.
  public let nodes: [MeshNode]
  /// The join of all documents: each node's count, the highest seen anywhere (docs/protocol.md 4).
  public let counts: [NodeID: UInt64]
  /// All emergencies, the newest last.
  public let emergencies: [Emergency]
  /// How each piece of news spread, by first appearance.
  public let updates: [Update]
  /// What kept captures from being read as a whole, with the place in the file.
  public let problems: [ReadingProblem]

  /// Reads captures to their ends; `use` is given each message as it comes, so that none is kept.
  ///
  /// - Parameters:
  ///   - captures: paths of captures, `ARCHIVE!MEMBER` for a part of an archive.
  ///   - keys: what opens encrypted messages.
  ///   - use: told each message, ascending by time.
  /// - Throws: `ReadingProblem` where none of the captures can be opened; what `use` throws.
  public init(
    captures: [String], keys: MeshSecrets = MeshSecrets(),
    _ use: (MeshMessage) throws -> Void = { _ in }
  ) throws {
    var problems: [ReadingProblem] = []
    var streams: [CaptureStream] = []
    for path in captures {
      do throws(CaptureError) {
        streams.append(try MeshReading.stream(path, keys, isAlone: captures.count == 1))
      } catch {
        problems.append(ReadingProblem(error))
      }
    }
    if streams.isEmpty, let first = problems.first { throw first }
    _ = Alignment(streams, options: Alignment.Options())
    var timeline = Timeline(streams: streams, opener: keys.keyring, givesRepeats: true)
    var places: [String: Int] = [:]
    for (place, stream) in streams.enumerated() { places[stream.file] = place }
    var convergence = Convergence(files: captures)
    var story = MeshStory()
    var count = 0
    while let row = timeline.next() {
      story.take(row)
      if row.isRepeat { continue }
      convergence.take(row, capture: places[row.file] ?? 0)
      count += 1
      try use(MeshMessage(row))
    }
    story.conclude(streams, opener: keys.keyring) { timeline.assignNumber($0, stream: $1) }
    for stream in streams {
      if let failure = stream.takeFailure() { problems.append(ReadingProblem(failure)) }
      problems += stream.dissector.damages.map { ReadingProblem($0) }
    }
    messageCount = count
    let state = timeline.state
    nodes = state.nodes.map { MeshNode($0.key, $0.value) }.sorted { $0.id < $1.id }
    counts = Dictionary(
      state.counter.entries.map { ($0.node, $0.count) }, uniquingKeysWith: { max($0, $1) })
    let words = EmergencyWords(
      clock: MeshReading.clock,
      name: { node in
        // Names come from strangers' radios and end up on terminals: plain ones only.
        (state.nodes[node]?.peripheral?.callsign.text).flatMap(MeshReading.plain) ?? "\(node)"
      })
    emergencies = story.emergencies.map { Emergency($0, words) }
    let report = ConvergenceReport(convergence, spans: ClockSpans(streams.map(\.clockSpans)))
    updates = report.updates.map { Update($0, report) }
    self.problems = problems
  }

  private static func plain(_ name: String) -> String? {
    let isPlain = !name.isEmpty && name.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    return isPlain ? name : nil
  }

  /// The time of day in UTC, for the sentences on emergencies.
  private static func clock(_ time: Timestamp) -> String {
    let civil = CivilTime(time)
    var text = OutputText(capacity: 16)
    text.append(decimal: civil.hour, width: 2)
    text.append(":")
    text.append(decimal: civil.minute, width: 2)
    text.append(":")
    text.append(decimal: civil.second, width: 2)
    return String(decoding: text.slice, as: UTF8.self)
  }

  private static func stream(
    _ path: String, _ keys: MeshSecrets, isAlone: Bool
  ) throws(CaptureError) -> CaptureStream {
    let keyring = keys.keyring
    var options = DissectionOptions()
    if !keyring.identityResolvingKeys.isEmpty {
      options.resolveAddress = { address in
        keyring.identityAddress(of: address.value).map { DeviceAddress(value: $0) }
      }
    }
    let reopen = { () throws(CaptureError) -> CaptureReader in try CaptureReader(path: path) }
    let reader = try reopen()
    let canReopen = reader.isSeekable && !isAlone
    return CaptureStream(
      file: path, reader: reader, options: options, reopen: canReopen ? reopen : nil)
  }
}

/// What keeps a capture from being read, or from being read to its end.
public struct ReadingProblem: Error, Sendable, CustomStringConvertible {
  /// What is wrong, with the file and the place in it.
  public let description: String

  init(_ error: CaptureError) { description = "\(error)" }
}
