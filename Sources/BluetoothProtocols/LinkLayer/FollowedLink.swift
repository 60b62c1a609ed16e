import WireBytes

/// What is known of one link.
struct FollowedLink: Sendable {
  enum State: Sendable {
    case open
    /// LL_ENC_REQ was heard: what follows is readable until LL_START_ENC_REQ.
    case startingEncryption
    case encrypted
    case ended
  }

  /// The last PDU of one end that was not a repeated one.
  private struct Heard: Sendable {
    var sequence: UInt8
    var fingerprint: UInt64
  }

  /// Starts in a row that do not read as L2CAP before a link is taken for encrypted.
  private static let unreadableLimit = 4

  /// The start value of the checks, where it is known.
  let crcInitial: UInt32?
  private(set) var state = State.open
  var guess = SenderGuess()
  private var heard: [2 of Heard?] = [nil, nil]
  private var unreadable = 0

  init(crcInitial: UInt32?) { self.crcInitial = crcInitial }

  /// Takes in a packet that the receiver did not find invalid.
  mutating func take(
    _ packet: borrowing LinkLayerPacket, _ radio: RadioInformation, time: Timestamp?
  ) -> LinkFollower.Step {
    if radio.check == .unknown, let crcInitial,
      packet.hasValidCheck(initial: crcInitial) == false
    {
      guess.lose(coveredLength: packet.coveredLength, at: time)
      return .invalidCheck
    }
    guard state != .ended else { return .passedOver }
    let header = DataPDUHeader(packet.header)
    let sender =
      radio.sender
      ?? guess.sender(of: header, coveredLength: packet.coveredLength, at: time)
    if radio.isEncrypted && packet.length > 0 { return encrypt() }
    guard state != .encrypted || radio.isDecrypted else { return .passedOver }
    guard isNew(header, packet, sender) else { return .passedOver }
    switch header.kind {
    case .reserved: return .passedOver
    case .control: return control(packet.payload, sender)
    case .continuation, .start:
      guard packet.length > 0 else { return .passedOver }
      let isStart = header.kind == .start
      if isStart && !isReadable(packet.payload) {
        unreadable += 1
        let limit = state == .startingEncryption ? 1 : FollowedLink.unreadableLimit
        return unreadable >= limit ? encrypt() : .passedOver
      }
      if isStart { unreadable = 0 }
      return .data(sender: sender, isStart: isStart, isGuessed: radio.sender == nil)
    }
  }

  /// Whether a PDU is not the last one of its sender again.
  ///
  /// One with the last one's sequence number and other content is a new one: the one between was
  /// not heard.
  private mutating func isNew(
    _ header: DataPDUHeader, _ packet: borrowing LinkLayerPacket, _ sender: LinkRole
  ) -> Bool {
    var fingerprint = Fingerprint()
    fingerprint.add(header.kind.rawValue)
    fingerprint.add(UInt8(truncatingIfNeeded: packet.length))
    fingerprint.add(packet.payload)
    let side = Int(sender.rawValue)
    if let last = heard[side], last.sequence == header.sequence,
      last.fingerprint == fingerprint.value
    {
      return false
    }
    heard[side] = Heard(sequence: header.sequence, fingerprint: fingerprint.value)
    return true
  }

  /// Whether the start of an L2CAP packet names a channel of LE (Vol 3 Part A, 2.1).
  private func isReadable(_ payload: RawSpan) -> Bool {
    var reader = ByteReader(payload, layer: .l2cap)
    do throws(DecodeError) {
      try reader.skip(2)
      switch try reader.le16() {
      case 0x0004...0x0006, 0x0020...0x007F: return true
      default: return false
      }
    } catch {
      // A start may hold less than the header.
      return true
    }
  }

  private mutating func control(_ payload: RawSpan, _ sender: LinkRole) -> LinkFollower.Step {
    var reader = ByteReader(payload, layer: .linkLayer)
    do throws(DecodeError) {
      switch try LinkLayerControl(&reader) {
      case .terminate(let reason):
        state = .ended
        return .ended(reason: reason, by: sender)
      case .connectionUpdate(let pace, _): return .pace(pace)
      case .phyUpdate(let toPeripheral, let toCentral):
        return .phy(toPeripheral: toPeripheral, toCentral: toCentral)
      case .encryptionRequest, .encryptionResponse:
        if state == .open { state = .startingEncryption }
      case .startEncryptionRequest: return encrypt()
      case .reject:
        if state == .startingEncryption { state = .open }
      case .startEncryptionResponse, .channelMap, .dataLength, .other: break
      }
    } catch {
      return .passedOver
    }
    return .passedOver
  }

  /// Takes the link for encrypted; says so the first time.
  private mutating func encrypt() -> LinkFollower.Step {
    guard state != .encrypted else { return .passedOver }
    state = .encrypted
    return .encrypted
  }
}

/// Tells contents apart (FNV-1a, 64 bits).
struct Fingerprint: Sendable {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }

  mutating func add(_ bytes: RawSpan) {
    let reader = ByteReader(bytes, layer: .linkLayer)
    for place in 0..<reader.remaining {
      if let byte = reader.peek(place) { add(byte) }
    }
  }
}
