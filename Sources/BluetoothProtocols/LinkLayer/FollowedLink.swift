import WireBytes

/// PDUs of a link that could not be read.
struct UnreadableCount: Sendable {
  private(set) var count = 0
  private(set) var firstFrame = 0
  private(set) var firstTime: Timestamp?

  mutating func add(frame: Int, time: Timestamp?) {
    if count == 0 { (firstFrame, firstTime) = (frame, time) }
    count += 1
  }
}

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
  /// Bytes of the message integrity code, which every encrypted PDU that is not empty ends with
  /// (Vol 6 Part B, 2.4).
  private static let integrityCodeLength = 4

  /// A connection event ends with the first packet that is not heard, in ns.
  private static let lastEventLength: Int64 = 1_000_000_000

  /// The start value of the checks, where it is known.
  let crcInitial: UInt32?
  private(set) var state = State.open
  private var wasEncrypted = false
  private var endTime: Timestamp?
  var guess = SenderGuess()
  private var heard: [2 of Heard?] = [nil, nil]
  private var unreadableRun = 0
  /// PDUs that could not be read.
  private(set) var unreadable = UnreadableCount()
  /// Bytes that the packet in the making of each end still lacks.
  private var missing: [2 of Int] = [0, 0]
  /// Whether the link was met at its beginning, or something of it was read.
  private var isKnown: Bool
  /// Whether something was read behind the start of encryption: someone has decrypted the link.
  private var isDecrypted = false
  /// Bytes of the integrity code that the one who decrypted it has left.
  private var trailer = 0
  /// Whether the one who decrypted it has left checks as they were before, or wrote zeros.
  private var hasStaleChecks = false

  init(crcInitial: UInt32?, isKnown: Bool) {
    self.crcInitial = crcInitial
    self.isKnown = isKnown
  }

  /// Takes in a packet that the receiver did not find invalid.
  mutating func take(
    _ packet: borrowing LinkLayerPacket, _ radio: RadioInformation, frame: Int, time: Timestamp?
  ) -> LinkFollower.Step {
    if radio.check == .unknown, let crcInitial,
      packet.hasValidCheck(initial: crcInitial) == false, !isStale(packet)
    {
      guess.lose(airTime: packet.airTime, at: time)
      return .invalidCheck
    }
    guard state != .ended else { return .passedOver }
    let header = DataPDUHeader(packet.header)
    let sender = radio.sender ?? guess.sender(of: header, airTime: packet.airTime, at: time)
    guard isNew(header, packet, sender) else { return .passedOver }
    if header.kind == .reserved { return .reserved }
    guard packet.length > 0 else { return .passedOver }
    if radio.isEncrypted { state = .encrypted }
    let step =
      state == .encrypted || radio.isDecrypted
      ? protected(header, packet, radio, sender) : plain(header, packet, radio, sender)
    if case .ended = step { endTime = time }
    guard case .unreadable = step else { return step }
    unreadable.add(frame: frame, time: time)
    return .unreadable(isEncrypted: state == .encrypted)
  }

  /// A PDU of a link that is not known to be encrypted.
  private mutating func plain(
    _ header: DataPDUHeader, _ packet: borrowing LinkLayerPacket, _ radio: RadioInformation,
    _ sender: LinkRole
  ) -> LinkFollower.Step {
    let side = Int(sender.rawValue)
    switch header.kind {
    case .reserved: return .reserved
    case .control: return control(packet.payload, sender)
    case .continuation:
      // Without a start, cipher text of a link that was met late, or is about to be encrypted.
      if missing[side] == 0, !isKnown || state == .startingEncryption {
        return .unreadable(isEncrypted: false)
      }
      missing[side] = max(0, missing[side] - packet.length)
      return .data(sender: sender, isStart: false, isGuessed: radio.sender == nil)
    case .start:
      missing[side] = 0
      switch L2CAPFit(packet.payload, length: packet.length) {
      case .part(let rest, let isLikely) where isKnown || isLikely: missing[side] = rest
      case .whole, .short: break
      case .overrun where isKnown: break
      case .part, .overrun, .none:
        unreadableRun += 1
        let limit = state == .startingEncryption ? 1 : FollowedLink.unreadableLimit
        if unreadableRun >= limit { _ = encrypt() }
        return .unreadable(isEncrypted: false)
      }
      unreadableRun = 0
      isKnown = true
      return .data(sender: sender, isStart: true, isGuessed: radio.sender == nil)
    }
  }

  /// A PDU behind the start of encryption: whether it can be read shows in what it holds, as not
  /// everyone who decrypts a recording says so in it.
  private mutating func protected(
    _ header: DataPDUHeader, _ packet: borrowing LinkLayerPacket, _ radio: RadioInformation,
    _ sender: LinkRole
  ) -> LinkFollower.Step {
    let side = Int(sender.rawValue)
    let isGuessed = radio.sender == nil
    switch header.kind {
    case .reserved: return .reserved
    case .control:
      // Too short to end in an integrity code: it is in clear, or was decrypted.
      if packet.length <= FollowedLink.integrityCodeLength {
        if ByteReader(packet.payload, layer: .linkLayer).peek() == 0x06 { isDecrypted = true }
        return control(packet.payload, sender)
      }
      guard isDecrypted || radio.isDecrypted else { return .unreadable(isEncrypted: true) }
      let length = max(1, packet.payload.byteCount - trailer)
      return control(
        packet.payload.extracting(0..<min(length, packet.payload.byteCount)), sender)
    case .start:
      missing[side] = 0
      switch L2CAPFit(packet.payload, length: packet.length) {
      case .whole(let trailer):
        isDecrypted = true
        isKnown = true
        self.trailer = trailer
        return .data(sender: sender, isStart: true, isGuessed: isGuessed, trailer: trailer)
      case .part(let rest, let isLikely):
        guard isDecrypted || radio.isDecrypted || isLikely else {
          return .unreadable(isEncrypted: true)
        }
        missing[side] = rest + trailer
        isKnown = true
        return .data(sender: sender, isStart: true, isGuessed: isGuessed, trailer: trailer)
      case .short, .overrun, .none: return .unreadable(isEncrypted: true)
      }
    case .continuation:
      let length = packet.length - trailer
      guard length > 0, missing[side] >= length else { return .unreadable(isEncrypted: true) }
      missing[side] -= length
      return .data(sender: sender, isStart: false, isGuessed: isGuessed, trailer: trailer)
    }
  }

  /// Whether a check that is wrong says nothing of the packet: who decrypts a recording may leave
  /// the check of the cipher text, or zeros.
  private mutating func isStale(_ packet: borrowing LinkLayerPacket) -> Bool {
    guard state == .encrypted else { return false }
    if packet.check == 0 || hasStaleChecks { return true }
    guard DataPDUHeader(packet.header).kind == .start,
      case .whole = L2CAPFit(packet.payload, length: packet.length)
    else { return false }
    hasStaleChecks = true
    return true
  }

  /// Whether the link has ended, and the packet is of a later one whose beginning was not heard.
  ///
  /// What is still sent in the last connection event comes at once.
  func hasEnded(
    before packet: borrowing LinkLayerPacket, at time: Timestamp?
  ) -> Bool {
    guard state == .ended, let endTime, let time, packet.isWholeL2CAP else { return false }
    return time.nanoseconds &- endTime.nanoseconds > FollowedLink.lastEventLength
  }

  /// Takes the count of what could not be read of an encrypted link; it begins anew.
  mutating func takeUnreadable() -> UnreadableCount {
    guard state == .encrypted || wasEncrypted else { return UnreadableCount() }
    defer { unreadable = UnreadableCount() }
    return unreadable
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

  private mutating func control(_ payload: RawSpan, _ sender: LinkRole) -> LinkFollower.Step {
    var reader = ByteReader(payload, layer: .linkLayer)
    do throws(DecodeError) {
      switch try LinkLayerControl(&reader) {
      case .terminate(let reason):
        wasEncrypted = state == .encrypted
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

  /// Takes the link for encrypted from here on.
  private mutating func encrypt() -> LinkFollower.Step {
    guard state != .encrypted else { return .passedOver }
    state = .encrypted
    missing = [0, 0]
    return .encrypted
  }
}

/// Tells contents apart: FNV-1a, taken eight bytes at a time.
struct Fingerprint: Sendable {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }

  mutating func add(_ bytes: RawSpan) {
    var value = value
    // Every load lies in the bytes.
    unsafe bytes.withUnsafeBytes { bytes in
      var place = 0
      while place &+ 8 <= bytes.count {
        let word = unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        value = (value ^ word) &* 0x100_0000_01B3
        value ^= value >> 32
        place &+= 8
      }
      while place < bytes.count {
        value = unsafe (value ^ UInt64(bytes[place])) &* 0x100_0000_01B3
        place &+= 1
      }
    }
    self.value = value
  }
}
