package import BluetoothMesh
internal import WireBytes

/// What became of a network PDU, layer by layer.
package struct MeshReading: Sendable, Equatable {
  /// What was found in it.
  package enum Content: Sendable, Equatable {
    case access(AccessMessage, key: MeshKeyName, label: VirtualLabel?)
    case control(opcode: UInt8, parameters: [UInt8])
    case acknowledgment(SegmentAcknowledgment)
    /// A part of a message that is not whole, or was whole before.
    case segment(Segment, SegmentAssembler.Step)
    /// No key opens the message.
    case sealed(LowerTransportPDU.AccessKey)
    case proxy(ProxyConfiguration)
    /// What was opened is no PDU of the layer above.
    case malformed(DecodeFault)
  }

  /// The name of the net key, and the IV index that opened it.
  package let network: MeshKeyName
  package let ivIndex: UInt32
  /// Whether that is the current index or the one before; nobody should use another.
  package let isExpectedIndex: Bool
  package let pdu: NetworkPDU
  /// The sequence number of the whole message.
  package let messageSequence: UInt32
  /// The segment that it came in last, of a message in segments.
  package let segment: Segment?
  package let content: Content
}

/// Where a PDU that was opened stops to make sense.
package struct DecodeFault: Sendable, Equatable {
  package let text: String
}

/// Why a network PDU was not opened.
package enum MeshRefusal: Error, Equatable {
  /// No net key has its NID.
  case noKey(nid: UInt8)
  /// A net key has, and does not open it: another key of the same NID, damage, or another IV index.
  case notOpened(nid: UInt8)
  /// It is no network PDU.
  case malformed(DecodeFault)
}

/// A network PDU that a net key opened, before it is read further.
package struct UnsealedPDU: Sendable {
  package let network: MeshKeyring.Network
  package let ivIndex: UInt32
  package let isExpectedIndex: Bool
  package let pdu: NetworkPDU
  package let use: NetworkCredentials.Use
  /// The two ends of the friendship whose credentials sealed it.
  package let friendship: Friendship?
}

/// A low-power node and its friend (3.6.6).
package struct Friendship: Sendable, Hashable {
  package let lowPower: MeshAddress
  package let friend: MeshAddress

  package init(lowPower: MeshAddress, friend: MeshAddress) {
    self.lowPower = lowPower
    self.friend = friend
  }
}

