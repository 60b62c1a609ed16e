import Glibc

/// Descriptors 0 to 2 of this process.
package enum StandardDescriptors {
  /// Occupies those that the caller closed, so that no file opened later gets their numbers and
  /// with them what is meant for stderr.
  ///
  /// Each is opened the wrong way round: reading from a closed standard input and writing to a
  /// closed output still fail. The C functions are fcntl(2) and open(2).
  package static func occupy() {
    for descriptor in STDIN_FILENO...STDERR_FILENO {
      guard fcntl(descriptor, F_GETFD) < 0, errno == EBADF else { continue }
      let flags = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY
      // The lowest free number is this one, as those below are in use.
      _ = unsafe open("/dev/null", flags)
    }
  }
}
