public import WireBytes

/// Follows links through what is heard on the air.
///
/// It tells whose each packet is, and passes over what brings nothing: empty PDUs, repeated ones
/// (Core Specification Vol 6 Part B, 4.5.9), and what cannot be read on an encrypted link. A link
/// whose CONNECT_IND was not heard is followed too, once two packets of it were heard or one that
/// holds a whole L2CAP packet: the access address of a single one may be noise. Where the container
/// says nothing of the check, its start value is taken from the first two different packets that
/// agree on it. The packets until then are held.
public struct LinkFollower: Sendable {
  /// Links followed at a time.
  public static let linkLimit = 8192
  /// Access addresses of which too few packets were heard to know the start value.
  private static let suspectLimit = 256
  private static let heldLimit = 8

  /// What a packet of a link is.
  public enum Step: Sendable, Equatable {
    /// It brings nothing.
    case passedOver
    /// Its check is wrong.
    case invalidCheck
    /// It waits for a packet that confirms its link.
    case held
    /// It confirms its link: the packets of `takeHeld`, itself the last, are to be followed anew.
    case confirmed
    /// Its payload is L2CAP data, but for `trailer` bytes of an integrity code at its end.
    case data(sender: LinkRole, isStart: Bool, isGuessed: Bool, trailer: Int = 0)
    /// With it the link ends, for a reason that one end gives.
    case ended(reason: UInt8, by: LinkRole)
    /// The link runs otherwise from its instant on.
    case pace(ConnectionPace)
    /// The link's PHYs change, by the central's way and the peripheral's.
    case phy(toPeripheral: UInt8, toCentral: UInt8)
    /// With it encryption begins. What can be read all the same is `data`.
    case encrypted
    /// Its payload cannot be read, perhaps as that of an encrypted link.
    case unreadable(isEncrypted: Bool)
    /// Its kind is one that no link uses (LLID 0).
    case reserved
    /// There are too many links to follow this one.
    case overLimit
  }

  /// One link as one receiver hears it.
  struct Key: Hashable, Sendable {
    var adapter: Int
    var accessAddress: UInt32
  }

  /// A CONNECT_IND, and whether a packet of its link was heard since.
  private struct Asked: Sendable {
    var heard: UnfollowedRequest
    var adapter: Int
    var isFollowed = false
  }

  /// Requests by access address: with several receivers, one may hear the request and another the
  /// link.
  private var requests: [UInt32: Asked] = [:]
  private var links: [Key: FollowedLink] = [:]
  /// Links that have ended, and some that have begun anew since.
  private var ended: [Key] = []
  private var suspects: [Key: [HeldPacket]] = [:]
  private var suspectOrder: [Key] = []
  private var confirmed: [HeldPacket] = []
  /// Requests that were given up: nothing of their links was heard.
  private var unfollowed = BoundedList<UnfollowedRequest>()
  /// Links that are over and of which something could not be read.
  private var unreadable = BoundedList<UnreadableLink>()
  private var forgottenStrays = 0

  /// Makes a follower that has heard nothing.
  public init() {}

  /// Takes in a CONNECT_IND: a link begins, and one with the same access address is over.
  public mutating func begin(
    _ request: ConnectionRequest, adapter: Int, frame: Int, time: Timestamp?
  ) {
    let key = Key(adapter: adapter, accessAddress: request.accessAddress)
    forget(key)
    dropSuspect(key)
    if let known = requests[request.accessAddress], known.adapter != adapter,
      known.heard.request == request
    {
      // Another receiver heard it too.
      return
    }
    // Requests without a link are of links that were not established; none is needed for long.
    if requests.count >= LinkFollower.linkLimit {
      for address in requests.keys.sorted() { giveUp(address) }
    }
    giveUp(request.accessAddress)
    requests[request.accessAddress] = Asked(
      heard: UnfollowedRequest(request: request, frame: frame, time: time), adapter: adapter)
  }

  /// The CONNECT_IND of a link, where it was heard.
  public func request(for accessAddress: UInt32) -> ConnectionRequest? {
    requests[accessAddress]?.heard.request
  }

  /// No further packet comes: gives up the requests of which nothing was heard.
  public mutating func finish() {
    for address in requests.keys.sorted() { giveUp(address) }
    for key in links.keys.sorted() { forget(key) }
  }

  /// Requests whose links were not heard, the first of them and how many there were.
  public var unfollowedRequests: (first: [UnfollowedRequest], count: Int) {
    (unfollowed.first.sorted { $0.frame < $1.frame }, unfollowed.count)
  }

  /// Packets with an access address that was not heard again, which noise has too.
  public var strayPackets: Int {
    suspects.values.reduce(forgottenStrays) { $0 + $1.count }
  }

  /// Takes the links of which something could not be read; `all` includes those that are not over.
  public mutating func takeUnreadable(all: Bool) -> (first: [UnreadableLink], count: Int) {
    if all { for key in links.keys.sorted() { noteUnreadable(key) } }
    guard unreadable.count > 0 else { return ([], 0) }
    defer { unreadable = BoundedList() }
    return (unreadable.first, unreadable.count)
  }

  private mutating func giveUp(_ accessAddress: UInt32) {
    guard let asked = requests.removeValue(forKey: accessAddress), !asked.isFollowed else { return }
    unfollowed.add(asked.heard)
  }

