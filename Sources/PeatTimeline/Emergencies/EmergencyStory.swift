package import PeatDissection
package import PeatProtocol
package import WireBytes

/// One emergency: its source and the time that the source wrote (protocol.md 4.3).
package struct EmergencyIdentity: Hashable, Sendable {
  package var source: NodeID
  package var time: UInt64

  package init(source: NodeID, time: UInt64) {
    self.source = source
    self.time = time
  }
}

/// Where something was seen.
package struct Sighted: Sendable, Equatable {
  package var time: Timestamp?
  package var file: String
  package var frame: Int
  /// The run's number of the connection.
  package var link: Int
  /// The author of the message.
  package var author: NodeID

  init(_ row: TimelineRow, author: NodeID) {
    time = row.value.time
    file = row.file
    frame = row.value.frame
    link = row.value.link.id
    self.author = author
  }

  /// Earlier first; without a time at the very beginning.
  static func isBefore(_ left: Sighted, _ right: Sighted) -> Bool {
    (left.time?.nanoseconds ?? .min) < (right.time?.nanoseconds ?? .min)
  }
}

/// Why a node did not acknowledge an emergency, as far as captures show.
///
/// The raw value is the code in records; `meaning` documents it.
package enum EmergencyReason: String, Sendable, CaseIterable {
  case noAck = "no_ack"
  case cleared
  case superseded
  case tie
  case clock
  case linkDown = "link_down"
  case neverConnected = "never_connected"
  case nothingSent = "nothing_sent"
  case noResponse = "no_response"
  case refused
  case cancelled
  case mtuCut = "mtu_cut"
  case versionCollision = "version_collision"
  case receiverDrops = "receiver_drops"
  case decryptFailure = "decrypt_failure"
  case staleVersion = "stale_version"
  case ignored
  case nothingAfter = "nothing_after"
  case codec
  case eventOnly = "event_only"
  case notRecorded = "not_recorded"

  /// What the code says, in a clause.
  package var meaning: String {
    switch self {
    case .noAck: "it carries the emergency, and no recorded document shows its acknowledgement"
    case .cleared: "it cleared the emergency without acknowledging it"
    case .superseded: "it carried another emergency with a later time, which wins"
    case .tie: "it carried another emergency with the same time; each side keeps its own"
    case .clock: "a clock that is wrong made receivers drop the emergency or prefer another one"
    case .linkDown: "its connection was down while the emergency could have been told over it"
    case .neverConnected: "it advertised and was never connected to a recorded host"
    case .nothingSent: "it was connected, and nothing that carries the emergency was sent to it"
    case .noResponse: "the write that carried it was never answered"
    case .refused: "its server refused the write"
    case .cancelled: "the client cancelled its prepared write"
    case .mtuCut: "the sender's MTU cut the emergency off"
    case .versionCollision: "the document's version looks like a marker, so that it was misread"
    case .receiverDrops: "its implementation drops the message by a known rule"
    case .decryptFailure: "it came encrypted, and the node has never used that key"
    case .staleVersion: "only documents older than their sender's last one carried it there"
    case .ignored: "it received the emergency, and its documents since do not carry it"
    case .nothingAfter: "it was told, and nothing of it was recorded afterwards"
    case .codec: "its documents are of Android's codec, which has no emergency section"
    case .eventOnly:
      "it was told an event of the peripheral alone, which no other document shows: it arrived or not"
    case .notRecorded: "nothing was recorded of it: what it knew cannot be seen"
    }
  }
}

