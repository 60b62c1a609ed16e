/// How much a finding matters.
package enum Severity: String, Sendable, Comparable, CaseIterable {
  case note, warning, error

  package static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

  private var rank: Int {
    switch self {
    case .note: 0
    case .warning: 1
    case .error: 2
    }
  }
}

/// Something that a message's reader should know of it; the raw value is the stable code.
///
/// What each means, and what to do, is in ``FindingTable``.
package enum FindingCode: String, Sendable, CaseIterable {
  // What a receiver does not take
  case malformedMessage = "malformed-message"
  case sectionDropped = "section-dropped"
  case sectionCut = "section-cut"
  case uptimeTimestamp = "uptime-timestamp"
  case activityRange = "activity-out-of-range"
  case heartRateRange = "heart-rate-out-of-range"
  case batteryRange = "battery-out-of-range"
  case locationDropped = "location-dropped"
  case overLimit = "over-receiver-limit"
  case contentDropped = "content-not-dispatched"
  case writeRefused = "write-refused"
  case lostByMTU = "lost-by-mtu"
  case wrongKey = "wrong-key"
  case damagedFrame = "damaged-frame"
  // What falsifies the state
  case counterRegression = "counter-regression"
  case ownCounterRaised = "own-counter-raised"
  // What is misread or left out
  case cutByMTU = "cut-by-mtu"
  case cutByCapture = "cut-by-capture"
  case unknownSection = "unknown-section"
  case entrySkipped = "entry-skipped"
  case valueClamped = "value-clamped"
  case codecMisread = "codec-misread"
  case longWrite = "long-write"
  case deltaUnmerged = "delta-unmerged"
  case nodeZero = "node-id-zero"
  case peripheralOfOther = "peripheral-of-other"
  // Counters and versions
  case counterLeap = "counter-leap"
  case versionCollision = "version-collision"
  case versionReused = "version-reused"
  case oldDocument = "old-document"
  case nodeRestart = "node-restart"
  // Emergencies
  case ackWithdrawn = "ack-withdrawn"
  case emergencyNotAcked = "emergency-not-acked"
  case emergencyNotSeen = "emergency-not-seen"
  case emergencyUnknown = "emergency-unknown"
  case emergencyLinkDown = "emergency-link-down"
  case emergencyTie = "emergency-tie"
  case emergencyReturned = "emergency-returned"
  // Secrecy
  case plaintextInEncrypted = "plaintext-in-encrypted-mesh"
  case decryptedResent = "decrypted-resent"
  case replayedFrame = "replayed-frame"
  case counterJump = "counter-jump"
  case unopenedWrapper = "unopened-wrapper"
  // Relays
  case relayExpired = "relay-expired"
  case relayLoop = "relay-loop"
  case relayOrphan = "relay-orphan"
  // Links and nodes
  case writeCancelled = "write-cancelled"
  case readRefused = "read-refused"
  case noSubscription = "no-subscription"
  case neverHeard = "never-heard"
  case silentPeer = "silent-peer"
  case silentGap = "silent-gap"
  case nodeSilent = "node-silent"
  case hearsayNode = "hearsay-node"
  case receiverDrops = "receiver-drops"
  case batteryLow = "battery-low"
  case linkFlapping = "link-flapping"
  case oneWayLink = "one-way-link"
  case clockSkew = "clock-skew"
  case redundantLink = "redundant-link"
  case selfTalk = "self-talk"
  case meshMismatch = "mesh-mismatch"
  case serviceDataShapes = "service-data-shapes"
  // Firmware upgrades
  case smpRefused = "smp-refused"
  case smpUnanswered = "smp-unanswered"
  case smpOffsetRewind = "smp-offset-rewind"
  case smpResumed = "smp-resumed"
  case smpUploadShort = "smp-upload-short"
  case smpUploadRepeated = "smp-upload-repeated"
  case smpNotConfirmed = "smp-not-confirmed"
  case smpNoReturn = "smp-no-return"
  case smpReverted = "smp-reverted"
  case smpAlreadyPending = "smp-already-pending"
  case smpMTUTooSmall = "smp-mtu-too-small"
  case smpHashMismatch = "smp-hash-mismatch"
  case smpBadCBOR = "smp-bad-cbor"
  case smpCut = "smp-cut"
  case smpSlow = "smp-slow"
  // Below the messages
  case droppedPackets = "dropped-packets"
  case aclOverrun = "acl-overrun"
  case aclAbandonedStart = "acl-abandoned-start"
  case aclOrphanContinuation = "acl-orphan-continuation"
  case malformedEvent = "hci-malformed-event"
  case badCRC = "bad-crc"
  case encryptedLink = "encrypted-link"
  case unreadableAirHeader = "unreadable-air-header"
  case airLengthFault = "air-length-fault"
  case connectionNotFollowed = "connection-not-followed"
  case discoveryCut = "discovery-cut"
  case connectionLimit = "connection-limit"
  case clockStep = "clock-step"
  case recorderClock = "recorder-clock"
  // A Bluetooth mesh on the same links and air
  case meshNoKey = "mesh-no-key"
  case meshNoKeyOpens = "mesh-no-key-opens"
  case meshNoAppKey = "mesh-no-app-key"
  case meshNoDeviceKey = "mesh-no-device-key"
  case meshMicDamaged = "mesh-mic-damaged"
  case meshWrongIV = "mesh-wrong-iv"
  case meshReplay = "mesh-replay"
  case meshSequenceReset = "mesh-seq-reset"
  case meshRelayAltered = "mesh-relay-altered"
  case meshTtlZero = "mesh-ttl-zero"
  case meshSegmentsUnacked = "mesh-segments-unacked"
  case meshAckCancelled = "mesh-ack-cancelled"
  case meshConfigUnanswered = "mesh-config-unanswered"
  case meshRequestUnanswered = "mesh-request-unanswered"
  case meshConfigRefused = "mesh-config-refused"
  case meshFilterDrops = "mesh-filter-drops"
  case meshFilterMismatch = "mesh-filter-mismatch"
  case meshSarOrder = "mesh-sar-order"
  case meshSarTimeout = "mesh-sar-timeout"
  case meshBeaconForged = "mesh-beacon-forged"
  case meshIvBackwards = "mesh-iv-backwards"
  case meshKeysMixed = "mesh-kr-mixed"
  case meshNotBound = "mesh-not-bound"
  case meshUnknownOpcode = "mesh-unknown-opcode"
  case meshBadLength = "mesh-bad-length"
  case meshDefaultKey = "mesh-default-key"
  case meshProvisioningFailed = "mesh-provisioning-failed"
  case meshProvisioningStopped = "mesh-provisioning-stopped"
  case meshMalformed = "mesh-malformed"

  /// Whether it says that an alert was lost.
  var isOfAlert: Bool { self == .emergencyNotAcked || self == .emergencyNotSeen }

  /// Whether each sentence is a finding of its own: one emergency at one node, one receiver.
  var isToldApart: Bool {
    switch self {
    case .emergencyNotAcked, .emergencyNotSeen, .emergencyUnknown, .emergencyLinkDown,
      .receiverDrops:
      true
    default: false
    }
  }

  /// How much it matters.
  package var severity: Severity { FindingTable.entry(of: self).severity }
}

/// A finding on one message.
package struct Finding: Sendable, Equatable {
  package var code: FindingCode
  /// One sentence for a person.
  package var message: String
  /// Earlier packets of the same file that belong to it.
  package var otherFrames: [Int]
  /// Nanoseconds that a node's clock is ahead of the recorder's at least, negative behind it.
  package var clockOffset: Int64?

  package var severity: Severity { code.severity }

  package init(_ code: FindingCode, _ message: String, otherFrames: [Int] = []) {
    self.code = code
    self.message = message
    self.otherFrames = otherFrames
  }
}
