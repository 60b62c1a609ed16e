import Glibc

/// A system call that failed: what was called, on what, and the reason the kernel gave.
package struct Errno: Error, Sendable, Equatable, CustomStringConvertible {
  /// The error number, one of the `E…` constants of errno(3).
  package let code: Int32
  /// The C function that failed.
  package let call: String
  /// The path as the user gave it, where the call had one.
  package let path: String?

  /// Makes an error from its parts.
  package init(code: Int32, call: String, path: String? = nil) {
    self.code = code
    self.call = call
    self.path = path
  }

  /// Whether the reader at the other end of a pipe has gone: a reason to end quietly.
  package var isBrokenPipe: Bool { code == EPIPE }

  /// Whether a signal that `Interrupts` watches ended the wait.
  package var isInterruption: Bool { code == EINTR }

  /// Whether the call would have had to wait.
  package var isWouldWait: Bool { code == EAGAIN }

  /// Whether the time given was up.
  package var isTimeout: Bool { code == ETIMEDOUT }

  /// Whether what was open is there no more: a closed connection, an unplugged device, a terminal
  /// that was hung up.
  package var isGone: Bool {
    [EPIPE, ECONNRESET, ENOTCONN, ETIMEDOUT, EIO, ENODEV, ENXIO, ESHUTDOWN].contains(code)
  }

  /// Whether the path does not exist.
  package var isMissingFile: Bool { code == ENOENT }

  /// Whether permission is what is missing.
  package var isPermission: Bool { code == EACCES || code == EPERM }

  /// The reason in words, as strerror(3) spells it in the current locale.
  package var reason: String {
    var text = [CChar](repeating: 0, count: 256)
    // Swift imports the POSIX function, which fills the buffer and ends it with a zero.
    guard unsafe strerror_r(code, &text, text.count) == 0 else { return "error \(code)" }
    let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// One line: path, then reason, then the call in parentheses.
  package var description: String {
    let subject = path.map { "\($0): " } ?? ""
    return "\(subject)\(reason) (\(call))"
  }
}
