extension FindingTable {
  /// What is to be said of emergencies, of secrecy and of relays.
  static func alertEntry(of code: FindingCode) -> Entry {
    switch code {
    case .ackWithdrawn:
      Entry(
        .warning, "a node's document withdraws an acknowledgement that its earlier one showed",
        "Look for a node that rebuilds the emergency instead of merging it.",
        "protocol.md 4.3")
    case .emergencyNotAcked:
      Entry(
        .error, "a node carries an emergency and was never seen to acknowledge it",
        "Look at the node: it knows, and nobody there confirmed; peat-inspect emergencies shows "
          + "the whole story.",
        "protocol.md 4.3")
    case .emergencyNotSeen:
      Entry(
        .error, "an emergency did not reach a node, as far as the captures show",
        "Look at the reason: the link, the size, the version, or the receiver; "
          + "peat-inspect emergencies shows the whole story.",
        "protocol.md 4.3, 8.2")
    case .emergencyUnknown:
      Entry(
        .note, "whether an emergency reached a node cannot be seen",
        "Add a capture from nearer to that node; several captures together see more.",
        "protocol.md 4.3")
    case .emergencyLinkDown:
      Entry(
        .warning, "a link was down while an emergency lasted",
        "Look at signal and power there: what was raised meanwhile came late, or not at all.",
        "protocol.md 4.3, 8.1")
    case .emergencyTie:
      Entry(
        .warning, "two nodes raised emergencies of equal time: the mesh keeps both apart for ever",
        "Raise one of them again; a later time wins everywhere.",
        "protocol.md 4.3")
    case .emergencyReturned:
      Entry(
        .warning, "an emergency that a node had cleared came back",
        "Clear it on every node: a clear is never sent.",
        "protocol.md 4.3")
    case .plaintextInEncrypted:
      Entry(
        .warning, "a message in clear from where encrypted ones came",
        "Check that every node has the key, and turn strict encryption on.",
        "protocol.md 6.1")
    case .decryptedResent:
      Entry(
        .warning, "what came encrypted was sent on in clear",
        "Look for an Android node that forwards app messages; treat the content as known to "
          + "others.",
        "protocol.md 7.2, 9.4")
    case .replayedFrame:
      Entry(
        .warning, "an encrypted frame was sent again",
        "Look for who repeats it: old frames restore old peripherals and raise events again.",
        "protocol.md 6.1, 6.3")
    case .counterJump:
      Entry(
        .warning, "a session's counter left out values",
        "Look for lost messages, or a forged one that blocks the session.",
        "protocol.md 6.3")
    case .unopenedWrapper:
      Entry(
        .note, "an encrypted message stays shut for want of a key",
        "Give the key with --keys.",
        "protocol.md 6")
    case .relayExpired:
      Entry(
        .warning, "a relayed message has no hops left",
        "Raise the hops allowed, or bring a relaying node nearer.",
        "protocol.md 7.1")
    case .relayLoop:
      Entry(
        .warning, "a relayed message came back to where it had been",
        "Look for relays that do not remember message ids.",
        "protocol.md 7.1")
    case .relayOrphan:
      Entry(
        .note, "the origin of relayed messages was never heard itself",
        "Record nearer to the origin, or check the id in the envelope: it is not authenticated.",
        "protocol.md 7.1")
    default: Entry(.note, "a finding", "Look at its message.", "docs/records.md")
    }
  }
}
