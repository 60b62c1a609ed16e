/// What each finding means, how much it matters, the source of its rule, and what to do.
///
/// `error` is only what loses or falsifies data. The one place for all of this: records, `check`,
/// its list and the manual come out of it.
package enum FindingTable {
  /// What is to be said of one code.
  package struct Entry: Sendable, Equatable {
    package var severity: Severity
    /// What it means, in a clause without a full stop.
    package var text: String
    /// What to do, in one sentence.
    package var advice: String
    /// Where the rule comes from.
    package var rule: String
    /// Whether sound captures are full of it, so that `check` tells it only where it is asked for.
    package var isUsual: Bool

    init(
      _ severity: Severity, _ text: String, _ advice: String, _ rule: String,
      isUsual: Bool = false
    ) {
      self.severity = severity
      self.text = text
      self.advice = advice
      self.rule = rule
      self.isUsual = isUsual
    }
  }

  /// What is to be said of a code.
  package static func entry(of code: FindingCode) -> Entry {
    switch code {
    case .malformedMessage:
      Entry(
        .error, "a receiver refuses the message: nothing of it arrives",
        "Look at the reason and the offset of the record, and correct the sender's encoder.",
        "protocol.md 2.1, 2.9, 7")
    case .sectionDropped:
      Entry(
        .error, "the reference drops a section of the document",
        "Correct the field that the message names; until then receivers see no such section.",
        "protocol.md 2.3, 2.7")
    case .sectionCut:
      Entry(
        .error, "a section's length runs past the end of the document: it is lost",
        "Send the document whole; check the sender's lengths and its buffer.",
        "protocol.md 2.1")
    case .uptimeTimestamp:
      Entry(
        .error, "a time before 2020 makes receivers drop what carries it",
        "Set the node's clock: it stamps with its uptime.",
        "protocol.md 2.3, 2.7, 8.6")
    case .activityRange:
      Entry(
        .error, "an activity above 3 makes receivers drop the peripheral",
        "Send activity 0 to 3 only.",
        "protocol.md 2.4")
    case .heartRateRange:
      Entry(
        .error, "a heart rate other than 0 or 20 to 250 makes receivers drop the peripheral",
        "Send 0 where the sensor has no sound value.",
        "protocol.md 2.4")
    case .batteryRange:
      Entry(
        .error, "a battery above 100 percent makes receivers drop the peripheral",
        "Hold the battery at 100 percent.",
        "protocol.md 2.4")
    case .locationDropped:
      Entry(
        .error, "the reference drops the location",
        "Leave the location out where the sensor has no sound one.",
        "protocol.md 2.6")
    case .overLimit:
      Entry(
        .warning, "the message is longer than some receivers take",
        "Send fewer sections, or an emergency without the peripheral, to stay within 256 bytes.",
        "protocol.md 2.1, 8.2")
    case .contentDropped:
      Entry(
        .error, "a wrapper holds what the reference does not take out of it",
        "Wrap documents, deltas and encrypted frames only, and only once.",
        "protocol.md 2.9, 7.1")
    case .writeRefused:
      Entry(
        .error, "the server refused a write of a document",
        "Look at the ATT error code: permissions and length are the usual reasons.",
        "protocol.md 8.2")
    case .lostByMTU:
      Entry(
        .error, "a document was cut by the sender's MTU and none was heard whole later",
        "Raise the MTU, or leave sections out until the document fits MTU - 3.",
        "protocol.md 8.2")
    case .wrongKey:
      Entry(
        .error, "keys are known and none opens the frame",
        "Check mesh id and secret: the mesh id is part of the key, letter by letter.",
        "protocol.md 6.1, 6.3")
    case .damagedFrame:
      Entry(
        .error, "the frame's bytes were changed: its tag does not fit",
        "Look for a sender that cuts or rewrites frames; every receiver drops it.",
        "protocol.md 6.1")
    case .counterRegression:
      Entry(
        .error, "a node's document shows a lower count than its earlier one",
        "Look for a node that loads old state or writes counters other than by maximum.",
        "protocol.md 4.1")
    case .ownCounterRaised:
      Entry(
        .error, "another node told of more than the node itself has counted",
        "Look for a node that counts under a foreign id, or adds totals (Android deltas).",
        "protocol.md 4.1, 7.3")
    case .cutByMTU:
      Entry(
        .warning, "the sender's MTU cut the value",
        "Raise the MTU, or leave sections out until the document fits MTU - 3.",
        "protocol.md 8.2")
    case .cutByCapture:
      Entry(
        .warning, "the capture left out the value's tail",
        "Record with whole packets: no snap length, no filtered log.",
        "docs/records.md")
    case .unknownSection:
      Entry(
        .warning, "decoding stops at an unknown section, the rest is ignored",
        "Put new sections behind the known ones, or wait for receivers that know them.",
        "protocol.md 2.1")
    case .entrySkipped:
      Entry(
        .warning, "the reference passes over a part of the document",
        "Send each node and each section once, and no node 00000000.",
        "protocol.md 2.1, 2.2, 2.7")
    case .valueClamped:
      Entry(
        .warning, "an unknown number is read as another one",
        "Use the numbers of the enumeration.",
        "protocol.md 2.3, 2.5")
    case .codecMisread:
      Entry(
        .note, "the Rust reference misreads a document of Android's codec",
        "Let Android nodes encrypt, or send documents of the reference's layout.",
        "protocol.md 9.3")
    case .longWrite:
      Entry(
        .warning, "iOS and Android take each part of a long write for a message",
        "Raise the MTU so that the document fits one write.",
        "protocol.md 8.2")
    case .deltaUnmerged:
      Entry(
        .warning, "no Rust receiver merges counters and emergency of a delta",
        "Send whole documents; deltas only raise events.",
        "protocol.md 4.9, 7.3")
    case .nodeZero:
      Entry(
        .warning, "the document's node is 00000000, which some receivers ignore",
        "Give the node an id.",
        "protocol.md 2.9, 11")
    case .peripheralOfOther:
      Entry(
        .note, "the peripheral's id is not the sender's",
        "Use the node's own id; receivers store the peripheral under the sender.",
        "protocol.md 2.3, 4.4", isUsual: true)
    case .counterLeap:
      Entry(
        .warning, "a count rose by more than a million at once",
        "Look for a counter that was set instead of counted; it can never come down.",
        "protocol.md 4.1")
    case .versionCollision:
      Entry(
        .warning, "the version's low byte looks like a marker: receivers misread the document",
        "Skip versions of low byte AC to B2 when sending in clear.",
        "protocol.md 2.9")
    case .versionReused:
      Entry(
        .warning, "two documents of one version differ",
        "Count the version up with every change.",
        "protocol.md 4.7")
    case .oldDocument:
      Entry(
        .note, "an older document of a node came behind a newer one",
        "Look at who sends it again; an older peripheral wins by coming last.",
        "protocol.md 4.4, 4.7")
    case .nodeRestart:
      Entry(
        .warning, "a node began anew: its version or count fell back",
        "Store node id, version and own counter; new steps stay unseen until the old count is "
          + "passed.",
        "protocol.md 4.1, 4.7")
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
    case .smpRefused, .smpUnanswered, .smpOffsetRewind, .smpResumed, .smpUploadShort,
      .smpUploadRepeated, .smpNotConfirmed, .smpNoReturn, .smpReverted, .smpAlreadyPending,
      .smpMTUTooSmall, .smpHashMismatch, .smpBadCBOR, .smpCut, .smpSlow:
      upgrade(code)
    case .droppedPackets:
      Entry(
        .warning, "the recorder lost packets",
        "Record to a faster disk or with a larger buffer; what was lost may be documents.",
        "btsnoop format (RFC 1761 layout)")
    case .aclOverrun:
      Entry(
        .warning, "more bytes came than an L2CAP packet announced",
        "Look at the controller: the packet is thrown away.",
        "Core Specification Vol 3 Part A, 7.2")
    case .aclAbandonedStart:
      Entry(
        .warning, "a packet began while another was not complete",
        "Look at the controller: the first packet is lost.",
        "Core Specification Vol 3 Part A, 7.2")
    case .aclOrphanContinuation:
      Entry(
        .warning, "a continuation came with no packet started",
        "Look for lost packets in front of it.",
        "Core Specification Vol 3 Part A, 7.2")
    case .malformedEvent:
      Entry(
        .warning, "an event of the controller is malformed",
        "Look at the controller's firmware; the event was passed over.",
        "Core Specification Vol 4 Part E, 7.7")
    case .badCRC:
      Entry(
        .warning, "packets from the air have a bad checksum",
        "Bring the sniffer nearer.",
        "Core Specification Vol 6 Part B, 3.1.1")
    case .encryptedLink:
      Entry(
        .warning, "a link is encrypted, and the sniffer cannot read it",
        "Record the HCI of one end, or give the sniffer the link's key.",
        "Core Specification Vol 6 Part B, 5.1.3")
    case .unreadableAirHeader:
      Entry(
        .warning, "packets of a sniffer have a header that is not known",
        "Save the capture anew, or export it with link type 251 or 256.",
        "tcpdump.org, link-layer header types")
    case .airLengthFault:
      Entry(
        .warning, "packets of a sniffer are shorter or longer than they say",
        "Look at the sniffer, or at what wrote the capture.",
        "Core Specification Vol 6 Part B, 2.1")
    case .connectionNotFollowed:
      Entry(
        .warning, "a connection was asked for, and the sniffer did not follow it",
        "Let the sniffer follow one of the two devices from before they connect.",
        "Core Specification Vol 6 Part B, 2.3.3.1")
    case .discoveryCut:
      Entry(
        .warning, "the capture cut the discovery of attributes",
        "Record with whole packets, or name the handle with --handle.",
        "docs/records.md")
    case .meshNoKey,
      .meshNoKeyOpens,
      .meshNoAppKey,
      .meshNoDeviceKey,
      .meshMicDamaged,
      .meshWrongIV,
      .meshReplay,
      .meshSequenceReset,
      .meshRelayAltered,
      .meshTtlZero,
      .meshSegmentsUnacked,
      .meshAckCancelled,
      .meshConfigUnanswered,
      .meshRequestUnanswered,
      .meshConfigRefused,
      .meshFilterDrops,
      .meshFilterMismatch,
      .meshSarOrder,
      .meshSarTimeout,
      .meshBeaconForged,
      .meshIvBackwards,
      .meshKeysMixed,
      .meshNotBound,
      .meshUnknownOpcode,
      .meshBadLength,
      .meshDefaultKey,
      .meshProvisioningFailed,
      .meshProvisioningStopped,
      .meshMalformed:
      meshEntry(of: code)
    case .recorderClock:
      Entry(
        .warning, "the recorder's clock differs from those of several nodes",
        "Set the recorder's clock; the times of this capture are off by as much.",
        "docs/records.md, Clocks")
    case .clockStep:
      Entry(
        .note, "the recorder's clock was put, or a record's time cannot be",
        "Read times on one side of the step only; set the recorder's clock before it records.",
        "docs/records.md, Clocks")
    case .connectionLimit:
      Entry(
        .warning, "more connections are open than are followed",
        "Cut the capture into parts.",
        "docs/records.md")
    }
  }
}
