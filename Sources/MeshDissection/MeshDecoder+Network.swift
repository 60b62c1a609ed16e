import BluetoothMesh
import MeshSecurity
import WireBytes

extension MeshDecoder {
  /// A network PDU or a proxy configuration.
  mutating func takeNetwork(
    _ bytes: [UInt8], _ use: NetworkCredentials.Use, _ channel: MeshChannel, _ place: MeshPlace
  ) -> Step {
    guard let result = try? opener.unseal(bytes, use: use) else { return .nothing }
    switch result {
    case .failure(let refusal):
      if let number = copies.again(bytes, channel, place, number: count) {
        return .again(number, MeshSighting(place: place))
      }
      var message = MeshMessage(.network, channel, place, bytes)
      refuse(refusal, &message)
      return .message(message)
    case .success(let unsealed):
      let verdict = copies.judge(unsealed, channel, place, number: count)
      if case .again(let number) = verdict {
        let ttl = unsealed.pdu.header.ttl
        exchanges.noteRelay(
          sequence: unsealed.pdu.header.sequence, source: unsealed.pdu.header.source, ttl: ttl)
        noteCopy(unsealed, place)
        if case .proxy(let isFromClient) = channel, isFromClient {
          proxies[LinkKey(file: place.file, link: place.link)]?
            .noteClient(unsealed.pdu.header.source)
        }
        return .again(number, MeshSighting(place: place, ttl: ttl))
      }
      return .message(read(unsealed, verdict, bytes, channel, place))
    }
  }

  private mutating func refuse(_ refusal: MeshRefusal, _ message: inout MeshMessage) {
    switch refusal {
    case .noKey(let nid):
      message.unopened = "no-key"
      message.fields = [MeshField("nid", nid)]
      if isNews("nid \(nid)") {
        message.add(
          .noKey,
          opener.keyring.isEmpty
            ? "no key is given (NID \(nid)); --cdb FILE reads a mesh's keys"
            : "no net key has NID \(nid): another network, or a database that is not up to date")
      }
    case .notOpened(let nid):
      message.unopened = "no-key-opens"
      message.fields = [MeshField("nid", nid)]
      message.add(
        .noKeyOpens,
        "a net key has NID \(nid) and does not open it: another network's of the same NID, an IV "
          + "index far from the network's, or damage")
    case .malformed(let fault):
      message.malformed = fault.text
      message.add(.malformed, "no network PDU: \(fault.text)")
    }
  }

  private mutating func noteCopy(_ unsealed: UnsealedPDU, _ place: MeshPlace) {
    guard let device = place.advertiser, !isOrigin(unsealed, device) else { return }
    overview.relayed(by: device)
  }

  /// Whether a device is the sender of what it advertises, as far as is known.
  private func isOrigin(_ unsealed: UnsealedPDU, _ device: String) -> Bool {
    overview.node(at: device).map {
      $0.address == nodeKey(unsealed.pdu.header.source, unsealed.network.database).address
    } ?? true
  }

  func nodeKey(_ source: MeshAddress, _ database: Int) -> MeshOverview.NodeKey {
    MeshOverview.NodeKey(
      database: database, address: names.node(source, database)?.address ?? source)
  }

  private mutating func read(
    _ unsealed: UnsealedPDU, _ verdict: MeshCopies.Verdict, _ bytes: [UInt8],
    _ channel: MeshChannel, _ place: MeshPlace
  ) -> MeshMessage {
    var message = MeshMessage(.network, channel, place, bytes)
    let database = unsealed.network.database
    let header = unsealed.pdu.header
    message.netKey = unsealed.network.name
    message.meshName = names.count > 1 ? names.mesh(database) : nil
    message.ivIndex = unsealed.ivIndex
    message.ttl = header.ttl
    message.sequence = header.sequence
    message.source = header.source
    message.destination = unsealed.pdu.destination
    message.sourceName = names.name(header.source, database)
    message.destinationName = names.name(unsealed.pdu.destination, database)
    if let friendship = unsealed.friendship {
      message.fields.append(
        MeshField("friendship", "\(friendship.lowPower) and \(friendship.friend)"))
    }
    let isAltered = judge(verdict, unsealed, &message, place)
    noteNetwork(unsealed, &message, place)
    if !isAltered { noteNode(unsealed, message, place) }
    let reading = opener.read(unsealed, isAltered: isAltered)
    if case .proxy(let isFromClient) = channel {
      noteProxy(unsealed, isFromClient: isFromClient, &message, place)
    }
    fill(&message, reading, unsealed, isAltered: isAltered)
    return message
  }

