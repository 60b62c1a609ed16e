import Glibc

/// How many files this process may have open.
package enum OpenFiles {
  /// Raises the limit, as far as the system allows, so that so many captures can be open at once.
  /// The C function is setrlimit(2).
  package static func raiseLimit(for files: Int) {
    var limit = rlimit()
    guard files > 0, unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    else { return }
    let wanted = rlim_t(files) + 64
    guard limit.rlim_cur < wanted else { return }
    limit.rlim_cur = min(wanted, limit.rlim_max)
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
