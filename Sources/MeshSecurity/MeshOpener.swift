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

/// Opens the PDUs of one receiver in their order, and keeps what that takes: the IV index, and
/// segments (Mesh Protocol 1.1, 3.4 to 3.7).
package struct MeshOpener: Sendable {
  /// IV indexes tried where no beacon has said one: one changes after 96 hours at the earliest.
  private static let searchLimit: UInt32 = 1024
  /// How far a node may lag behind or lead (3.11.6).
  private static let lead: UInt32 = 42

  private let keyring: MeshKeyring
  /// By net key's index: keys of one mesh may be of several networks.
  private var indexes: [UInt16: UInt32] = [:]
  private var assembler = SegmentAssembler()

  /// Makes an opener that knows no IV index.
  package init(_ keyring: MeshKeyring) { self.keyring = keyring }

  /// The IV index of a net key, once a beacon said it or a PDU opened with it.
  package func ivIndex(of network: UInt16) -> UInt32? { indexes[network] }

  /// Takes in a beacon; gives the keys that it is authentic by, and what it says.
  package mutating func hear(
    _ beacon: MeshBeacon
  ) throws(CryptoFailure) -> (keys: [MeshKeyName], state: BeaconState?) {
    var names: [MeshKeyName] = []
    var heard: BeaconState?
    for network in keyring.networks {
      let state: BeaconState?
      switch beacon {
      case .unprovisioned: return ([], nil)
      case .secure(let secure):
        heard = secure.state
        state = try network.key.authenticates(secure) ? secure.state : nil
      case .private(let hidden): state = try network.key.open(hidden)
      }
      guard let state else { continue }
      heard = state
      names.append(network.name)
      indexes[network.index] = state.ivIndex
    }
    if names.isEmpty, case .secure(let secure) = beacon { heard = secure.state }
    return (names, heard)
  }

  /// Opens a network PDU, or a proxy configuration.
  package mutating func open(
    _ bytes: [UInt8], use: NetworkCredentials.Use = .network
  ) throws(CryptoFailure) -> Result<MeshReading, MeshRefusal> {
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
      return .success(read(pdu, network, ivIndex, use, isExpected: true))
    }
    // A node that has fallen behind, or was never told.
    for network in candidates {
      guard let known = indexes[network.index] else { continue }
      let lowest = known > MeshOpener.lead ? known - MeshOpener.lead : 0
      let highest = known > UInt32.max - MeshOpener.lead ? UInt32.max : known + MeshOpener.lead
      for ivIndex in lowest...highest where UInt8(ivIndex & 1) == sealed.ivi {
        let found = try network.key.credentials.open(sealed, ivIndex: ivIndex, use: use)
        if let found { return .success(read(found, network, ivIndex, use, isExpected: false)) }
      }
    }
    return .failure(candidates.isEmpty ? .noKey(nid: sealed.nid) : .notOpened(nid: sealed.nid))
  }

  /// The PDU with the IV index that opens it: the current one or the one before; where none is known,
  /// the lowest that does.
  private mutating func find(
    _ sealed: SealedNetworkPDU, _ network: MeshKeyring.Network, _ use: NetworkCredentials.Use
  ) throws(CryptoFailure) -> (NetworkPDU, UInt32)? {
    if let known = indexes[network.index] {
      guard let ivIndex = sealed.ivIndex(current: known) else { return nil }
      let pdu = try network.key.credentials.open(sealed, ivIndex: ivIndex, use: use)
      return pdu.map { ($0, ivIndex) }
    }
    let lowest = keyring.lowestIVIndex
    let first = UInt8(lowest & 1) == sealed.ivi ? lowest : lowest &+ 1
    for step in 0..<(MeshOpener.searchLimit / 2) {
      let ivIndex = first &+ 2 * step
      if let pdu = try network.key.credentials.open(sealed, ivIndex: ivIndex, use: use) {
        indexes[network.index] = ivIndex
        return (pdu, ivIndex)
      }
    }
    return nil
  }

  private mutating func read(
    _ pdu: NetworkPDU, _ network: MeshKeyring.Network, _ ivIndex: UInt32,
    _ use: NetworkCredentials.Use, isExpected: Bool
  ) -> MeshReading {
    var sequence = pdu.header.sequence
    let content: MeshReading.Content
    do throws(DecodeError) {
      var reader = ByteReader(pdu.transport.rawBytes, layer: .mesh)
      if use == .proxy {
        content = .proxy(try ProxyConfiguration(&reader))
      } else {
        let lower = try LowerTransportPDU(&reader, isControl: pdu.header.isControl)
        content = read(lower, pdu, network.index, ivIndex, &sequence)
      }
    } catch {
      content = .malformed(
        DecodeFault(text: pdu.transport.isEmpty ? "empty transport PDU" : "\(error)"))
    }
    return MeshReading(
      network: network.name, ivIndex: ivIndex, isExpectedIndex: isExpected, pdu: pdu,
      messageSequence: sequence,
      content: content)
  }

  private mutating func read(
    _ lower: LowerTransportPDU, _ pdu: NetworkPDU, _ network: UInt16, _ ivIndex: UInt32,
    _ sequence: inout UInt32
  ) -> MeshReading.Content {
    switch lower {
    case .control(let opcode, let parameters):
      return .control(opcode: opcode, parameters: parameters)
    case .acknowledgment(let acknowledgment): return .acknowledgment(acknowledgment)
    case .access(let key, let upper):
      return access(upper, key, pdu, network, ivIndex, sequence, hasLongCode: false)
    case .segment(let segment):
      guard let key = SegmentAssembler.Key(segment, of: pdu, ivIndex: ivIndex) else {
        return .malformed(DecodeFault(text: "SeqZero is above the sequence number"))
      }
      sequence = key.sequence
      let step = assembler.take(segment, of: key)
      guard case .whole(let upper) = step else { return .segment(segment, step) }
      switch segment.content {
      case .control(let opcode): return .control(opcode: opcode, parameters: upper)
      case .access(let accessKey, let hasLongCode):
        return access(
          upper, accessKey, pdu, network, ivIndex, sequence, hasLongCode: hasLongCode)
      }
    }
  }

  private func access(
    _ upper: [UInt8], _ key: LowerTransportPDU.AccessKey, _ pdu: NetworkPDU, _ network: UInt16,
    _ ivIndex: UInt32, _ sequence: UInt32, hasLongCode: Bool
  ) -> MeshReading.Content {
    let context = UpperTransportContext(
      sequence: sequence, source: pdu.header.source, destination: pdu.destination,
      ivIndex: ivIndex, hasLongCode: hasLongCode)
    guard let opened = keyring.open(upper, context, key: key, network: network) else {
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
