package import FirmwareUpgrades
package import MeshDissection
package import PeatDissection
package import PeatProtocol
package import PeatReplay
package import WireBytes

/// The messages of one or several captures with their effect on the replayed mesh.
package struct Timeline<Opener: MessageOpener> {
  package let streams: [CaptureStream]
  package private(set) var state: MeshState
  private var decoder: MessageDecoder<Opener>
  /// Looks for what is wrong with the mesh; nil where nobody asks.
  package private(set) var engine: FindingEngine?
  private var mesh: MeshTimeline
  /// The firmware upgrades so far.
  package private(set) var upgrades = SMPStory()
  private var start: Timestamp?
  /// The time of the last value that has one.
  private var lastTime: Timestamp?
  private var hasStarted = false
  private var heads = StreamHeads()
  /// The run's number for a capture's own connection number, where there are several captures.
  private var linkNumbers: [LinkOrigin: Int] = [:]
  /// Whether what another capture's row tells already is given too, marked as a repeat.
  private let givesRepeats: Bool

  private struct LinkOrigin: Hashable {
    var stream: Int
    var link: Int
  }

  package init(
    streams: [CaptureStream], opener: Opener, appliesDeltas: Bool = false,
    engine: FindingEngine? = nil, givesRepeats: Bool = false, meshes: MeshKeys = MeshKeys()
  ) {
    mesh = MeshTimeline(meshes)
    self.engine = engine
    self.givesRepeats = givesRepeats
    self.streams = streams
    decoder = MessageDecoder(opener: opener)
    state = MeshState(appliesDeltas: appliesDeltas)
  }

  /// The first packet of the earliest capture, once the first row was asked for.
  package var startTime: Timestamp? { start }

  /// The next message of Peat, or nil at the end; for readings that want no other protocol.
  package mutating func next() -> TimelineRow? {
    while let item = nextItem() {
      if case .peat(let row) = item { return row }
    }
    return nil
  }

  /// The next message of any protocol that the captures are read for, or nil at the end.
  ///
  /// A capture that cannot be read on ends, and the others go on; `CaptureStream.takeFailure()`
  /// tells why. Nothing behind `moment`, in nanoseconds since 1970, is given.
  package mutating func nextItem(until moment: Int64? = nil) -> TimelineItem? {
    if !hasStarted {
      for stream in streams { _ = stream.peek() }
      start = streams.compactMap(\.firstTime).min()
      hasStarted = true
      if streams.count > 1 { heads = StreamHeads(streams.map { $0.peek() }) }
    }
    while true {
      if let ready = mesh.takeReady() {
        switch ready {
        case .mesh(let row, _): return .mesh(row)
        case .other(let held):
          guard let item = item(held) else { continue }
          return item
        }
      }
      guard let held = pull(until: moment) else {
        if mesh.isEmpty {
          mesh.end()
          return nil
        }
        mesh.end()
        continue
      }
      if case .mesh(let carrier) = held.value.owner {
        mesh.take(carried(held.value, held.file), carrier)
      } else if isLeftOut(held) {
        continue
      } else if mesh.isEmpty {
        if let item = item(held) { return item }
      } else {
        mesh.hold(held)
      }
    }
  }

  /// The next value of all captures that is wanted.
  private mutating func pull(until moment: Int64?) -> MeshTimeline.Held? {
    while let index = earliest() {
      let stream = streams[index]
      if let moment, let time = stream.peek()?.time, time.nanoseconds > moment { return nil }
      let isRepeat = stream.isRepeatAhead
      guard var value = stream.take() else { return nil }
      heads.noteTaken()
      // Connections are counted alike whether repeats are wanted or not.
      if streams.count > 1 { value.link.id = number(of: value.link, stream: index) }
      if isRepeat && !(givesRepeats && value.owner == .peat) { continue }
      return MeshTimeline.Held(
        value: value, file: stream.file, recordedTime: stream.recordedTimeAhead,
        isRepeat: isRepeat)
    }
    return nil
  }

  /// Whether a message is of another mesh than the one that is wanted: it reaches no state either.
  private mutating func isLeftOut(_ held: MeshTimeline.Held) -> Bool {
    guard let members, held.value.owner == .peat else { return false }
    return !members.contains(decode(held.value), held.value)
  }

  /// Nil for a value that is only a part of a message.
  private mutating func item(_ held: MeshTimeline.Held) -> TimelineItem? {
    switch held.value.owner {
    // Those of a mesh go their own way.
    case .peat, .mesh:
      .peat(
        row(
          held.value, file: held.file, recordedTime: held.recordedTime, isRepeat: held.isRepeat))
    case .smp: upgrades.take(carried(held.value, held.file)).map { .smp($0) }
    }
  }

  private func carried(_ value: CapturedValue, _ file: String) -> CarriedValue {
    CarriedValue(file: file, value: value, elapsed: elapsed(value))
  }

  /// What the captures tell of meshes so far.
  package var meshOverview: MeshOverview { mesh.decoder.overview }

  /// The names of meshes.
  package var meshNames: MeshNames { mesh.decoder.names }

  /// The mesh whose messages alone are wanted; nil for all.
  package var members: MeshMembers?

  /// Shows each row at once, as where a capture is followed.
  package mutating func hurry() { mesh.waits = false }

  /// Takes the findings on meshes that belong to no row.
  package mutating func takeMeshFindings() -> [PlacedMeshFinding] {
    mesh.takeFindings()
  }

  /// The run's number for a capture's own connection number, a new one where no row was of it.
  package mutating func assignNumber(_ link: Int, stream: Int) -> Int {
    if streams.count == 1 { return link }
    let origin = LinkOrigin(stream: stream, link: link)
    if let known = linkNumbers[origin] { return known }
    let number = linkNumbers.count + 1
    linkNumbers[origin] = number
    return number
  }

  /// The row of a value that comes from no stream, such as one captured just now.
  package mutating func row(
    of value: CapturedValue, file: String, since start: Timestamp?
  ) -> TimelineRow {
    self.start = start
    return row(value, file: file, recordedTime: value.time)
  }

  private mutating func earliest() -> Int? {
    if streams.count == 1 { return 0 }
    if let taken = heads.taken { heads.replaceTaken(streams[taken].peek()) }
    return heads.first
  }

  private mutating func number(of link: Link, stream: Int) -> Int {
    assignNumber(link.id, stream: stream)
  }

  private mutating func row(
    _ value: CapturedValue, file: String, recordedTime: Timestamp?, isRepeat: Bool = false
  ) -> TimelineRow {
    var findings: [Finding] = []
    var cut: TimelineRow.Cut?
    let message: Message
    if value.isCutByCapture || (value.spansLoss && MTUCut.endsInside(value.payload)) {
      cut = .capture
      message = .incomplete(captured: value.payload.count, of: value.length)
      findings.append(
        Finding(
          .cutByCapture,
          value.isCutByCapture
            ? "the capture holds \(value.payload.count) of the value's \(value.length) bytes"
            : "packets were lost while its parts came, and its end with them"))
    } else {
      message = decode(value)
      if MTUCut.applies(to: value), message.kind == .document || message.kind == .malformed {
        cut = .mtu
        findings.append(
          Finding(
            .cutByMTU,
            MTUCut.text(of: value)))
      }
    }
    for step in value.clockSteps {
      findings.append(
        Finding(
          .clockStep, step.frame == value.frame ? step.text : "\(step.text) in frame \(step.frame)",
          otherFrames: step.frame == value.frame ? [] : [step.frame]))
    }
    if value.followsLoss {
      findings.append(Finding(.droppedPackets, "packets are missing from the capture before it"))
    }
    let receivers =
      cut == .capture
      ? []
      : Receivers.notes(message, bytes: value.payload, delivery: Delivery(value.opcode))
    var row = TimelineRow(
      file: file, value: value, recordedTime: recordedTime, elapsed: elapsed(value),
      message: message,
      receivers: receivers,
      effect: isRepeat ? noEffect : effect(of: message, value), cutBy: cut, findings: findings,
      isRepeat: isRepeat)
    if let more = engine?.observe(row), !more.isEmpty { row.findings += more }
    return row
  }

  private mutating func decode(_ value: CapturedValue) -> Message {
    if let advertisement = value.advertisement {
      return decoder.decodeBeacon(
        value.payload, form: advertisement.form,
        rssi: advertisement.rssi.flatMap { Int8(exactly: $0) }, name: advertisement.name)
    }
    return decoder.decode(
      value.payload,
      context: MessageContext(role: value.role, isReadAnswer: value.opcode.isRead))
  }

  /// Time goes on across a step of the clock, and not back where packets changed places.
  private func elapsed(_ value: CapturedValue) -> Int64? {
    guard let time = value.time, let start else { return nil }
    return max(0, time.nanoseconds(since: start, without: value.clockShift))
  }

  /// What was refused, cancelled or cut is shown and never joined (cli.md).
  private mutating func effect(of message: Message, _ value: CapturedValue) -> Effect {
    if !value.clockSteps.isEmpty { state.beginStretch() }
    let time = value.time ?? lastTime ?? start ?? Timestamp(nanoseconds: 0)
    if value.time != nil { lastTime = value.time }
    if value.outcome == nil, message.kind != .incomplete, let effect = state.join(message, at: time)
    {
      return effect
    }
    return noEffect
  }

  private var noEffect: Effect {
    Effect(isChanged: false, firstSeen: [], meshTotal: state.total)
  }
}