  private mutating func forget(_ key: Key) {
    noteUnreadable(key)
    links[key] = nil
  }

  private mutating func noteUnreadable(_ key: Key) {
    guard let count = links[key]?.takeUnreadable(), count.count > 0 else { return }
    unreadable.add(
      UnreadableLink(
        accessAddress: key.accessAddress, packets: count.count, firstFrame: count.firstFrame,
        firstTime: count.firstTime))
  }

  /// Takes the packets that `Step.confirmed` speaks of.
  public mutating func takeHeld() -> [HeldPacket] {
    defer { confirmed = [] }
    return confirmed
  }

  /// Takes in one packet of a link.
  public mutating func follow(
    _ packet: borrowing LinkLayerPacket, _ radio: RadioInformation, adapter: Int, frame: Int,
    time: Timestamp?
  ) -> Step {
    let key = Key(adapter: adapter, accessAddress: packet.accessAddress)
    if radio.check == .invalid {
      links[key]?.guess.lose(airTime: packet.airTime, at: time)
      return .invalidCheck
    }
    if links[key]?.hasEnded(before: packet, at: time) == true {
      forget(key)
      requests[key.accessAddress] = nil
    }
    if links[key] == nil {
      let request = requests[packet.accessAddress]?.heard.request
      let isCertain = request != nil || radio.check == .valid && packet.isWholeL2CAP
      if !isCertain { return suspect(packet, radio, key, frame: frame, time: time) }
      guard open(key, crcInitial: request?.crcInitial) else { return .overLimit }
    }
    guard let step = links[key]?.take(packet, radio, frame: frame, time: time) else {
      return .overLimit
    }
    if case .ended = step {
      noteUnreadable(key)
      noteEnd(of: key)
    }
    return step
  }

  private mutating func noteEnd(of key: Key) {
    if ended.count >= 2 * LinkFollower.linkLimit {
      ended = links.filter { $0.value.state == .ended }.map(\.key)
    } else {
      ended.append(key)
    }
  }

  /// Forgets a link that has ended; false where there is none.
  private mutating func dropEnded() -> Bool {
    while let key = ended.popLast() {
      guard links[key]?.state == .ended else { continue }
      links[key] = nil
      return true
    }
    return false
  }

  /// Makes room for a link and opens it.
  private mutating func open(_ key: Key, crcInitial: UInt32?) -> Bool {
    if links.count >= LinkFollower.linkLimit && !dropEnded() { return false }
    let wasAsked = requests[key.accessAddress] != nil
    if wasAsked { requests[key.accessAddress]?.isFollowed = true }
    links[key] = FollowedLink(crcInitial: crcInitial, isKnown: wasAsked)
    return true
  }

  /// Holds a packet of a link of which nothing is known, until another one agrees with it.
  private mutating func suspect(
    _ packet: borrowing LinkLayerPacket, _ radio: RadioInformation, _ key: Key, frame: Int,
    time: Timestamp?
  ) -> Step {
    let new = HeldPacket(packet, radio, frame: frame, time: time)
    var held = suspects[key] ?? []
    let initial = radio.check == .valid ? nil : packet.usableInitial
    let agrees = held.contains { $0.agrees(with: new) }
    if held.count >= LinkFollower.heldLimit {
      held.removeFirst()
      forgottenStrays += 1
    }
    held.append(new)
    if agrees {
      guard open(key, crcInitial: initial) else { return .overLimit }
      confirmed = held
      suspects[key] = []
      dropSuspect(key)
      return .confirmed
    }
    if suspects[key] == nil {
      if suspects.count >= LinkFollower.suspectLimit, let oldest = suspectOrder.first {
        dropSuspect(oldest)
      }
      suspectOrder.append(key)
    }
    suspects[key] = held
    return .held
  }

  private mutating func dropSuspect(_ key: Key) {
    guard let held = suspects.removeValue(forKey: key) else { return }
    forgottenStrays += held.count
    suspectOrder.removeAll { $0 == key }
  }
}

extension LinkFollower.Key: Comparable {
  static func < (one: Self, other: Self) -> Bool {
    (one.adapter, one.accessAddress) < (other.adapter, other.accessAddress)
  }
}

extension LinkLayerPacket {
  /// Whether the payload is one whole L2CAP packet.
  var isWholeL2CAP: Bool {
    guard DataPDUHeader(header).kind == .start,
      case .whole = L2CAPFit(payload, length: length)
    else { return false }
    return true
  }

  /// The start value with which the check is right; nil where it was left out or zeroed.
  var usableInitial: UInt32? { check == 0 ? nil : impliedInitial }
}

extension HeldPacket {
  /// Whether two packets of one access address show that there is a link: the receiver found both
  /// checks right, both are right with one start value, or, where checks are left out, both hold
  /// whole L2CAP packets.
  func agrees(with other: HeldPacket) -> Bool {
    if radio.check == .valid || other.radio.check == .valid {
      return radio.check == other.radio.check
    }
    guard !isSame(as: other) else { return false }
    let one = LinkLayerPacket(self)
    let two = LinkLayerPacket(other)
    if let initial = one.usableInitial { return initial == two.usableInitial }
    return two.usableInitial == nil && one.isWholeL2CAP && two.isWholeL2CAP
  }
}
