package import PeatProtocol
package import PeatReplay
package import WireBytes

/// What a view shows besides the messages: the state of the mesh and of the run, now or at a moment
/// of the history.
package struct ScreenStatus: Sendable {
  /// What is shown, in the title: `monitor  capture.btsnoop`.
  package var source: String
  package var state: MeshState
  /// The time that ages count to.
  package var now: Timestamp?
  package var packets = 0
  /// Packets a second; nil where it is not known.
  package var packetRate: Double?
  package var messageRate = 0.0
  /// Bytes of messages a second.
  package var byteRate = 0.0
  /// Packets that the kernel or another recorder lost before they came here.
  package var drops = 0
  /// Packets that came here and could not be recorded.
  package var unrecorded = 0
  /// Nanoseconds since each node's last message by a clock that is never put; where one is missing,
  /// the packets' own times tell.
  package var ages: [NodeID: UInt64] = [:]
  /// Where packets are recorded to.
  package var recording: String?
  /// Whether a finished capture is played, so that nothing is of now.
  package var isReplay = false
  /// Connections with the times that they were up, in the order of their beginning.
  package var links: [ScreenLink] = []
  /// Whether the source gives nothing more.
  package var hasEnded = false
  /// The signal of a node's last advertisement, in dBm.
  package var rssi: [NodeID: Int] = [:]

  package init(source: String, state: MeshState) {
    self.source = source
    self.state = state
  }
}

/// A connection as the view of links shows it.
package struct ScreenLink: Sendable, Equatable {
  /// Who is at the other end: a callsign, else the address.
  package var name: String
  /// Nanoseconds of the packets' time.
  package var opened: Int64
  /// When it ended; nil while it is up.
  package var closed: Int64?
  /// How it ended, in words.
  package var reason: String?

  package init(name: String, opened: Int64, closed: Int64?, reason: String?) {
    self.name = name
    self.opened = opened
    self.closed = closed
    self.reason = reason
  }
}
