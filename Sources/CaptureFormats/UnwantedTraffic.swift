/// A capture filter that grows while a capture is read: the attribute traffic that is known to
/// carry nothing wanted, so that a reader can pass over it without lending it out.
///
/// Holds for the first adapter and for attribute handles below 256, which is nearly all traffic;
/// everything else is lent out as ever.
public struct UnwantedTraffic: Sendable {
  private static let wordsPerServer = 4
  // Shared by all filters that know nothing yet, of which there is one for each capture.
  private static let noSlots = [UInt16](repeating: 0, count: 4096 * 2)
  private static let nonePending = [UInt8](repeating: 0, count: 4096 * 2)

  // By connection handle and server's side: the place of its masks; 0 where nothing is known.
  var slots = UnwantedTraffic.noSlots
  // By place and attribute handle: four words of 64 bits each. The first place stays empty.
  var masks: [UInt64] = [0, 0, 0, 0]
  // By connection handle and sender's side: whether a packet was begun and not ended.
  var pending = UnwantedTraffic.nonePending
  /// Packets that the recorder had lost until the last record lent out.
  public var drops: UInt32 = 0

  /// Makes a filter that passes over nothing but returned credits.
  public init() {}

  /// Notes that an attribute of a server carries nothing wanted; the peer's or this host's own.
  public mutating func add(connection: UInt16, isPeerServer: Bool, attribute: UInt16) {
    guard attribute < 256 else { return }
    let server = UnwantedTraffic.server(connection, isPeerServer)
    if slots[server] == 0 {
      slots[server] = UInt16(masks.count / UnwantedTraffic.wordsPerServer)
      masks.append(contentsOf: repeatElement(0, count: UnwantedTraffic.wordsPerServer))
    }
    masks[Int(slots[server]) << 2 | Int(attribute >> 6)] |= 1 << UInt64(attribute & 63)
  }

  /// Forgets what is known of a connection, which may be another one now.
  public mutating func forget(connection: UInt16) {
    for isPeer in [false, true] {
      let place = Int(slots[UnwantedTraffic.server(connection, isPeer)])
      guard place > 0 else { continue }
      for word in 0..<UnwantedTraffic.wordsPerServer { masks[place << 2 | word] = 0 }
    }
  }

  /// Notes whether a packet from one side is still to be completed: until then every start of that
  /// side is lent out, so that the loss can be told.
  public mutating func setPending(connection: UInt16, isFromPeer: Bool, _ isPending: Bool) {
    let server = UnwantedTraffic.server(connection, isFromPeer)
    guard isPending || pending[server] != 0 else { return }
    pending[server] = isPending ? 1 : 0
  }

  @inline(__always)
  static func server(_ connection: UInt16, _ isPeer: Bool) -> Int {
    Int(connection & 0x0FFF) << 1 | (isPeer ? 1 : 0)
  }
}
