import BluetoothProtocols
import PeatDissection
import PeatProtocol
import PeatReplay
import PeatTimeline

/// One thing that a line says of a message, and how much it matters.
struct Phrase {
  var text: String
  var paint: TextStyle.Paint?
  /// Shown only where the line has room.
  var isOptional = false
}

/// What the lines so far have told, so that a line can say what changed.
struct NodeMemory {
  var names: [NodeID: String] = [:]
  var counters: [NodeID: UInt64] = [:]
  /// The last peripheral shown of a node, to tell changes that matter to people.
  var shown: [NodeID: ShownStatus] = [:]
  /// Nodes whose last document held an emergency.
  var inEmergency: Set<NodeID> = []
  /// The emergency that was told last, with the acks of all documents.
  var joined: EmergencyEvent?
  /// What was said of receivers: once for each node and receiver.
  var told: Set<ToldNote> = []

  struct ToldNote: Hashable {
    var node: NodeID?
    var receiver: Receiver
    var text: String
  }

  struct ShownStatus: Equatable {
    var activity: UInt8
    var alerts: UInt8
    var event: EventType?
  }

  /// Counts that are remembered for saying what changed.
  private static let limit = 65_536

  /// A node as people call it: callsign, else id.
  func name(_ node: NodeID) -> String { names[node] ?? node.description }

  mutating func learn(_ peripheral: Peripheral?, of node: NodeID) {
    guard let peripheral, names.count < NodeMemory.limit else { return }
    let name = peripheral.callsign.text.replacingUnsafeCharacters()
    if !name.isEmpty { names[node] = name }
  }

  mutating func learn(counter node: NodeID, _ count: UInt64) -> UInt64? {
    let before = counters[node]
    if before != nil || counters.count < NodeMemory.limit { counters[node] = count }
    return before
  }
}

extension NodeMemory {
  /// What a row says, the most important first; updates what is known.
  mutating func phrases(for row: TimelineRow) -> [Phrase] {
    var phrases: [Phrase] = []
    if let outcome = row.value.outcome { phrases.append(phrase(of: outcome)) }
    guard let decoded = row.document else {
      return phrases + wrapping(row.message) + findings(row)
    }
    let told = decoded.shownPeripheral
    learn(told, of: decoded.document.node)
    phrases += updates(row, decoded)
    phrases += findings(row)
    phrases += dropped(decoded)
    phrases += wrapping(row.message)
    return phrases + status(told, of: decoded.document.node)
  }

  /// Whether a row repeats what is known: a heartbeat that can be folded.
  func isRepetition(_ row: TimelineRow) -> Bool {
    guard row.message.kind == .document, let decoded = row.document, row.value.outcome == nil,
      shownFindings(row).isEmpty, row.effect.firstSeen.isEmpty, !row.effect.isChanged,
      decoded.dropped.isEmpty, row.message.collides == nil
    else { return false }
    let node = decoded.document.node
    guard inEmergency.contains(node) == (decoded.document.emergency != nil) else { return false }
    guard let told = decoded.shownPeripheral else { return true }
    return shown[node] == ShownStatus(told)
  }

  private func phrase(of outcome: ValueOutcome) -> Phrase {
    switch outcome {
    case .cancelled: Phrase(text: "cancelled by the sender", paint: .bad)
    case .refused(let code):
      Phrase(
        text:
          "refused with ATT error 0x\(String(code, radix: 16)) (\(ATTErrorCode(rawValue: code)))",
        paint: .bad)
    }
  }

  /// News of counters, events, emergencies and acks.
  private mutating func updates(
    _ row: TimelineRow, _ decoded: DecodedDocument
  ) -> [Phrase] {
    let author = decoded.document.node
    var urgent: [Phrase] = []
    var plain: [Phrase] = []
    var own: [Phrase] = []
    var others: [String] = []
    var acks: [NodeID] = []
    for update in row.effect.firstSeen {
      switch update {
      case .node: plain.append(Phrase(text: "new node", paint: .good))
      case .counter(let node, let count):
        let before = learn(counter: node, count) ?? 0
        if node == author {
          own.append(Phrase(text: "counter \(before)→\(count)"))
        } else {
          others.append("counter of \(name(node)) \(before)→\(count)")
        }
      case .event(_, let type, _):
        // The emergency section says the same, and who has acknowledged.
        if decoded.document.emergency == nil || type != .emergency && type != .ack {
          plain.append(
            Phrase(text: "event \(type.name)", paint: type == .emergency ? .alarm : .bold))
        }
      case .emergency(let source, _):
        let whose = source == author ? "" : " from \(name(source))"
        urgent.append(Phrase(text: "!!! EMERGENCY\(whose) !!!", paint: .alarm))
      case .ack(let node, _, _): acks.append(node)
      }
    }
    if let emergency = decoded.document.emergency {
      let joined = join(emergency)
      let waiting = joined.pending.map(name)
      if !acks.isEmpty || !urgent.isEmpty {
        let others = acks.filter { $0 != emergency.source }
        let by = others.isEmpty ? "" : " by " + others.map(name).joined(separator: ", ")
        urgent.append(
          Phrase(
            text: "ACK \(joined.acked.count) of \(joined.acks.count)\(by)",
            paint: waiting.isEmpty ? .good : .warning))
        if emergency.acked.count < joined.acked.count {
          urgent.append(
            Phrase(text: "\(emergency.acked.count) in this document", paint: .faint))
        }
      }
      if !urgent.isEmpty && !waiting.isEmpty {
        urgent.append(
          Phrase(
            text: "waiting for \(waiting.joined(separator: ", "))", paint: .warning))
      }
      if inEmergency.insert(author).inserted && urgent.isEmpty {
        plain.append(Phrase(text: "knows of the emergency", paint: .warning))
      }
    } else if inEmergency.remove(author) != nil {
      plain.append(Phrase(text: "emergency cleared locally", paint: .warning))
    }
    return urgent + plain + own + heard(others)
  }

