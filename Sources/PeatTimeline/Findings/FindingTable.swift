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
    case .ackWithdrawn, .emergencyNotAcked, .emergencyNotSeen, .emergencyUnknown,
      .emergencyLinkDown, .emergencyTie, .emergencyReturned, .plaintextInEncrypted,
      .decryptedResent, .replayedFrame, .counterJump, .unopenedWrapper, .relayExpired, .relayLoop,
      .relayOrphan:
      alertEntry(of: code)
    case .writeCancelled, .readRefused, .noSubscription, .neverHeard, .silentPeer, .silentGap,
      .nodeSilent, .hearsayNode, .receiverDrops, .batteryLow, .linkFlapping, .oneWayLink,
      .clockSkew, .redundantLink, .selfTalk, .meshMismatch, .serviceDataShapes:
      linkEntry(of: code)
    case .smpRefused, .smpUnanswered, .smpOffsetRewind, .smpResumed, .smpUploadShort,
      .smpUploadRepeated, .smpNotConfirmed, .smpNoReturn, .smpReverted, .smpAlreadyPending,
      .smpMTUTooSmall, .smpHashMismatch, .smpBadCBOR, .smpCut, .smpSlow:
      upgrade(code)
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
    case .droppedPackets, .aclOverrun, .aclAbandonedStart, .aclOrphanContinuation, .malformedEvent,
      .badCRC, .encryptedLink, .unreadableAirHeader, .airLengthFault, .connectionNotFollowed,
      .discoveryCut, .recorderClock, .clockStep, .connectionLimit:
      captureEntry(of: code)
    }
  }
}
