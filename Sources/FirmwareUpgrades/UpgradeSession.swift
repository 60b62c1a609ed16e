package import SMPProtocol
import WireBytes

/// How an upgrade was meant to go, as far as it is seen.
package enum UpgradeMode: String, Sendable {
  case confirmOnly, testAndConfirm, testOnly, uploadOnly

  /// The mode in sentences.
  package var words: String {
    switch self {
    case .confirmOnly: "confirm only"
    case .testAndConfirm: "test and confirm"
    case .testOnly: "test only"
    case .uploadOnly: "upload only"
    }
  }
}

/// How an upgrade stands at the end of the captures.
package enum UpgradeOutcome: String, Sendable {
  case confirmed
  case notConfirmed = "not_confirmed"
  case reverted
  case pending
  case notSeenAgain = "not_seen_again"
  case uploaded
  case stopped
  case refused
  case unknown

  /// The outcome in sentences.
  package var words: String {
    switch self {
    case .confirmed: "the new image is confirmed"
    case .notConfirmed: "the new image runs and is not confirmed"
    case .reverted: "the old image runs"
    case .pending: "the new image waits for a reset"
    case .notSeenAgain: "not seen again after the reset"
    case .uploaded: "uploaded"
    case .stopped: "the upload stopped"
    case .refused: "refused"
    case .unknown: "how it ended was not recorded"
    }
  }
}

/// One thing that happened in an upgrade.
package struct UpgradeStep: Sendable, Equatable {
  package enum Kind: String, Sendable {
    case parameters, bootloader, images, upload, rewind, resume, stuck, uploaded, test, confirm
    case erase, reset, connected, disconnected, refused, unanswered
  }

  package var kind: Kind
  package var place: SMPPlace
  /// One sentence without a full stop.
  package var text: String
}

/// The upload of one image.
package struct ImageUpload: Sendable, Equatable {
  /// Bytes of the whole image, where its beginning was recorded.
  package var length: Int?
  /// The hash of the whole file, by which a server knows an upload again.
  package var hash: [UInt8]?
  /// The version in the image's header.
  package var version: String?
  /// What the server wants next: the bytes that it has.
  package var acknowledged = 0
  /// Bytes sent, those sent again among them.
  package var sent = 0
  /// Requests.
  package var requests = 0
  package var rewinds = 0
  package var resumes = 0
  /// Whether the server has all of it.
  package var isComplete = false
  /// Whether the server found the hash right; nil where it does not say.
  package var isMatch: Bool?
  /// Bytes that the server took, and how long that took, pauses between connections left out.
  package var taken = 0
  package var nanoseconds: Int64 = 0
  package var first: SMPPlace
  package var last: SMPPlace
  /// Requests for the same part since the server took something.
  var repeats = 0
  /// The last rewind's end, so that what was under way counts once.
  var rewoundTo: Int?
  /// From where time counts: the last request behind a pause, or the last answer.
  var since: SMPPlace

  init(_ chunk: SMPRequest.Chunk, at place: SMPPlace) {
    length = chunk.length
    hash = chunk.hash
    version = chunk.version
    first = place
    last = place
    since = place
  }

  /// How much of it the server has, from 0 to 100.
  package var percent: Int? {
    guard let length, length > 0 else { return nil }
    return Int(Double(min(max(acknowledged, 0), length)) / Double(length) * 100)
  }

  /// Bytes a second that the server took.
  package var speed: Double? {
    nanoseconds > 0 && taken > 0 ? Double(taken) * 1e9 / Double(nanoseconds) : nil
  }

  /// Where it stands, in words.
  package var progress: String {
    guard let length else { return "\(acknowledged) bytes" }
    return "\(acknowledged) of \(length) bytes" + (percent.map { " (\($0) %)" } ?? "")
  }
}

/// What became of one image of a device in an upgrade.
package struct UpgradeImage: Sendable, Equatable {
  /// Which image, on devices with several.
  package var image: Int
  /// What ran before.
  package var oldVersion: String?
  package var oldHash: [UInt8]?
  /// What shall run, by the hash that the boot loader knows it by.
  package var newVersion: String?
  package var newHash: [UInt8]?
  package var upload: ImageUpload?
  package var isTested = false
  package var isConfirmAsked = false
  /// The new image as the server last told it; nil where it did not.
  package var state: SMPImage?
  /// Whether that was behind a reset.
  package var isStateAfterReset = false
  /// Whether, behind a reset, another image ran.
  package var hasOldRun = false
  /// Whether a list behind the upload had no new image in it.
  var isMissing = false
  /// The hashes there were before it.
  var hashesBefore: [[UInt8]] = []

  init(image: Int) { self.image = image }
}

/// One upgrade of one device, over its connections.
package struct UpgradeSession: Sendable {
  /// The address of the device, or words for one whose address is not known.
  package var device: String
  package var images: [UpgradeImage] = []
  /// The connections it used, in order.
  package var links: [Int] = []
  package var steps: [UpgradeStep] = []
  /// Steps that found no room.
  package var stepsLeftOut = 0
  package var reset: SMPPlace?
  /// Whether the reset was answered.
  package var isResetAnswered = false
  /// Where connections ended in the midst of an upload, and what the server had by then.
  var interruptions: [(place: SMPPlace, progress: String)] = []
  /// Refusals that nothing later made good, by what was asked for.
  package var refusals: [String: String] = [:]
  package var unanswered = 0
  package var findings: [UpgradeFinding] = []
  package var mode: UpgradeMode?
  package var outcome = UpgradeOutcome.unknown
  /// Whether the new image is confirmed at the end; nil where that was not recorded.
  package var isConfirmed: Bool?
  package var first: SMPPlace
  package var last: SMPPlace
  /// The MTU and the connection interval in milliseconds of its uploads, where they are known.
  package var mtu: Int?
  package var interval: Double?

  init(device: String, at place: SMPPlace) {
    self.device = device
    first = place
    last = place
  }

  /// Whether a device came back behind its reset.
  package var hasReturned: Bool {
    guard let reset else { return false }
    return steps.contains { $0.kind == .connected && $0.place.link != reset.link }
  }
}
