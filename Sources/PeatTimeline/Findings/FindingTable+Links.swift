extension FindingTable {
  /// What is to be said of links and nodes.
  static func linkEntry(of code: FindingCode) -> Entry {
    switch code {
    case .writeCancelled:
      Entry(
        .note, "a prepared write was cancelled",
        "Look at what the client does behind it; nothing was written.",
        "protocol.md 8.2")
    case .readRefused:
      Entry(
        .warning, "the server refused reads of the document",
        "Look at the ATT error code; the client learns the document only from notifications.",
        "protocol.md 8.3")
    case .noSubscription:
      Entry(
        .warning, "a client found the document and never asked for its notifications",
        "Write the client configuration after discovery; some servers notify only those who "
          + "did.",
        "protocol.md 8.1")
    case .neverHeard:
      Entry(
        .warning, "a neighbour's documents never show what a node counted",
        "Look at whether the neighbour takes the node's messages: name, mesh id, key, size.",
        "protocol.md 4.1, 8.4")
    case .silentPeer:
      Entry(
        .note, "a Peat peer stayed connected for a minute and sent nothing",
        "Look at whether the peer is subscribed to, and whether its app runs.",
        "protocol.md 8.1")
    case .silentGap:
      Entry(
        .note, "a node was silent for much longer than its period",
        "Look at signal and connection there; what it counted meanwhile came late.",
        "protocol.md 8.1")
    case .nodeSilent:
      Entry(
        .warning, "a node fell silent and was not heard again until the capture's end",
        "Look at whether the node still runs, and at its link's end (peat-inspect links).",
        "protocol.md 8.1")
    case .hearsayNode:
      Entry(
        .note, "nodes are known only from what others tell of them",
        "Record nearer to them: nothing can be said of what they know.",
        "protocol.md 4.1, 4.3")
    case .receiverDrops:
      Entry(
        .note, "an implementation that may be among the receivers drops or misreads documents",
        "Look at what is lost there before relying on it; the message names the receiver.",
        "protocol.md 2.9, 9.3")
    case .batteryLow:
      Entry(
        .warning, "a node's battery was low at the end",
        "Charge or replace it; the reference's library calls 20 percent and less low.",
        "protocol.md 7.6")
    case .linkFlapping:
      Entry(
        .warning, "the same two devices connected again and again for short times",
        "Look at distance, supervision timeout and connection interval; peat-inspect links lists "
          + "the lives and their ends.",
        "protocol.md 8.1")
    case .oneWayLink:
      Entry(
        .warning, "documents went one way only over a link",
        "Look at whether the silent end found the document and its notifications, and whether its "
          + "app runs.",
        "protocol.md 8.1")
    case .clockSkew:
      Entry(
        .warning, "a node's clock differs from the capture's by more than two seconds",
        "Set the node's clock: of two emergencies the later time wins.",
        "protocol.md 4.3, 8.7")
    case .redundantLink:
      Entry(
        .note, "two links between the same two nodes carry the same documents",
        "Let only one of them connect; each document costs twice the air time.",
        "protocol.md 8.1")
    case .selfTalk:
      Entry(
        .note, "a node was sent its own document",
        "Look for a peer that forwards everything; receivers drop it.",
        "protocol.md 4.8")
    case .meshMismatch:
      Entry(
        .warning, "two neighbours announce different meshes",
        "Give both the same mesh id, letter by letter, or keep them apart.",
        "protocol.md 1.4")
    case .serviceDataShapes:
      Entry(
        .warning, "nodes announce one mesh in different shapes of service data",
        "Choose a mesh id that is no hexadecimal number: Android and Linux write those "
          + "differently.",
        "protocol.md 1.2")
    default: Entry(.note, "a finding", "Look at its message.", "docs/records.md")
    }
  }
}
