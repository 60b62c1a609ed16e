import SMPProtocol
import WireBytes

/// What an upgrade was and how it ended, once everything of it was read (docs/upgrades.md).
enum UpgradeJudge {
  /// Bytes a second below which an upload is slow, where MTU or interval explain it.
  private static let slow = 5000.0
  /// Bytes below which the speed says little.
  private static let least = 2048
  private static let smallMTU = 100
  private static let longInterval = 45.0

  static func conclude(
    _ session: inout UpgradeSession, _ life: (Int) -> SMPLinkLife?,
    _ findings: inout [UpgradeFinding]
  ) {
    session.mode = mode(session)
    let outcomes = session.images.map { outcome($0, session) }
    session.outcome = order.first { outcomes.contains($0) } ?? .unknown
    session.isConfirmed = isConfirmed(session.outcome)
    addEnds(&session, life)
    for link in session.links {
      if let interval = life(link)?.interval { session.interval = interval }
    }
    var own: [UpgradeFinding] = []
    check(session, life, &own)
    session.findings += own
    findings += own
  }

  private static func mode(_ session: UpgradeSession) -> UpgradeMode? {
    let isTested = session.images.contains { $0.isTested }
    let isConfirmed = session.images.contains { $0.isConfirmAsked }
    if isTested { return isConfirmed ? .testAndConfirm : .testOnly }
    if isConfirmed { return .confirmOnly }
    return session.images.contains { $0.upload?.isComplete ?? false } ? .uploadOnly : nil
  }

  /// Of several images the worst counts.
  private static let order: [UpgradeOutcome] = [
    .refused, .stopped, .reverted, .notConfirmed, .notSeenAgain, .pending, .unknown, .uploaded,
    .confirmed,
  ]

  private static func outcome(
    _ image: UpgradeImage, _ session: UpgradeSession
  ) -> UpgradeOutcome {
    let isMarked = image.isTested || image.isConfirmAsked
    if let state = image.state {
      if state.isActive, state.isConfirmed { return .confirmed }
      if image.isStateAfterReset, state.isActive { return .notConfirmed }
    }
    if image.hasOldRun, isMarked { return .reverted }
    if let upload = image.upload, !upload.isComplete, upload.length != nil {
      return session.refusals["upload"] == nil ? .stopped : .refused
    }
    if !session.refusals.isEmpty { return .refused }
    if isMarked {
      guard session.reset != nil else { return .pending }
      return session.hasReturned ? .unknown : .notSeenAgain
    }
    return image.upload?.isComplete ?? false ? .uploaded : .unknown
  }

  private static func isConfirmed(_ outcome: UpgradeOutcome) -> Bool? {
    switch outcome {
    case .confirmed: true
    case .notConfirmed, .reverted, .pending, .uploaded, .stopped, .refused: false
    case .notSeenAgain, .unknown: nil
    }
  }

  /// Puts the ends of connections between the steps, by time.
  private static func addEnds(_ session: inout UpgradeSession, _ life: (Int) -> SMPLinkLife?) {
    for link in session.links {
      guard let life = life(link), let end = life.end else { continue }
      let words = life.words.map { ": \($0)" } ?? ""
      session.steps.append(
        UpgradeStep(kind: .disconnected, place: end, text: "the connection ended\(words)"))
    }
    session.steps = session.steps.enumerated().sorted { left, right in
      let times = (left.element.place.time, right.element.place.time)
      if let first = times.0, let second = times.1, first.nanoseconds != second.nanoseconds {
        return first < second
      }
      return left.offset < right.offset
    }.map(\.element)
  }

  private static func check(
    _ session: UpgradeSession, _ life: (Int) -> SMPLinkLife?, _ findings: inout [UpgradeFinding]
  ) {
    for interruption in session.interruptions {
      let words = life(interruption.place.link)?.words.map { " (\($0))" } ?? ""
      findings.append(
        UpgradeFinding(
          .uploadShort,
          "the connection to \(session.device) ended\(words) at \(interruption.progress); "
            + "another followed", at: interruption.place))
    }
    for image in session.images {
      if let upload = image.upload { check(upload, session, life, &findings) }
      check(image, session, &findings)
    }
  }

  private static func check(
    _ upload: ImageUpload, _ session: UpgradeSession, _ life: (Int) -> SMPLinkLife?,
    _ findings: inout [UpgradeFinding]
  ) {
    if !upload.isComplete, upload.length != nil, session.refusals["upload"] == nil {
      let end = life(upload.last.link)
      let why =
        if end?.end != nil {
          "the connection ended" + (end?.words.map { " (\($0))" } ?? "")
        } else { "the capture has no more of it" }
      findings.append(
        UpgradeFinding(
          .uploadShort, "the upload to \(session.device) stopped at \(upload.progress): \(why)",
          at: upload.last))
    }
    guard let speed = upload.speed, speed < slow, upload.taken >= least else { return }
    var why: [String] = []
    if let mtu = session.mtu, mtu <= smallMTU { why.append("an MTU of \(mtu)") }
    if let interval = session.interval, interval >= longInterval {
      why.append("a connection interval of \(Int(interval.rounded())) ms")
    }
    guard !why.isEmpty else { return }
    findings.append(
      UpgradeFinding(
        .slow,
        "the upload to \(session.device) ran at \(SMPWords.speed(speed)) with "
          + why.joined(separator: " and "), at: upload.last))
  }

  private static func check(
    _ image: UpgradeImage, _ session: UpgradeSession, _ findings: inout [UpgradeFinding]
  ) {
    let name = session.images.count > 1 ? "image \(image.image)" : "the new image"
    let version = image.newVersion ?? image.upload?.version
    let what = version.map { "\(name) \($0)" } ?? name
    switch outcome(image, session) {
    case .notConfirmed:
      findings.append(
        UpgradeFinding(
          .notConfirmed,
          "\(what) runs on \(session.device) without being confirmed: the next reset reverts it",
          at: session.last))
    case .reverted:
      findings.append(
        UpgradeFinding(
          .reverted,
          "behind the reset \(session.device) runs \(image.oldVersion ?? "another image")"
            + ", not \(what)", at: session.last))
    case .notSeenAgain:
      findings.append(
        UpgradeFinding(
          .noReturn,
          "\(session.device) was not seen again behind the reset: whether \(what) runs "
            + "and is confirmed cannot be told", at: session.reset ?? session.last))
    case .confirmed, .pending, .uploaded, .stopped, .refused, .unknown: break
    }
    if image.isMissing {
      findings.append(
        UpgradeFinding(
          .hashMismatch, "no list of \(session.device) has the uploaded image", at: session.last))
    }
  }
}
