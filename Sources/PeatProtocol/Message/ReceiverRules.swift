/// What each receiver does with each kind of message (protocol.md 2.9, 7, 9).
enum ReceiverRules {
  static func note(_ message: Message, _ delivery: Delivery, _ notes: inout Notes) {
    switch message.body {
    case .document(let decoded):
      if let marker = message.collides { collision(marker, delivery, &notes) }
      document(decoded, isPlain: true, &notes)
    case .encrypted: encrypted(message, delivery, &notes)
    case .relay(let envelope): relay(envelope, message, delivery, &notes)
    case .delta(let reading): delta(reading, delivery, isPlain: true, &notes)
    case .keyExchange:
      notes.add(.rust, "never sends its answer; the anonymous entry point drops it")
      notes.add(.android, "reads it as a plain document and drops it")
    case .peerEncrypted:
      notes.add(.rust, "takes it only with a session; the anonymous entry point passes it on raw")
      notes.add(.android, "takes it as an app message and re-broadcasts it")
    case .canned:
      notes.add(
        .rust,
        "takes it as a per-peer message and drops it; only the anonymous entry point "
          + "hands it to the application")
      notes.add(.android, "re-broadcasts it in clear", isLoss: false)
    case .markers, .chat:
      notes.add(.rust, "reads it as a plain document and drops it")
    case .app, .chunk, .lite:
      notes.add(.rust, "reads it as a plain document and drops it")
      notes.add(.android, "reads it as a plain document and drops it")
    case .nodeID:
      notes.add(.rust, "drops it (too short for a document)", isLoss: false)
      notes.add(.android, "drops it (too short for a document)", isLoss: false)
    case .none where message.kind == .malformed: malformed(message, &notes)
    case .none, .nodeInfo, .syncState, .command, .status, .beacon: break
    }
  }

  private static func malformed(_ message: Message, _ notes: inout Notes) {
    notes.add(.rust, "drops it")
    notes.add(.android, "drops it")
  }

  // MARK: - Documents

  /// A plain document whose first byte is taken for a marker (protocol.md 2.9, the collisions).
  private static func collision(
    _ marker: FrameMarker, _ delivery: Delivery, _ notes: inout Notes
  ) {
    switch marker {
    case .markers: notes.add(.android, "takes it as a marker list")
    case .chat: notes.add(.android, "takes it as a chat frame")
    case .encrypted:
      notes.add(.rust, "tries to decrypt it and drops it")
      notes.add(.android, "tries to decrypt it and drops it")
    case .peerMessage:
      notes.add(
        .rust,
        "takes it as a per-peer message and drops it; the anonymous entry point hands it on "
          + "as an app message")
      notes.add(.android, "takes it as an app message and re-broadcasts it")
    case .keyExchange:
      notes.add(
        .rust, "takes it as a key exchange and drops it; the anonymous entry point reads it")
      notes.add(.android, "reads it and drops it natively as a key exchange")
    case .relay:
      notes.add(
        .rust, "takes it as a relay envelope and drops it; the anonymous entry point reads it")
      notes.add(.android, "reads it and drops it natively as a relay envelope")
    case .delta:
      notes.add(.rust, "takes it as a delta and drops it; on_ble_data reads it")
      notes.add(.android, "takes it as a delta and reads garbage")
      if delivery == .write { notes.add(.ios, "reads it, as for every write", isLoss: false) }
      notes.add(.m5stack, "reads it", isLoss: false)
    }
  }

  private static func document(
    _ decoded: DecodedDocument, isPlain: Bool, _ notes: inout Notes
  ) {
    for text in losses(decoded.dropped) { notes.add(.rust, text) }
    if decoded.document.chat != nil {
      notes.add(.rust, "steps over the chat section (default build)", isLoss: false)
    }
    if let meant = decoded.kotlin, let read = decoded.document.peripheral {
      if let text = misreading(meant, read) { notes.add(.rust, text) }
    }
    guard isPlain else { return }
    if decoded.document.node.rawValue == 0 {
      notes.add(.android, "ignores it (node 00000000)")
    } else if decoded.kotlin == nil, let meant = decoded.document.peripheral,
      let read = KotlinCodec.misreading(of: meant)
    {
      if let text = misreading(meant, read) { notes.add(.android, text, isLoss: false) }
    }
  }

  /// What the reference leaves out, as clauses: drops first, then stops, skips and clamps.
  private static func losses(_ dropped: [Dropped]) -> [String] {
    if dropped.isEmpty { return [] }
    var clauses: [String] = []
    func sections(_ rule: Dropped.Rule) -> [String] {
      var names: [String] = []
      for item in dropped where item.rule == rule && !names.contains(item.section.rawValue) {
        names.append(item.section.rawValue)
      }
      return names
    }
    let drops = sections(.drop)
    if !drops.isEmpty { clauses.append("drops " + list(drops)) }
    if let stop = dropped.first(where: { $0.rule == .stop }) {
      let part = stop.section == .section ? "" : "loses \(stop.section.rawValue) and "
      clauses.append("\(part)stops at byte \(stop.offset)")
    }
    for section in sections(.skip) {
      switch section {
      case "counter": clauses.append("skips a counter entry")
      case "ack": clauses.append("skips an ack")
      default: clauses.append("passes over part of \(section)")
      }
    }
    for item in dropped where item.rule == .clamp {
      clauses.append(
        item.section == .event ? "reads the event as none" : "reads the type as unknown")
    }
    return clauses
  }