  /// Says what is wrong with a PDU beside others; true for a copy that a relay changed.
  private mutating func judge(
    _ verdict: MeshCopies.Verdict, _ unsealed: UnsealedPDU, _ message: inout MeshMessage,
    _ place: MeshPlace
  ) -> Bool {
    func frames(_ before: MeshPlace) -> [Int] { before.file == place.file ? [before.frame] : [] }
    var isAltered = false
    switch verdict {
    case .new, .again:
      if let finding = sequences.take(unsealed, place) {
        message.findings.append(finding)
        let key = nodeKey(unsealed.pdu.header.source, unsealed.network.database)
        overview.node(key, place) { $0.ignored = finding.text }
      }
    case .replay(let before):
      message.add(
        .replay, "the same PDU as in frame \(before.frame) again: receivers ignore it",
        frames: frames(before))
    case .altered(let before):
      isAltered = true
      message.add(
        .relayAltered,
        "a copy of frame \(before.frame) with another transport PDU: a relay changed it",
        frames: frames(before))
    case .reused(let before):
      message.add(
        .sequenceReset,
        "SEQ \(unsealed.pdu.header.sequence) was used for another PDU in frame "
          + "\(before.frame): receivers ignore it", frames: frames(before))
    }
    if !unsealed.isExpectedIndex, let known = opener.ivIndex(of: unsealed.network.id) {
      message.add(
        .wrongIV,
        "sealed with IV index \(unsealed.ivIndex), and the network has \(known): receivers cannot "
          + "open it")
    }
    if unsealed.network.name.isOld, refreshed.contains(unsealed.network.id) {
      message.add(
        .keysMixed, "sealed with the old net key, though a beacon said that the new one is in use")
    }
    return isAltered
  }

  private mutating func noteNetwork(
    _ unsealed: UnsealedPDU, _ message: inout MeshMessage, _ place: MeshPlace
  ) {
    let network = unsealed.network
    let key = network.name.description
    let meshName = names.mesh(network.database)
    overview.network(
      network.id, { MeshNetworkState(name: "net:\(network.index)", meshName: meshName) },
      {
        $0.pdus[key, default: 0] += 1
        if $0.firstByKey[key] == nil { $0.firstByKey[key] = place }
      })
    warn(of: network.name, network.database, &message)
  }

  /// A key that everybody knows is told of where it is first used.
  private mutating func warn(
    of name: MeshKeyName, _ database: Int, _ message: inout MeshMessage
  ) {
    guard trivialKeys.contains(MeshKeyring.DatabaseKey(database: database, name: name)),
      isNews("default \(database) \(name)")
    else { return }
    message.add(.defaultKey, "the key \(name) is one that everybody knows")
  }

  private mutating func noteNode(
    _ unsealed: UnsealedPDU, _ message: MeshMessage, _ place: MeshPlace
  ) {
    let header = unsealed.pdu.header
    let database = unsealed.network.database
    let key = nodeKey(header.source, database)
    let name = names.name(key.address, database)
    if let device = place.advertiser { overview.origin(device, key) }
    overview.node(key, place) {
      $0.name = name
      $0.messages += 1
      $0.last = place
      guard unsealed.isExpectedIndex else {
        $0.ignored = "it sends with IV index \(unsealed.ivIndex)"
        return
      }
      $0.sequence = header.sequence
      $0.ivIndex = unsealed.ivIndex
    }
  }

  private mutating func noteProxy(
    _ unsealed: UnsealedPDU, isFromClient: Bool, _ message: inout MeshMessage, _ place: MeshPlace
  ) {
    let key = LinkKey(file: place.file, link: place.link)
    guard var link = proxies[key] else { return }
    defer { proxies[key] = link }
    link.database = unsealed.network.database
    let header = unsealed.pdu.header
    if unsealed.use == .proxy {
      if !isFromClient {
        link.proxy = header.source
        overview.node(nodeKey(header.source, unsealed.network.database), place) {
          $0.isProxy = true
        }
      }
      return
    }
    guard isFromClient else { return }
    link.noteClient(header.source)
    let database = unsealed.network.database
    let target = unsealed.pdu.destination
    let isProxy =
      link.proxy.map { nodeKey($0, database) == nodeKey(target, database) } ?? false
    if header.ttl <= 1, !isProxy {
      message.add(
        .ttlZero,
        "TTL \(header.ttl) through a proxy reaches the proxy alone"
          + (link.proxy == nil ? "" : ", which is not \(called(target, database))"))
    }
  }

