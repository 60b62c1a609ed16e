/// A capture filter that grows while a capture is read: the attribute traffic that is known to
/// carry nothing wanted, so that a reader can pass over it without lending it out.
///
/// Holds for the first adapter and for attribute handles below 256, which is nearly all traffic;
/// everything else is lent out as ever.
public struct UnwantedTraffic: Sendable {
  private static let wordsPerServer = 4

  // By connection handle, server's side, and attribute handle: four words of 64 bits each.
  var masks: [UInt64] = Array(repeating: 0, count: 4096 * 2 * UnwantedTraffic.wordsPerServer)
  // By connection handle and sender's side: whether a packet was begun and not ended.
  var pending: [UInt8] = Array(repeating: 0, count: 4096 * 2)
  /// Packets that the recorder had lost until the last record lent out.
  public var drops: UInt32 = 0

  /// Makes a filter that passes over nothing but returned credits.
  public init() {}

  /// Notes that an attribute of a server carries nothing wanted; the peer's or this host's own.
  public mutating func add(connection: UInt16, isPeerServer: Bool, attribute: UInt16) {
    guard attribute < 256 else { return }
    let word = UnwantedTraffic.server(connection, isPeerServer) << 2 | Int(attribute >> 6)
    masks[word] |= 1 << UInt64(attribute & 63)
  }

  /// Forgets what is known of a connection, which may be another one now.
  public mutating func forget(connection: UInt16) {
    for isPeer in [false, true] {
      let server = UnwantedTraffic.server(connection, isPeer)
      for word in 0..<UnwantedTraffic.wordsPerServer { masks[server << 2 | word] = 0 }
    }
  }

  /// Notes whether a packet from one side is still to be completed: until then every start of that
  /// side is lent out, so that the loss can be told.
  public mutating func setPending(connection: UInt16, isFromPeer: Bool, _ isPending: Bool) {
    pending[UnwantedTraffic.server(connection, isFromPeer)] = isPending ? 1 : 0
  }

  @inline(__always)
  static func server(_ connection: UInt16, _ isPeer: Bool) -> Int {
    Int(connection & 0x0FFF) << 1 | (isPeer ? 1 : 0)
  }
}