  /// What one codec's reading gets wrong (protocol.md 9.3); nil where it gets all right.
  private static func misreading(_ meant: Peripheral, _ read: Peripheral) -> String? {
    var wrong = 0
    if meant.health.heartRate != read.health.heartRate { wrong |= 1 }
    if meant.health.activity != read.health.activity { wrong |= 2 }
    if meant.health.alerts != read.health.alerts { wrong |= 4 }
    if meant.time != read.time { wrong |= 8 }
    if meant.location != read.location { wrong |= 16 }
    return wrong == 0 ? nil : misreadings[wrong]
  }

  /// Every set of fields that can be misread, in words: most documents of a capture need the same.
  private static let misreadings: [String] = (0..<32).map { set in
    let fields = ["heart rate", "activity", "alerts", "time", "location"]
    return "misreads " + list(fields.indices.filter { set >> $0 & 1 != 0 }.map { fields[$0] })
  }

  private static func list(_ words: [String]) -> String {
    var text = ""
    for (index, word) in words.enumerated() {
      if index > 0 { text += index == words.count - 1 ? " and " : ", " }
      text += word
    }
    return text
  }
}

// MARK: - Wrappers and deltas

extension ReceiverRules {
  private static func encrypted(
    _ message: Message, _ delivery: Delivery, _ notes: inout Notes
  ) {
    switch message.unopened {
    case .tooShort:
      notes.add(.rust, "drops it (shorter than 30 bytes)")
      notes.add(.android, "drops it (shorter than 30 bytes)")
    case .tagMismatch:
      notes.add(.rust, "drops it (its bytes were changed)")
      notes.add(.android, "drops it (its bytes were changed)")
    case .noKey, .noKeyOpens, nil: break
    }
    guard let inner = message.inner else { return }
    switch inner.body {
    case .document(let decoded):
      if inner.collides == .delta {
        notes.add(.rust, "takes the content as a delta and drops it; on_ble_data reads it")
      }
      if inner.collides == .peerMessage {
        notes.add(.rust, "reads it; the anonymous entry point hands it on as an app message")
      }
      document(decoded, isPlain: false, &notes)
    case .delta(let reading): delta(reading, delivery, isPlain: false, &notes)
    case .canned:
      notes.add(.rust, "drops it; only the anonymous entry point hands it to the application")
      notes.add(
        .android,
        delivery == .notification
          ? "hands it to the application"
          : "hands it to the application and re-sends it in clear when it was written to it",
        isLoss: delivery != .notification)
    case .none, .encrypted, .peerEncrypted, .keyExchange, .relay, .app, .markers, .chat, .nodeID,
      .nodeInfo, .syncState, .command, .status, .chunk, .lite, .beacon:
      notes.add(.rust, "reads the content as a plain document and drops it")
      notes.add(.android, "reads the content as a plain document and drops it")
    }
  }

  private static func relay(
    _ envelope: RelayEnvelope, _ message: Message, _ delivery: Delivery, _ notes: inout Notes
  ) {
    notes.add(.android, "reads it as a plain document and drops it")
    if !envelope.canRelay {
      notes.add(.rust, "does not pass it on (no hops left)", isLoss: false)
    }
    guard let inner = message.inner else { return }
    switch inner.body {
    case .document(let decoded):
      if inner.collides == .encrypted || inner.collides == .delta {
        notes.add(.rust, "takes the content for what its first byte says and drops it")
      }
      document(decoded, isPlain: false, &notes)
    case .encrypted:
      var content = Notes()
      encrypted(inner, delivery, &content)
      for note in content.ordered where note.receiver != .android {
        notes.add(note.receiver, note.text, isLoss: note.isLoss)
      }
    case .delta(let reading):
      var content = Notes()
      delta(reading, delivery, isPlain: false, &content)
      for note in content.ordered where note.receiver != .android {
        notes.add(note.receiver, note.text, isLoss: note.isLoss)
      }
    case .none, .peerEncrypted, .keyExchange, .relay, .canned, .app, .markers, .chat, .nodeID,
      .nodeInfo, .syncState, .command, .status, .chunk, .lite, .beacon:
      notes.add(.rust, "drops the content and does not pass it on")
    }
  }

  private static func delta(
    _ reading: DeltaReading, _ delivery: Delivery, isPlain: Bool, _ notes: inout Notes
  ) {
    switch reading.dialect {
    case .rust(let delta):
      let isState = delta.operations.contains {
        switch $0 {
        case .counter, .setEmergency, .acknowledgeEmergency, .clearEmergency: true
        case .peripheral, .app: false
        }
      }
      notes.add(
        .rust,
        isState
          ? "does not merge its counters and emergency; on_ble_data drops it"
          : "takes it; on_ble_data drops it")
      if isPlain {
        if delta.vectorClock != nil {
          notes.add(.android, "misreads the operations behind the vector clock")
        }
        if delta.operations.contains(where: { if case .counter = $0 { true } else { false } }) {
          notes.add(.android, "adds the counter totals to its own")
        }
      }
    case .kotlin:
      notes.add(.rust, "drops it (operations that only Android knows)")
    }
    if delivery == .write || delivery == .longWrite {
      notes.add(.ios, "drops it, as every delta that is written to it")
    }
    notes.add(.m5stack, "drops it")
  }
}
