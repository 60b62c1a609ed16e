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
  /// Whether the source gives nothing more.
  package var hasEnded = false
  /// The signal of a node's last advertisement, in dBm.
  package var rssi: [NodeID: Int] = [:]

  package init(source: String, state: MeshState) {
    self.source = source
    self.state = state
  }
}