  // MARK: - What the layers above say

  private mutating func fill(
    _ message: inout MeshMessage, _ reading: MeshReading, _ unsealed: UnsealedPDU,
    isAltered: Bool
  ) {
    if let segment = reading.segment {
      note(segment, reading, unsealed, &message, isAltered: isAltered)
    }
    switch reading.content {
    case .malformed(let fault):
      message.malformed = fault.text
      if !isAltered { message.add(.malformed, "the opened PDU makes no sense: \(fault.text)") }
    case .segment(_, let step):
      message.layer = .segment
      if step == .contradiction, !isAltered {
        message.add(
          .relayAltered, "the segment differs from one of the same number that came before")
      }
    case .acknowledgment(let acknowledgment):
      message.layer = .ack
      fill(&message, acknowledgment, unsealed)
    case .control(let opcode, let parameters):
      message.layer = .control
      fillControl(&message, opcode, parameters, unsealed)
    case .sealed(let key):
      message.layer = .upper
      fillSealed(&message, key, unsealed, isAltered: isAltered)
    case .proxy(let configuration):
      message.layer = .proxy
      fillProxy(&message, configuration, unsealed)
    case .access(let access, let key, let label):
      message.layer = .access
      message.appKey = key
      warn(of: key, unsealed.network.database, &message)
      if let label { message.fields.append(MeshField("label", Hexadecimal.string(label.uuid))) }
      fillAccess(&message, access, reading, unsealed)
    }
  }

  private mutating func note(
    _ segment: Segment, _ reading: MeshReading, _ unsealed: UnsealedPDU,
    _ message: inout MeshMessage, isAltered: Bool
  ) {
    var received: [UInt8] = []
    if let key = SegmentAssembler.Key(segment, of: unsealed.pdu, ivIndex: unsealed.ivIndex) {
      received = opener.received(key)
    }
    if case .segment(_, .waiting) = reading.content {
    } else if received.isEmpty {
      received = Array(0...segment.last)
    }
    message.segments = MeshMessage.Segments(
      index: segment.index, last: segment.last, sequence: reading.messageSequence,
      received: received)
    if !isAltered {
      segments.sent(
        segment, sequence: reading.messageSequence, unsealed.pdu, message.place)
    }
  }

  private mutating func fill(
    _ message: inout MeshMessage, _ acknowledgment: SegmentAcknowledgment,
    _ unsealed: UnsealedPDU
  ) {
    message.fields += [
      MeshField("obo", .number(acknowledgment.isOnBehalf ? 1 : 0)),
      MeshField("seq_zero", acknowledgment.sequenceZero),
      MeshField("block_ack", Hexadecimal.string(MeshDecoder.bigEndian(acknowledgment.block))),
    ]
    let source = unsealed.pdu.header.source
    let known = segments.acknowledged(
      acknowledgment, by: source, to: unsealed.pdu.destination)
    if let known, !known.missing.isEmpty {
      message.fields.append(
        MeshField("missing", .list(known.missing.map { .number(Int($0)) })))
    }
    if acknowledgment.block == 0 {
      message.add(
        .ackCancelled, "\(source) gives the message in segments up: it cannot take it now")
    }
  }

  static func bigEndian(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) }
  }

  private mutating func fillSealed(
    _ message: inout MeshMessage, _ key: LowerTransportPDU.AccessKey, _ unsealed: UnsealedPDU,
    isAltered: Bool
  ) {
    switch key {
    case .device:
      message.unopened = "no-device-key"
      let pair = "\(unsealed.pdu.header.source) to \(unsealed.pdu.destination)"
      if !isAltered, isNews("device \(unsealed.network.id) \(pair)") {
        message.add(.noDeviceKey, "no device key opens what \(pair) says")
      }
    case .application(let aid):
      message.unopened = "no-app-key"
      message.fields.append(MeshField("aid", aid))
      guard !isAltered else { return }
      if unsealed.pdu.destination.kind == .virtual {
        if isNews("virtual \(unsealed.pdu.destination)") {
          message.add(
            .noAppKey,
            "no label of the virtual address \(unsealed.pdu.destination), or no key, opens it")
        }
      } else if opener.keyring.hasApplication(aid: aid, network: unsealed.network.id) {
        message.add(
          .micDamaged,
          "an application key is named so (AID \(aid)) and does not open it: damage, or another key "
            + "of the same name")
      } else if isNews("aid \(unsealed.network.id) \(aid)") {
        message.add(.noAppKey, "no application key of this network is named so (AID \(aid))")
      }
    }
  }
}
