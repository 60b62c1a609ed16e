import PeatDissection
import PeatProtocol
import WireBytes

/// What is kept of emergencies, and of the nodes that carry them or do not.
extension EmergencyLog {
  /// One end of a connection, by the run's number.
  struct End: Hashable, Sendable {
    var link: Int
    var isLocal: Bool
  }

  /// How an emergency is told, from the form that says least.
  enum Form: Int, Sendable {
    /// As the event of its source's peripheral alone, which nobody passes on.
    case event
    /// By an operation of a delta.
    case delta
    /// By a document's section.
    case section
  }

  /// An emergency as one message tells it.
  struct Raising {
    var event: EmergencyEvent
    /// Why receivers do not take it.
    var rule: String?
    var form: Form
  }

  /// What is known of one emergency.
  struct Entry: Sendable {
    var firstSeen: Sighted
    /// The fullest form that any message had.
    var form: Form
    var pending: [NodeID]
    var type: String
    var mesh: String?
    var dropRule: String?
    var files: Set<String> = []
    var carried: [NodeID: Sighted] = [:]
    var acked: [NodeID: EmergencyNode.Ack] = [:]
    var named: Set<NodeID> = []
    var clears: [NodeID: EmergencyClear] = [:]
    /// What brought it to an end of a connection.
    var deliveries: [End: Deliveries] = [:]
  }

  /// The first message of each kind that brought an emergency to one end, and how many there were.
  struct Deliveries: Sendable {
    var sound: Sighted?
    var encrypted: Sighted?
    var stale: Sighted?
    var collision: Sighted?
    var dropped: (sighted: Sighted, rules: [ReceiverNote])?
    var refused: (sighted: Sighted, code: UInt8)?
    var cancelled: Sighted?
    var cut: Sighted?
    var unanswered: Sighted?
    var count = 0

    mutating func note(
      _ row: TimelineRow, _ sighted: Sighted, _ rule: String?, isStale: Bool
    ) {
      count += 1
      switch row.value.outcome {
      case .refused(let code):
        if refused == nil { refused = (sighted, code) }
        return
      case .cancelled:
        if cancelled == nil { cancelled = sighted }
        return
      case nil: break
      }
      let hasLoss = rule != nil || row.receivers.contains(where: \.isLoss)
      if hasLoss, dropped == nil { dropped = (sighted, row.receivers) }
      if row.value.opcode == .writeRequest, !row.value.isAnswered {
        if unanswered == nil { unanswered = sighted }
      } else if row.message.collides != nil {
        if collision == nil { collision = sighted }
      } else if rule == nil, isStale {
        if stale == nil { stale = sighted }
      } else if rule == nil, row.message.decryptedWith != nil {
        if encrypted == nil { encrypted = sighted }
      } else if rule == nil, sound == nil {
        // A part that is left out of it need not be the emergency.
        sound = sighted
      }
    }

    /// The first that may have been taken in.
    var first: Sighted? {
      [sound, encrypted, stale, collision, dropped?.sighted, unanswered].compactMap { $0 }
        .min(by: Sighted.isBefore)
    }
  }

  /// A node's documents in a row that show the same emergency, or none.
  struct Run: Sendable {
    var identity: EmergencyIdentity?
    var first: Sighted
    var last: Sighted
    var count = 1
    /// How many emergencies were known when it began: with each new one, a new run begins, so that
    /// what came before it is not counted.
    var known = 0
  }

  /// What a node's own documents show.
  struct Track: Sendable {
    var runs: [Run] = []
    var first: Sighted
    var last: Sighted
    var count = 0
    var version: UInt32
    var isKotlin: Bool
    /// The least that the capture was behind the node's own stamps, in nanoseconds.
    var lag: Int64?
    var hasEncrypted = false
    var callsign: String?
    /// The last battery that it told, in percent.
    var battery: UInt8 = 0
    /// What implementations do with its documents, where that is not plain acceptance.
    var drops: [Drop] = []
  }

  /// A document that the sender's MTU cut.
  struct Cut: Sendable {
    var version: UInt32
    var sighted: Sighted
  }

  /// What one implementation does with a node's documents.
  struct Drop: Sendable {
    var note: ReceiverNote
    var count: Int
    var first: Sighted
  }
}
