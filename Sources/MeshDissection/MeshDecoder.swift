import BluetoothMesh
package import MeshSecurity
package import PeatSecurity
import WireBytes

/// The keys and names that the user gives for meshes.
package struct MeshKeys: Sendable {
  package private(set) var keyring = MeshKeyring()
  package private(set) var names = MeshNames()
  /// Private keys of provisioning: of a provisioner or of a device.
  package private(set) var privateKeys: [SecretBytes] = []

  package init() {}

  /// Takes in a configuration database.
  package mutating func add(_ mesh: MeshDatabase) throws(CryptoFailure) {
    try keyring.add(mesh)
    names.add(mesh)
  }

  /// Takes in a private key of provisioning.
  package mutating func add(privateKey: SecretBytes) { privateKeys.append(privateKey) }
}

/// Reads the mesh values of captures in the order of the timeline.
///
/// One decoder serves all captures of a run: the air is one, and what two receivers heard is one
/// message. What it keeps is bounded, by tables that forget what is oldest.
package struct MeshDecoder: Sendable {
  /// What a value brought.
  package enum Step: Sendable {
    case nothing
    /// A new message; messages count from 0.
    case message(MeshMessage)
    /// One more place of the message with this number.
    case again(Int, MeshSighting)
  }

  /// Connections, and links of PB-ADV, of which something is put together.
  static let linkLimit = 1024

  struct LinkKey: Hashable {
    var file: String
    var link: Int
    /// The link of PB-ADV; 0 for connections.
    var advertised: UInt32 = 0
  }

  var opener: MeshOpener
  package let names: MeshNames
  let privateKeys: [SecretBytes]
  var copies = MeshCopies()
  var sequences = MeshSequences()
  var segments = MeshSegmentWatch()
  var exchanges = MeshExchanges()
  var proxies: [LinkKey: ProxyLink] = [:]
  var provisionings: [LinkKey: ProvisioningLink] = [:]
  package internal(set) var overview = MeshOverview()
  private(set) var count = 0
  private var loose: [PlacedMeshFinding] = []
  private var last: MeshPlace?
  /// What was said once and is not said again: NIDs, key names.
  private var told: Set<String> = []
  /// Keys that everybody knows.
  var trivialKeys: Set<MeshKeyring.DatabaseKey>
  /// Networks of which a beacon said that the new key is in use.
  var refreshed: Set<Int> = []
  /// What low-power nodes asked for friends with, by their address.
  var friendRequests: [MeshAddress: UInt16] = [:]

  /// Makes a decoder that has met nothing.
  package init(_ keys: MeshKeys) {
    opener = MeshOpener(keys.keyring)
    trivialKeys = keys.keyring.trivialKeys
    names = keys.names
    privateKeys = keys.privateKeys
  }

  /// Takes the next value.
  package mutating func take(
    _ bytes: [UInt8], _ channel: MeshChannel, _ place: MeshPlace
  ) -> Step {
    expire(at: place)
    last = place
    var step: Step
    switch channel {
    case .proxy, .provisioning: step = takeProxy(bytes, channel, place)
    case .messageAdvertisement: step = takeNetwork(bytes, .network, channel, place)
    case .beaconAdvertisement: step = takeBeacon(bytes, channel, place)
    case .provisioningAdvertisement: step = takeAdvertised(bytes, channel, place)
    case .serviceData(let uuid): step = takeServiceData(bytes, uuid, channel, place)
    }
    if case .message(let message) = step {
      overview.count(message)
      count += 1
      step = .message(message)
    }
    return step
  }

  /// Takes the findings that belong to no message.
  package mutating func takeFindings() -> [PlacedMeshFinding] {
    defer { loose = [] }
    return loose
  }

  /// No value comes any more.
  package mutating func conclude() {
    for request in exchanges.conclude(at: last) { tell(unanswered: request, at: last) }
    for message in segments.conclude(at: last) { tell(unacknowledged: message) }
    for link in provisionings.values.sorted(by: MeshDecoder.isBefore) { close(link.story) }
    provisionings = [:]
    overview.proxies += proxies.values.sorted {
      ($0.began.file, $0.began.frame) < ($1.began.file, $1.began.frame)
    }
    proxies = [:]
    for id in overview.networks.keys {
      let known = opener.knownIndex(of: id)
      overview.network(id, { MeshNetworkState(name: "") }) {
        $0.ivIndex = known?.value
        $0.isTold = known?.source == .told
      }
    }
  }

  private static func isBefore(_ one: ProvisioningLink, _ other: ProvisioningLink) -> Bool {
    (one.story.began.file, one.story.began.frame)
      < (other.story.began.file, other.story.began.frame)
  }

  // MARK: - Findings without a message

  mutating func tell(_ code: MeshFindingCode, _ text: String, at place: MeshPlace) {
    guard loose.count < 65_536 else { return }
    loose.append(PlacedMeshFinding(finding: MeshFinding(code, text), place: place))
  }

  /// Whether something is told for the first time.
  mutating func isNews(_ text: String) -> Bool {
    guard told.count < 4096 else { return false }
    return told.insert(text).inserted
  }

  private mutating func expire(at place: MeshPlace) {
    for request in exchanges.expire(at: place) { tell(unanswered: request, at: place) }
    for message in segments.expire(at: place) { tell(unacknowledged: message) }
  }

  private mutating func tell(unacknowledged message: MeshSegmentWatch.Message) {
    let missing = MeshSegmentWatch.list(message.missing)
    tell(
      .segmentsUnacked,
      "of the \(Int(message.last) + 1) segments that \(message.source) sent to "
        + "\(message.destination) (SEQ \(message.sequence)), "
        + (message.wasAnswered
          ? "\(missing) " + (message.missing.count == 1 ? "was" : "were") + " never acknowledged"
          : "none was acknowledged"),
      at: message.place)
  }

  private mutating func tell(unanswered request: PendingRequest, at now: MeshPlace?) {
    guard request.destination.kind == .unicast else { return }
    let isConfiguration = AccessExchange.isConfiguration(request.opcode)
    let database = request.database
    let progress = progress(of: request)
    let target = called(request.destination, database)
    let waited =
      now.flatMap { $0.nanoseconds(since: request.place) }
      .map { " in \($0 / 1_000_000_000) s" } ?? ""
    tell(
      isConfiguration ? .configUnanswered : .requestUnanswered,
      "\(request.name) from \(called(request.source, database)) to \(target) was not answered"
        + "\(waited): \(progress)", at: request.place)
    overview.unanswered.append(
      UnansweredRequest(
        transaction: request.number, opcode: MeshDecoder.hex(request.opcode),
        name: request.name, source: called(request.source, database), destination: target,
        place: request.place, times: request.repeats + 1, progress: progress,
        isConfiguration: isConfiguration))
    if overview.unanswered.count > 4096 { overview.unanswered.removeFirst() }
  }

  /// How far a request got, as far as the captures show.
  private func progress(of request: PendingRequest) -> String {
    var parts: [String] = []
    if request.repeats > 0 { parts.append("it was sent \(request.repeats + 1) times") }
    if request.lastSegment != nil {
      parts.append(
        segments.progress(source: request.source, sequence: request.sequence)
          ?? "its segments were all acknowledged")
    }
    if request.lowestTTL < request.ttl {
      parts.append("it was relayed, seen with TTL \(request.lowestTTL)")
    } else if request.channel.isLink {
      parts.append("it went to the proxy, and is not seen behind it")
    } else {
      parts.append("no relay of it was seen")
    }
    if request.ttl <= 1 { parts.append("with TTL \(request.ttl) no node relays it") }
    if request.channel.isLink,
      let link = proxies[LinkKey(file: request.place.file, link: request.place.link)],
      !link.passes(request.source)
    {
      parts.append("the proxy's filter keeps answers to \(request.source) back")
    }
    let heard = overview.nodes.values.contains {
      $0.last.nanoseconds(since: request.place).map { $0 > 0 } ?? false
        && nodeKey(request.destination, request.database)
          == MeshOverview.NodeKey(database: $0.database, address: $0.address)
    }
    parts.append(heard ? "the node was heard later" : "the node was not heard since")
    return parts.joined(separator: "; ")
  }

  // MARK: - Names

  func called(_ address: MeshAddress, _ database: Int) -> String {
    names.name(address, database).map { "\(address) (\($0))" } ?? "\(address)"
  }

  static func hex(_ opcode: UInt32) -> String {
    if opcode <= 0xFF { return Hexadecimal.string([UInt8(opcode)]) }
    if opcode <= 0xFFFF { return Hexadecimal.string([UInt8(opcode >> 8), UInt8(opcode & 0xFF)]) }
    return Hexadecimal.string([
      UInt8(truncatingIfNeeded: opcode >> 16), UInt8(truncatingIfNeeded: opcode >> 8),
      UInt8(truncatingIfNeeded: opcode),
    ])
  }
}
