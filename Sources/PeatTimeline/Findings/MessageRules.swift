import PeatDissection
import PeatProtocol
import WireBytes

/// What one message shows by itself: what receivers drop, misread or cannot open.
enum MessageRules {
  static func check(_ facts: RowFacts, _ findings: inout [Finding]) {
    let row = facts.row
    if row.cutBy == .capture { return }
    outcome(row, &findings)
    if row.cutBy != .mtu {
      size(row, &findings)
    }
    levels(row.message, isCut: row.cutBy == .mtu, &findings)
    if row.message.inner != nil, !isDispatched(row.message) {
      findings.append(
        Finding(
          .contentDropped,
          "\(name(row.message.kind)) holds \(name(contentKind(row.message))), which the "
            + "reference does not take out"))
    }
  }

  private static func outcome(_ row: TimelineRow, _ findings: inout [Finding]) {
    switch row.value.outcome {
    case nil: break
    case .refused(let code):
      findings.append(
        Finding(.writeRefused, "the server refused the write with ATT error \(code)"))
    case .cancelled:
      findings.append(Finding(.writeCancelled, "the client cancelled its prepared write"))
    }
  }

  private static func size(_ row: TimelineRow, _ findings: inout [Finding]) {
    let length = row.value.length
    switch row.value.opcode {
    case .notification, .indication, .multipleNotification:
      if length > Receivers.androidLimit {
        findings.append(
          Finding(
            .overLimit,
            "\(length) bytes: Android skips notifications over \(Receivers.androidLimit)"))
        return
      }
    case .executeWrite:
      findings.append(
        Finding(.longWrite, "\(length) bytes went out as a long write of several parts"))
    case .writeRequest, .writeCommand, .signedWriteCommand, .readResponse, .readBlob,
      .readByTypeResponse, .readMultiple, .readMultipleVariable, .advertisement:
      break
    }
    if length > Receivers.firmwareLimit {
      findings.append(
        Finding(
          .overLimit,
          "\(length) bytes: M5Stack and ESP32 drop what is over \(Receivers.firmwareLimit)"))
    }
  }

  private static func levels(
    _ message: Message, isCut: Bool, _ findings: inout [Finding]
  ) {
    if message.kind == .malformed && !isCut {
      let reason = message.fault?.reason ?? "no reading fits"
      findings.append(Finding(.malformedMessage, "receivers refuse it: \(reason)"))
    }
    if let reason = message.unopened { unopened(reason, message, &findings) }
    switch message.body {
    case .document(let decoded): document(decoded, message, isCut: isCut, &findings)
    case .delta(let delta): self.delta(delta, &findings)
    case .none, .encrypted, .peerEncrypted, .keyExchange, .relay, .canned, .app, .markers, .chat,
      .nodeID, .nodeInfo, .syncState, .command, .status, .chunk, .lite, .beacon:
      break
    }
    if let inner = message.inner { levels(inner, isCut: isCut, &findings) }
  }

  private static func unopened(
    _ reason: Unopened, _ message: Message, _ findings: inout [Finding]
  ) {
    let name = name(message.kind)
    let finding =
      switch reason {
      case .noKey: Finding(.unopenedWrapper, "\(name) stays shut: no key is known for it")
      // Beacons of other meshes are in the air everywhere.
      case .noKeyOpens where message.kind == .encryptedBeacon:
        Finding(.unopenedWrapper, "none of the known keys opens \(name)")
      case .noKeyOpens: Finding(.wrongKey, "none of the known keys opens \(name)")
      case .tagMismatch: Finding(.damagedFrame, "the bytes of \(name) were changed on the way")
      case .tooShort: Finding(.malformedMessage, "receivers refuse it: too short for \(name)")
      }
    findings.append(finding)
  }

