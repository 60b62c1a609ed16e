import Glibc

extension FileDescriptor {
  /// Makes a folder and those above it; what exists is left. The C function is mkdir(2).
  package static func makeFolders(_ path: String) throws(Errno) {
    var made = ""
    for part in path.split(separator: "/", omittingEmptySubsequences: true) {
      made += made.isEmpty && !path.hasPrefix("/") ? String(part) : "/\(part)"
      if unsafe mkdir(made, 0o700) != 0, errno != EEXIST {
        throw Errno(code: errno, call: "mkdir", path: made)
      }
    }
  }

  /// Opens a file, or makes it, and locks it for as long as it is open; throws an error whose
  /// `isLocked` is true where another process has it. The C function is flock(2).
  package static func open(locking path: String) throws(Errno) -> FileDescriptor {
    let file = FileDescriptor(
      try Syscalls.open(path, flags: O_RDWR | O_CREAT | O_NOCTTY, mode: 0o600), path: path)
    if flock(file.rawValue, LOCK_EX | LOCK_NB) != 0 {
      throw Errno(code: errno, call: "flock", path: path)
    }
    return file
  }
}

extension Errno {
  /// Whether somebody else holds the lock.
  package var isLocked: Bool { call == "flock" && code == EWOULDBLOCK }
  /// Whether the device is in use by another.
  package var isBusy: Bool { code == EBUSY }
  /// Whether there is no such device.
  package var isMissingDevice: Bool { code == ENODEV }
  /// Whether this kernel, or container, has no Bluetooth.
  package var isMissingFamily: Bool { code == EAFNOSUPPORT || code == EPROTONOSUPPORT }
  /// Whether a radio is switched off by rfkill.
  package var isRadioBlocked: Bool { code == ERFKILL }
  /// Whether nobody listens at the address.
  package var isRefused: Bool { code == ECONNREFUSED }
}
