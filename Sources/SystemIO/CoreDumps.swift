import Glibc

/// Core dumps of this process.
package enum CoreDumps {
  /// Allows none from here on: what a dump would hold includes secrets.
  ///
  /// The corresponding C function is setrlimit(2). Where it fails, dumps stay as they were.
  package static func disable() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
  }
}