/// Opens the PDUs of one receiver in their order, and keeps what that takes: the IV index, and
/// segments (Mesh Protocol 1.1, 3.4 to 3.7).
package struct MeshOpener: Sendable {
  /// IV indexes tried where no beacon has said one: one changes after 96 hours at the earliest.
  private static let searchLimit: UInt32 = 1024
  /// Searches of a network that found nothing, after which none is made.
  private static let searchTries = 256
  /// How far a node may lag behind or lead (3.11.6).
  private static let lead: UInt32 = 42
  /// Friendships whose credentials are tried; of more, the oldest is forgotten.
  private static let friendshipLimit = 64

  /// From where an IV index is known.
  package enum IndexSource: String, Sendable {
    /// An authentic beacon, or a message that says it.
    case told
    /// It opened a PDU.
    case searched
  }

  /// An IV index, and from where it is known.
  package struct KnownIndex: Sendable, Equatable {
    package var value: UInt32
    package var source: IndexSource
  }

  package private(set) var keyring: MeshKeyring
  /// By net key: databases may hold keys of several networks.
  private var indexes: [Int: KnownIndex] = [:]
  private var failedSearches: [Int: Int] = [:]
  private var friendships: [(network: MeshKeyring.Network, NetworkCredentials, Friendship)] = []
  private var assembler = SegmentAssembler()

  /// Makes an opener that knows no IV index.
  package init(_ keyring: MeshKeyring) { self.keyring = keyring }

  /// The IV index of a network, once a beacon said it or a PDU opened with it.
  package func ivIndex(of network: Int) -> UInt32? { indexes[network]?.value }

  /// The same with its source.
  package func knownIndex(of network: Int) -> KnownIndex? { indexes[network] }

  /// The segments of a message that have come, ascending.
  package func received(_ key: SegmentAssembler.Key) -> [UInt8] { assembler.received(key) }

  /// Lets a capture's own messages add keys.
  package mutating func learn(_ change: (inout MeshKeyring) -> Bool) -> Bool { change(&keyring) }

  /// A message says the IV index of a network.
  package mutating func note(ivIndex: UInt32, of network: Int) {
    if let known = indexes[network], known.source == .told, known.value > ivIndex { return }
    indexes[network] = KnownIndex(value: ivIndex, source: .told)
  }

  /// A friend offered its service: what they send each other from now on may be sealed for them
  /// alone (3.9.6.3.1).
  package mutating func befriend(
    _ friendship: Friendship, lowPowerCounter: UInt16, friendCounter: UInt16,
    on network: MeshKeyring.Network
  ) {
    let purpose =
      [1] + bytes(friendship.lowPower.rawValue) + bytes(friendship.friend.rawValue)
      + bytes(lowPowerCounter) + bytes(friendCounter)
    guard let credentials = try? NetworkCredentials(network.key.key, purpose: purpose) else {
      return
    }
    friendships.removeAll { $0.2 == friendship && $0.network.name == network.name }
    if friendships.count >= MeshOpener.friendshipLimit { friendships.removeFirst() }
    friendships.append((network, credentials, friendship))
  }

  private func bytes(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }

  /// What a beacon said, by the networks that it is authentic for.
  package struct HeardBeacon: Sendable {
    package var networks: [MeshKeyring.Network] = []
    package var state: BeaconState?
    /// The IV index known before, where the beacon's is lower.
    package var higherIndex: UInt32?

    /// The keys that it is authentic by.
    package var keys: [MeshKeyName] { networks.map(\.name) }
  }

  /// Takes in a beacon; an authentic one sets the IV index, unless it goes back.
  package mutating func hear(_ beacon: MeshBeacon) throws(CryptoFailure) -> HeardBeacon {
    var heard = HeardBeacon()
    for network in keyring.networks {
      let state: BeaconState?
      switch beacon {
      case .unprovisioned: return heard
      case .secure(let secure):
        heard.state = secure.state
        state = try network.key.authenticates(secure) ? secure.state : nil
      case .private(let hidden): state = try network.key.open(hidden)
      }
      guard let state else { continue }
      heard.state = state
      heard.networks.append(network)
      if let known = indexes[network.id], known.source == .told, known.value > state.ivIndex {
        heard.higherIndex = known.value
      } else {
        indexes[network.id] = KnownIndex(value: state.ivIndex, source: .told)
      }
    }
    if heard.networks.isEmpty, case .secure(let secure) = beacon { heard.state = secure.state }
    return heard
  }

  /// Opens a network PDU, or a proxy configuration, and reads it.
  package mutating func open(
    _ bytes: [UInt8], use: NetworkCredentials.Use = .network
  ) throws(CryptoFailure) -> Result<MeshReading, MeshRefusal> {
    switch try unseal(bytes, use: use) {
    case .success(let unsealed): .success(read(unsealed))
    case .failure(let refusal): .failure(refusal)
    }
  }

  /// Opens a network PDU, or a proxy configuration, at the network layer alone.
  package mutating func unseal(
    _ bytes: [UInt8], use: NetworkCredentials.Use = .network
  ) throws(CryptoFailure) -> Result<UnsealedPDU, MeshRefusal> {
    let sealed: SealedNetworkPDU
    do throws(DecodeError) {
      var reader = ByteReader(bytes.rawBytes, layer: .mesh)
      sealed = try SealedNetworkPDU(&reader)
    } catch {
      return .failure(.malformed(DecodeFault(text: "\(error)")))
    }
    let candidates = keyring.networks.filter { $0.key.credentials.nid == sealed.nid }
    for network in candidates {
      guard let (pdu, ivIndex) = try find(sealed, network, use) else { continue }
      return .success(
        UnsealedPDU(
          network: network, ivIndex: ivIndex, isExpectedIndex: true, pdu: pdu, use: use,
          friendship: nil))
    }
    if use == .network {
      for (network, credentials, friendship) in friendships where credentials.nid == sealed.nid {
        guard let known = indexes[network.id],
          let ivIndex = sealed.ivIndex(current: known.value),
          let pdu = try credentials.open(sealed, ivIndex: ivIndex)
        else { continue }
        return .success(
          UnsealedPDU(
            network: network, ivIndex: ivIndex, isExpectedIndex: true, pdu: pdu, use: use,
            friendship: friendship))
      }
    }
    // A node that has fallen behind, or was never told.
    for network in candidates {
      guard let found = try findFar(sealed, network, use) else { continue }
      return .success(found)
    }
    return .failure(candidates.isEmpty ? .noKey(nid: sealed.nid) : .notOpened(nid: sealed.nid))
  }

  /// The PDU with an IV index that nobody should use now. Where the index is only known from PDUs,
  /// a higher one is where the network has gone on to.
  private mutating func findFar(
    _ sealed: SealedNetworkPDU, _ network: MeshKeyring.Network, _ use: NetworkCredentials.Use
  ) throws(CryptoFailure) -> UnsealedPDU? {
    guard let known = indexes[network.id] else { return nil }
    let (lead, value) = (MeshOpener.lead, known.value)
    let lowest = value > lead ? value - lead : 0
    let highest = value > UInt32.max - lead ? UInt32.max : value + lead
    for ivIndex in lowest...highest where UInt8(ivIndex & 1) == sealed.ivi {
      let found = try network.key.credentials.open(sealed, ivIndex: ivIndex, use: use)
      guard let found else { continue }
      let isNext = known.source == .searched && ivIndex == value &+ 1
      if isNext { indexes[network.id] = KnownIndex(value: ivIndex, source: .searched) }
      return UnsealedPDU(
        network: network, ivIndex: ivIndex, isExpectedIndex: isNext, pdu: found, use: use,
        friendship: nil)
    }
    return nil
  }

  /// The PDU with the IV index that opens it: the current one or the one before; where none is known,
  /// the lowest that does.
  private mutating func find(
    _ sealed: SealedNetworkPDU, _ network: MeshKeyring.Network, _ use: NetworkCredentials.Use
  ) throws(CryptoFailure) -> (NetworkPDU, UInt32)? {
    if let known = indexes[network.id] {
      guard let ivIndex = sealed.ivIndex(current: known.value) else { return nil }
      let pdu = try network.key.credentials.open(sealed, ivIndex: ivIndex, use: use)
      return pdu.map { ($0, ivIndex) }
    }
    guard failedSearches[network.id, default: 0] < MeshOpener.searchTries else { return nil }
    let lowest = keyring.lowestIVIndex
    let first = UInt8(lowest & 1) == sealed.ivi ? lowest : lowest &+ 1
    for step in 0..<(MeshOpener.searchLimit / 2) {
      let ivIndex = first &+ 2 &* step
      if let pdu = try network.key.credentials.open(sealed, ivIndex: ivIndex, use: use) {
        indexes[network.id] = KnownIndex(value: ivIndex, source: .searched)
        return (pdu, ivIndex)
      }
    }
    failedSearches[network.id, default: 0] += 1
    return nil
  }

  /// Reads a PDU that was opened.
  ///
  /// - Parameter isAltered: whether it is a damaged copy of another one, which nothing is made of.
  package mutating func read(_ unsealed: UnsealedPDU, isAltered: Bool = false) -> MeshReading {
    let pdu = unsealed.pdu
    var sequence = pdu.header.sequence
    var segment: Segment?
    let content: MeshReading.Content
    do throws(DecodeError) {
      var reader = ByteReader(pdu.transport.rawBytes, layer: .mesh)
      if unsealed.use == .proxy {
        content = .proxy(try ProxyConfiguration(&reader))
      } else {
        let lower = try LowerTransportPDU(&reader, isControl: pdu.header.isControl)
        if case .segment(let part) = lower { segment = part }
        content = read(lower, unsealed, &sequence, isAltered: isAltered)
      }
    } catch {
      content = .malformed(
        DecodeFault(text: pdu.transport.isEmpty ? "empty transport PDU" : "\(error)"))
    }
    return MeshReading(
      network: unsealed.network.name, ivIndex: unsealed.ivIndex,
      isExpectedIndex: unsealed.isExpectedIndex, pdu: pdu, messageSequence: sequence,
      segment: segment, content: content)
  }

  private mutating func read(
    _ lower: LowerTransportPDU, _ unsealed: UnsealedPDU, _ sequence: inout UInt32, isAltered: Bool
  ) -> MeshReading.Content {
    switch lower {
    case .control(let opcode, let parameters):
      return .control(opcode: opcode, parameters: parameters)
    case .acknowledgment(let acknowledgment): return .acknowledgment(acknowledgment)
    case .access(let key, let upper):
      return access(upper, key, unsealed, sequence, hasLongCode: false)
    case .segment(let segment):
      guard
        let key = SegmentAssembler.Key(segment, of: unsealed.pdu, ivIndex: unsealed.ivIndex)
      else {
        return .malformed(DecodeFault(text: "SeqZero is above the sequence number"))
      }
      sequence = key.sequence
      if isAltered { return .segment(segment, .repeated) }
      let step = assembler.take(segment, of: key)
      guard case .whole(let upper) = step else { return .segment(segment, step) }
      switch segment.content {
      case .control(let opcode): return .control(opcode: opcode, parameters: upper)
      case .access(let accessKey, let hasLongCode):
        return access(upper, accessKey, unsealed, sequence, hasLongCode: hasLongCode)
      }
    }
  }

  private func access(
    _ upper: [UInt8], _ key: LowerTransportPDU.AccessKey, _ unsealed: UnsealedPDU,
    _ sequence: UInt32, hasLongCode: Bool
  ) -> MeshReading.Content {
    let context = UpperTransportContext(
      sequence: sequence, source: unsealed.pdu.header.source,
      destination: unsealed.pdu.destination, ivIndex: unsealed.ivIndex, hasLongCode: hasLongCode)
    guard let opened = keyring.open(upper, context, key: key, network: unsealed.network.id) else {
      return .sealed(key)
    }
    do throws(DecodeError) {
      var reader = ByteReader(opened.bytes.rawBytes, layer: .mesh)
      return .access(try AccessMessage(&reader), key: opened.key, label: opened.label)
    } catch {
      return .malformed(DecodeFault(text: "\(error)"))
    }
  }
}
