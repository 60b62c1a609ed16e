import BluetoothProtocols
import PeatDissection
public import PeatProtocol
import PeatReplay
import PeatTimeline
public import WireBytes

/// A message of the mesh, with how it was carried and what it changed.
public struct MeshMessage: Sendable {
  /// The capture, as it was named.
  public let file: String
  /// The packet that completed it, counted in its file from 1.
  public let frame: Int
  /// When it was recorded, by the first capture's clock; nil where the capture has no times.
  public let time: Timestamp?
  /// The run's number of the connection.
  public let link: Int
  /// The other end's device address, as text, where the capture tells it.
  public let peer: String?
  /// Whether the capturing host sent it, or, on the air, the central.
  public let isSent: Bool
  /// The bytes of the value.
  public let bytes: [UInt8]
  /// What the bytes say, opened where a key fits.
  public let content: Message
  /// Whether it changed the joined counters or emergency of the mesh.
  public let changesMesh: Bool

  init(_ row: TimelineRow) {
    file = row.file
    frame = row.value.frame
    time = row.value.time
    link = row.value.link.id
    peer = row.value.link.peer?.description
    isSent = row.value.direction.isFromLocal
    bytes = row.value.payload
    content = row.message
    changesMesh = row.effect.isChanged
  }
}

/// A node, by its own documents.
public struct MeshNode: Sendable {
  /// The node.
  public let id: NodeID
  /// What it calls itself, as it came: escape it where it is shown.
  public let callsign: String?
  /// How many documents of it there are.
  public let documents: Int
  /// Its last document's peripheral, where one had any.
  public let peripheral: Peripheral?
  /// When its last document came.
  public let lastHeard: Timestamp

  init(_ id: NodeID, _ state: NodeState) {
    self.id = id
    callsign = state.peripheral?.callsign.text
    documents = state.documents
    peripheral = state.peripheral
    lastHeard = state.lastHeard
  }
}