  /// What receivers make of a document.
  private static func document(
    _ decoded: DecodedDocument, _ message: Message, isCut: Bool, _ findings: inout [Finding]
  ) {
    let node = decoded.document.node
    if let marker = message.collides {
      let version = Hexadecimal.upper(UInt64(marker.rawValue), width: 2)
      findings.append(
        Finding(
          .versionCollision,
          "version \(decoded.document.version) begins with \(version), as a marker does"))
    }
    if node.rawValue == 0 {
      findings.append(Finding(.nodeZero, "the document's node is 00000000"))
    }
    if let peripheral = decoded.document.peripheral, peripheral.id != node,
      decoded.kotlin == nil
    {
      findings.append(
        Finding(
          .peripheralOfOther, "node \(node) sends a peripheral with the id \(peripheral.id)"))
    }
    if let meant = decoded.kotlin, decoded.document.peripheral.map({ $0 != meant }) ?? true {
      findings.append(
        Finding(.codecMisread, "the Rust reference misreads node \(node)'s Android peripheral"))
    }
    dropped(decoded.dropped, isCut: isCut, &findings)
  }

  private static func delta(_ reading: DeltaReading, _ findings: inout [Finding]) {
    dropped(reading.dropped, isCut: false, &findings)
    guard case .rust(let delta) = reading.dialect else { return }
    let isState = delta.operations.contains {
      switch $0 {
      case .counter, .setEmergency, .acknowledgeEmergency, .clearEmergency: true
      case .peripheral, .app: false
      }
    }
    if isState {
      findings.append(
        Finding(
          .deltaUnmerged,
          "node \(delta.origin) sends counters or an emergency in a delta"))
    }
  }

  /// One finding for each code: a section is often wrong in several places.
  private static func dropped(
    _ dropped: [Dropped], isCut: Bool, _ findings: inout [Finding]
  ) {
    for item in dropped {
      guard let code = DropCause.code(of: item, isCut: isCut),
        !findings.contains(where: { $0.code == code })
      else { continue }
      findings.append(Finding(code, "\(verb(item)): \(item.reason)"))
    }
  }

  private static func verb(_ item: Dropped) -> String {
    switch item.rule {
    case .drop: "receivers drop the \(item.section.rawValue)"
    case .stop: "receivers stop at byte \(item.offset)"
    case .skip: "receivers pass over a part"
    case .clamp: "receivers read another value"
    }
  }

  /// Whether the reference takes the content out of a wrapper that could be opened.
  private static func isDispatched(_ message: Message) -> Bool {
    if message.dispatched != nil { return true }
    switch message.kind {
    case .encrypted: return isAccepted(message.inner, inRelay: false)
    case .relay: return isAccepted(message.inner, inRelay: true)
    default: return true
    }
  }

  /// What is no state and yet taken, and what says by itself why it is not.
  private static func isAccepted(_ inner: Message?, inRelay: Bool) -> Bool {
    guard let inner else { return true }
    switch inner.kind {
    case .canned: return !inRelay
    case .encrypted: return inRelay && isAccepted(inner.inner, inRelay: false)
    case .malformed, .incomplete, .document, .delta: return true
    default: return false
    }
  }

  private static func contentKind(_ message: Message) -> MessageKind {
    guard let inner = message.inner else { return message.kind }
    return inner.kind == .encrypted ? inner.inner?.kind ?? inner.kind : inner.kind
  }

  private static func name(_ kind: MessageKind) -> String {
    switch kind {
    case .document: "a document"
    case .encrypted: "an encrypted frame"
    case .peerEncrypted: "a message between two nodes"
    case .keyExchange: "a key exchange"
    case .relay: "a relay envelope"
    case .delta: "a delta"
    case .canned: "a canned message"
    case .app: "an app document"
    case .markers: "a marker list"
    case .chat: "a chat frame"
    case .nodeID: "a node id"
    case .nodeInfo: "a node info"
    case .syncState: "a sync state"
    case .command: "a command"
    case .status: "a status"
    case .chunk: "a chunk"
    case .lite: "a peat-lite frame"
    case .beacon: "a beacon"
    case .encryptedBeacon: "an encrypted beacon"
    case .incomplete: "an incomplete value"
    case .malformed: "malformed bytes"
    }
  }
}
