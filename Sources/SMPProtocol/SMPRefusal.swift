public import WireBytes

/// Why a server did not do what it was asked, in either form.
public struct SMPRefusal: Sendable, Equatable {
  /// The group whose code it is; nil for a code that is the same in all (version 1).
  public let group: UInt16?
  /// The code, never 0.
  public let code: Int
  /// What the server adds in words of its own.
  public let reason: String?

  /// Finds the refusal in a response's body; nil where there is none.
  public init?(_ body: CBORValue) {
    if let error = body["err"], let code = error["rc"]?.integer, code != 0 {
      group = error["group"]?.integer.flatMap { UInt16(exactly: $0) }
      self.code = code
    } else if let code = body["rc"]?.integer, code != 0 {
      group = nil
      self.code = code
    } else {
      return nil
    }
    reason = body["rsn"]?.text
  }

  /// The code in words; nil where it has none.
  public var words: String? {
    switch group {
    case nil: SMPRefusal.common(code)
    case 0: SMPRefusal.word(code, in: SMPRefusal.os)
    case 1: SMPRefusal.word(code, in: SMPRefusal.image)
    case 3: SMPRefusal.word(code, in: SMPRefusal.settings)
    case 8: SMPRefusal.word(code, in: SMPRefusal.files)
    case 63: SMPRefusal.word(code, in: SMPRefusal.basic)
    default: code == 1 ? "unknown error" : nil
    }
  }

  private static func common(_ code: Int) -> String? {
    code >= 256 ? "error of the application" : word(code, in: common)
  }

  private static func word(_ code: Int, in table: [String]) -> String? {
    guard code >= 1, code <= table.count else { return nil }
    return table[code - 1].isEmpty ? nil : table[code - 1]
  }

  // From code 1 on.
  private static let common = [
    "unknown error", "no memory", "invalid value", "timeout", "no such entry", "bad state",
    "too large", "not supported", "corrupt", "busy", "access denied", "version too old",
    "version too new",
  ]
  private static let os = [
    "unknown error", "invalid format", "query not recognised", "clock not set", "clock failed",
    "no valid answer",
  ]
  private static let image = [
    "unknown error", "flash configuration not readable", "no image", "no trailer in the image",
    "invalid trailer in the image", "several hashes in the image", "trailer of a wrong size",
    "hash not found", "no free slot", "flash not opened", "flash not read", "flash not written",
    "flash not erased", "invalid slot", "no memory", "flash in use already", "flash not prepared",
    "no such flash area", "offset on no page", "offset missing", "length missing",
    "invalid image header", "wrong magic in the image header", "invalid hash",
    "wrong flash address", "version not readable", "newer version is running",
    "an image is pending already", "invalid vector table", "image too large",
    "more data than announced", "confirmation denied", "active image cannot be tested",
    "active slot unknown",
  ]
  private static let settings = [
    "unknown error", "key too long", "key not found", "reading not supported",
    "root key not found",
  ]
  private static let files = [
    "unknown error", "invalid name", "not found", "is a directory", "not opened", "no such place",
    "not read", "not truncated", "not deleted", "not written", "offset not valid",
    "offset behind the end", "checksum not found", "mount point not found", "read-only",
    "empty file",
  ]
  private static let basic = [
    "unknown error", "flash not opened", "flash configuration not readable", "flash not erased",
  ]
}
