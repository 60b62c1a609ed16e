/// Why a capture, or a part of it, could not be read: the file, the place and the reason.
public struct CaptureError: Error, Sendable, Equatable {
  /// What kind of fault this is; decides the exit status (cli.md, Exit status).
  public enum Kind: UInt8, Sendable, BitwiseCopyable {
    /// The file does not exist.
    case notFound
    /// The file may not be read by this user.
    case permission
    /// The bytes are no Bluetooth capture; the reason says what they are.
    case notACapture
    /// A capture, of a kind that is not read here.
    case unsupported
    /// A recognised container that is damaged or cut.
    case damaged
    /// The operating system failed to read.
    case io
    /// This process may have no more files open.
    case tooManyFiles
  }

  /// What kind of fault this is.
  public var kind: Kind
  /// The file as the user named it, `-` for standard input.
  public var path: String
  /// Offset in the file of the first wrong byte; absent where no byte was read.
  public var offset: Int?
  /// One clause without the file's name.
  public var reason: String
  /// Offset where reading went on; absent where it did not. It may lie before `offset` where the
  /// record before had swallowed whole ones.
  public var resumesAt: Int?

  /// Makes an error from its parts.
  public init(
    _ kind: Kind, path: String, offset: Int? = nil, reason: String, resumesAt: Int? = nil
  ) {
    self.kind = kind
    self.path = path
    self.offset = offset
    self.reason = reason
    self.resumesAt = resumesAt
  }
}

extension CaptureError: CustomStringConvertible {
  /// "FILE: offset N: reason", with what was passed over at the end.
  public var description: String {
    var text = path
    if let offset { text += ": offset \(offset)" }
    text += ": \(reason)"
    if let resumesAt, let offset {
      if resumesAt > offset { text += "; \(resumesAt - offset) bytes passed over" }
      text += "; reading goes on at offset \(resumesAt)"
    }
    return text
  }
}