/// What became of an emergency at one node.
package struct EmergencyNode: Sendable {
  package enum Outcome: String, Sendable {
    case acked, carried
    case notReached = "not_reached"
    case unknown
  }

  /// Who acknowledged, and whose document showed it first.
  package struct Ack: Sendable {
    package var sighted: Sighted
    package var through: NodeID
  }

  /// What supports a reason.
  package struct Evidence: Sendable {
    package var reason: EmergencyReason
    package var file: String?
    package var frames: [Int] = []
    package var from: Timestamp?
    package var until: Timestamp?
    package var end: Disconnection?
    /// Another node that has a part in it.
    package var other: NodeID?
    /// How often, or another number.
    package var count = 0
    /// A rule or an outcome in words.
    package var rule: String?

    init(_ reason: EmergencyReason) { self.reason = reason }
  }

  package var node: NodeID
  package var outcome: Outcome
  /// Whether only other nodes' documents tell of it.
  package var isHearsay: Bool
  /// Whether the emergency itself, or its own documents, name it, not counters alone.
  package var isAudience: Bool
  package var carried: Sighted?
  /// Who told it: the first message that brought the emergency there.
  package var told: Sighted?
  package var acked: Ack?
  package var evidence: Evidence?
  /// When its connections to recorded hosts were down while the emergency lasted.
  package var downs: [LinkGap] = []
}

/// A time in which two devices that had been connected, or were later, were not.
package struct LinkGap: Sendable {
  package var file: String
  /// The connection that ended.
  package var link: Int
  package var from: Timestamp
  /// Nil where they were not connected again.
  package var until: Timestamp?
  package var end: Disconnection?
  /// The packets that show its beginning and its end.
  package var frames: [Int]
  /// The node at the other end.
  package var other: NodeID?
}

/// A node's clearing of an emergency, which is local (protocol.md 4.3).
package struct EmergencyClear: Sendable {
  package var sighted: Sighted
  /// The node's document that carried it again.
  package var returned: Sighted?
}

/// An emergency with everything that the captures show of it.
package struct EmergencyStory: Sendable {
  package enum RaisedBy: String, Sendable { case stamp, sighting }

  /// Why a source's stamp does not tell when it raised an emergency.
  package enum StampDoubt: Sendable, Equatable {
    /// No document of the source itself was recorded that has a time.
    case sourceUnheard
    /// The capture's time is at least so many nanoseconds behind the source's times, or ahead.
    case lag(Int64)
    /// The stamp is later than the first sighting.
    case ahead
    /// Receivers take no time so early (protocol.md 2.7).
    case tooEarly
    /// The capture has no times.
    case untimed
  }

  package var identity: EmergencyIdentity
  /// The mesh that its source announces, where that is known.
  package var mesh: String?
  package var firstSeen: Sighted
  package var raisedBy: RaisedBy
  /// Why its stamp was not taken; nil where it was.
  package var doubt: StampDoubt?
  /// When it was raised, as far as it can be told.
  package var raised: Timestamp?
  /// The source's own event when it raised it.
  package var type: String
  /// Who had not acknowledged when it was first seen.
  package var pending: [NodeID]
  /// Ascending by node id.
  package var nodes: [EmergencyNode]
  /// By time.
  package var cleared: [EmergencyClear]
  /// The later emergency that took its place at the nodes, where one did.
  package var supersededBy: EmergencyIdentity?
  /// Nodes whose last document still carries it.
  package var standing: [NodeID]
  /// Why every receiver drops it; nil where it is sound.
  package var dropRule: String?
  /// Whether only the event of its source's peripheral tells of it.
  package var isEventOnly: Bool
  /// Captures that show something of it.
  package var captures: Int

  /// Nodes that are counted: those whom the emergency is for, and those who were heard.
  package var audience: [EmergencyNode] { nodes.filter(\.isAudience) }
  package var ackedCount: Int { nodes.count { $0.outcome == .acked } }
  /// What every receiver drops nobody acknowledged, however few it was for.
  package var isAckedByAll: Bool {
    dropRule == nil && audience.allSatisfy { $0.outcome == .acked }
  }
  /// Connections that were down while it lasted, by time, each once.
  package var downs: [(node: NodeID, gap: LinkGap)] {
    nodes.flatMap { node in node.downs.map { (node: node.node, gap: $0) } }
      .sorted { ($0.gap.from, $0.node) < ($1.gap.from, $1.node) }
  }

  /// When the last acknowledgement was seen.
  package var lastAck: Timestamp? { nodes.compactMap { $0.acked?.sighted.time }.max() }
}
