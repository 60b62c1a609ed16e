package import FirmwareUpgrades

extension FindingCode {
  /// The code of a firmware upgrade's finding.
  package init(_ code: UpgradeCode) {
    self =
      switch code {
      case .refused: .smpRefused
      case .unanswered: .smpUnanswered
      case .rewind: .smpOffsetRewind
      case .resumed: .smpResumed
      case .uploadShort: .smpUploadShort
      case .uploadRepeated: .smpUploadRepeated
      case .notConfirmed: .smpNotConfirmed
      case .noReturn: .smpNoReturn
      case .reverted: .smpReverted
      case .alreadyPending: .smpAlreadyPending
      case .mtuTooSmall: .smpMTUTooSmall
      case .hashMismatch: .smpHashMismatch
      case .badCBOR: .smpBadCBOR
      case .cut: .smpCut
      case .slow: .smpSlow
      }
  }
}

extension FindingTable {
  /// The findings on firmware upgrades (docs/upgrades.md).
  static func upgrade(_ code: FindingCode) -> Entry {
    switch code {
    case .smpRefused:
      Entry(
        .warning, "a server refused a command of a firmware upgrade",
        "Look at the reason in words; it is the device that refuses, not the link.",
        "docs/upgrades.md 5")
    case .smpUnanswered:
      Entry(
        .warning, "a request of a firmware upgrade was never answered",
        "Look at whether the connection ended, whether the client was subscribed, and "
          + "whether the server runs.",
        "docs/upgrades.md 3")
    case .smpOffsetRewind:
      Entry(
        .note, "a server wanted bytes of an image again",
        "Look for lost packets; many rewinds make an upload slow.",
        "docs/upgrades.md 4")
    case .smpResumed:
      Entry(
        .note, "an upload went on where an earlier one had stopped",
        "Nothing is to be done: the server knew the image again.",
        "docs/upgrades.md 4")
    case .smpUploadShort:
      Entry(
        .warning, "the upload of an image stopped before its end",
        "Look at why the connection ended; uploading the same image again resumes it "
          + "where the server can.",
        "docs/upgrades.md 4")
    case .smpUploadRepeated:
      Entry(
        .warning, "the same part of an image was sent three times",
        "Look at the answers: the server does not take it, or does not hear it.",
        "docs/upgrades.md 4")
    case .smpNotConfirmed:
      Entry(
        .warning, "the new image runs and is not confirmed: the next reset reverts it",
        "Confirm it once it is known to work.",
        "docs/upgrades.md 6")
    case .smpNoReturn:
      Entry(
        .note, "the device was not seen again behind its reset",
        "Record until it is connected again; only its list of images tells whether the "
          + "new one runs.",
        "docs/upgrades.md 6")
    case .smpReverted:
      Entry(
        .warning, "behind the reset the old image runs",
        "Look at why the new one did not stay: it was not confirmed, or the boot loader "
          + "refused it.",
        "docs/upgrades.md 6")
    case .smpAlreadyPending:
      Entry(
        .warning, "an earlier image waits for a reset or its confirmation",
        "Reset the device, or confirm the image, before the next upload.",
        "docs/upgrades.md 5")
    case .smpMTUTooSmall:
      Entry(
        .warning, "requests in several writes got no answer at all",
        "Send requests that fit one write, or a larger MTU: the server does not put parts "
          + "together.",
        "docs/upgrades.md 2")
    case .smpHashMismatch:
      Entry(
        .error, "the server has another image than the one that was sent",
        "Upload it again, and compare the file.",
        "docs/upgrades.md 4")
    case .smpBadCBOR:
      Entry(
        .warning, "a message of a firmware upgrade is malformed",
        "Correct the encoder of its sender.",
        "docs/upgrades.md 2")
    case .smpCut:
      Entry(
        .note, "a message of a firmware upgrade never became whole",
        "Look for lost packets, or record earlier.",
        "docs/upgrades.md 2")
    default:
      Entry(
        .note, "an upload was slow because of MTU or connection interval",
        "Ask for a larger MTU and a shorter interval before the upload.",
        "docs/upgrades.md 4")
    }
  }
}
