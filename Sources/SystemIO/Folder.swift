/// Names in folders.
package enum Folder {
  /// Removes a file; one that is not there any more is fine. The C function is unlink(2).
  package static func remove(_ path: String) throws(Errno) {
    do throws(Errno) {
      try Syscalls.remove(path)
    } catch {
      if !error.isMissingFile { throw error }
    }
  }
}