  /// What all documents together show of an emergency.
  private mutating func join(_ emergency: EmergencyEvent) -> EmergencyEvent {
    guard var known = joined, known.isSame(as: emergency) else {
      joined = emergency
      return emergency
    }
    if known.acks.count < NodeMemory.limit { known.merge(emergency) }
    joined = known
    return known
  }

  /// Counters of others that a document brings as news.
  private func heard(_ counters: [String]) -> [Phrase] {
    guard counters.count > 2 else { return counters.map { Phrase(text: $0) } }
    return [
      Phrase(text: "\(counters.count) counters of others"),
      Phrase(
        text: counters.map { $0.replacing("counter of ", with: "") }.joined(separator: ", "),
        paint: .faint, isOptional: true),
    ]
  }

  private func dropped(_ decoded: DecodedDocument) -> [Phrase] {
    decoded.dropped.map {
      let what =
        switch $0.rule {
        case .drop: "\($0.section.rawValue) dropped"
        case .stop: "decoding stops"
        case .skip: "\($0.section.rawValue) skipped"
        case .clamp: "\($0.section.rawValue) clamped"
        }
      return Phrase(text: "\(what): \($0.reason)".replacingUnsafeCharacters(), paint: .warning)
    }
  }

  /// What no sender can see, as a line of its own: who makes something else of these bytes.
  ///
  /// Why is in the line itself; that a malformed message is dropped goes without saying.
  /// Each thing is said once of a node and a receiver; `all` says it of every message.
  mutating func sentence(for row: TimelineRow, all: Bool) -> String? {
    let losses = row.receivers.filter { note in
      if row.message.fault != nil, note.text == "drops it" { return false }
      let key = ToldNote(node: row.message.node, receiver: note.receiver, text: note.text)
      let isNew = told.count < NodeMemory.limit && told.insert(key).inserted
      return all ? note.isLoss : isNew
    }
    guard !losses.isEmpty else { return nil }
    return losses.map { "\($0.receiver.name) \($0.text)" }.joined(separator: "; ") + "."
  }

  /// Notes hold for nearly every message of a node that gives rise to them: the summary, records and
  /// the screen's detail have them, lines do not.
  private func shownFindings(_ row: TimelineRow) -> [Finding] {
    row.findings.filter { $0.severity > .note }
  }

  private func findings(_ row: TimelineRow) -> [Phrase] {
    shownFindings(row).map {
      Phrase(text: $0.message, paint: $0.severity == .error ? .bad : .warning)
    }
  }

  /// Battery, activity, position: worth a look where there is room.
  private mutating func status(_ peripheral: Peripheral?, of node: NodeID) -> [Phrase] {
    guard let peripheral else { return [] }
    var phrases: [Phrase] = []
    let status = ShownStatus(peripheral)
    let isNews = shown[node] != status
    if shown[node] != nil || shown.count < NodeMemory.limit { shown[node] = status }
    let alerts = peripheral.health.alerts.names
    if !alerts.isEmpty {
      phrases.append(
        Phrase(text: alerts.joined(separator: " "), paint: .bad, isOptional: !isNews))
    }
    if isNews && peripheral.health.activity.rawValue != 0 {
      phrases.append(Phrase(text: peripheral.health.activity.name))
    }
    if peripheral.health.battery > 0 {
      phrases.append(
        Phrase(
          text: "bat \(peripheral.health.battery)%",
          paint: peripheral.health.battery <= 20 ? .bad : nil, isOptional: true))
    }
    if let location = peripheral.location {
      phrases.append(Phrase(text: location.shortText, paint: .faint, isOptional: true))
    }
    return phrases
  }
}

extension NodeMemory.ShownStatus {
  init(_ peripheral: Peripheral) {
    activity = peripheral.health.activity.rawValue
    alerts = peripheral.health.alerts.rawValue
    event = peripheral.event?.type
  }
}

extension Location {
  /// Degrees with four decimals, about ten metres: `46.1760,7.8631`.
  var shortText: String { "\(Location.degrees(latitude)),\(Location.degrees(longitude))" }

  private static func degrees(_ value: Float) -> String {
    guard value.isFinite, abs(value) <= 360 else { return "?" }
    let scaled = Int((Double(value) * 10_000).rounded())
    let magnitude = scaled.magnitude
    let fraction = String(magnitude % 10_000)
    let zeros = String(repeating: "0", count: 4 - fraction.count)
    return "\(scaled < 0 ? "-" : "")\(magnitude / 10_000).\(zeros)\(fraction)"
  }
}
