public import WireBytes

/// Follows links through what is heard on the air.
///
/// It tells whose each packet is, and passes over what brings nothing: empty PDUs, repeated ones
/// (Core Specification Vol 6 Part B, 4.5.9), and what cannot be read on an encrypted link. A link
/// whose CONNECT_IND was not heard is followed too: where the container says nothing of the check,
/// its start value is taken from the first two different packets that agree on it, and the packets
/// until then are held.
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
    /// Its payload is L2CAP data.
    case data(sender: LinkRole, isStart: Bool, isGuessed: Bool)
    /// With it the link ends, for a reason that one end gives.
    case ended(reason: UInt8, by: LinkRole)
    /// The link runs otherwise from its instant on.
    case pace(ConnectionPace)
    /// The link's PHYs change, by the central's way and the peripheral's.
    case phy(toPeripheral: UInt8, toCentral: UInt8)
    /// With it the link turns out to be encrypted.
    case encrypted
    /// There are too many links to follow this one.
    case overLimit
  }

  /// One link as one receiver hears it.
  struct Key: Hashable, Sendable {
    var adapter: Int
    var accessAddress: UInt32
  }

  /// Requests by access address: with several receivers, one may hear the request and another the
  /// link.
  private var requests: [UInt32: ConnectionRequest] = [:]
  private var links: [Key: FollowedLink] = [:]
  /// Links that have ended, and some that have begun anew since.
  private var ended: [Key] = []
  private var suspects: [Key: [HeldPacket]] = [:]
  private var suspectOrder: [Key] = []
  private var confirmed: [HeldPacket] = []

  /// Makes a follower that has heard nothing.
  public init() {}

  /// Takes in a CONNECT_IND: a link begins, and one with the same access address is over.
  public mutating func begin(_ request: ConnectionRequest, adapter: Int) {
    // Requests without a link are of links that were not established; none is needed for long.
    if requests.count >= LinkFollower.linkLimit { requests.removeAll() }
    requests[request.accessAddress] = request
    let key = Key(adapter: adapter, accessAddress: request.accessAddress)
    links[key] = nil
    dropSuspect(key)
  }

  /// The CONNECT_IND of a link, where it was heard.
  public func request(for accessAddress: UInt32) -> ConnectionRequest? { requests[accessAddress] }

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
      links[key]?.guess.lose(coveredLength: packet.coveredLength, at: time)
      return .invalidCheck
    }
    if links[key] == nil {
      let request = requests[packet.accessAddress]
      if request == nil, radio.check == .unknown {
        return suspect(packet, radio, key, frame: frame, time: time)
      }
      guard open(key, crcInitial: request?.crcInitial) else { return .overLimit }
    }
    guard let step = links[key]?.take(packet, radio, time: time) else { return .overLimit }
    if case .ended = step { noteEnd(of: key) }
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
    links[key] = FollowedLink(crcInitial: crcInitial)
    return true
  }

  /// Holds a packet of a link of which nothing is known, until another one's check agrees.
  private mutating func suspect(
    _ packet: borrowing LinkLayerPacket, _ radio: RadioInformation, _ key: Key, frame: Int,
    time: Timestamp?
  ) -> Step {
    guard let initial = packet.impliedInitial else { return .passedOver }
    let new = HeldPacket(packet, radio, frame: frame, time: time)
    var held = suspects[key] ?? []
    let agrees = held.contains { $0.impliedInitial == initial && !$0.isSame(as: new) }
    if held.count >= LinkFollower.heldLimit { held.removeFirst() }
    held.append(new)
    if agrees {
      guard open(key, crcInitial: initial) else { return .overLimit }
      dropSuspect(key)
      confirmed = held
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
    guard suspects.removeValue(forKey: key) != nil else { return }
    suspectOrder.removeAll { $0 == key }
  }
}

extension HeldPacket {
  var impliedInitial: UInt32? { LinkLayerPacket(self).impliedInitial }
}
