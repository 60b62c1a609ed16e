import Glibc

/// What stat(2) says of a file, as far as the tool asks.
package struct FileStatus: Sendable, Equatable {
  /// The kinds of file that are treated differently.
  package enum Kind: Sendable, Equatable {
    /// A file with a length that can be read at any offset.
    case regular
    case directory
    /// A named or unnamed pipe.
    case pipe
    /// A character device: a terminal, `/dev/null`.
    case characterDevice
    /// A socket, a block device.
    case other
  }

  /// The kind of file.
  package let kind: Kind
  /// Length in bytes; 0 for what has none.
  package let size: UInt64
  /// Permission bits, `0o7777` at most.
  package let mode: UInt32
  /// Device and inode: together they tell whether a path still names the same file.
  package let device: UInt64
  package let inode: UInt64

  init(_ status: stat) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFIFO: .pipe
      case S_IFCHR: .characterDevice
      default: .other
      }
    size = UInt64(clamping: status.st_size)
    mode = UInt32(status.st_mode) & 0o7777
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }

  /// The status of what a path names, links followed. The C function is stat(2).
  package init(path: String) throws(Errno) {
    self = try Syscalls.status(path: path)
  }

  /// Whether both are the same file, under whatever names.
  package func isSameFile(as other: FileStatus) -> Bool {
    device == other.device && inode == other.inode
  }
}

extension FileStatus {
  /// Whether two paths name the same existing regular file.
  package static func isSameFile(_ first: String, _ second: String) -> Bool {
    guard let one = try? FileStatus(path: first), let other = try? FileStatus(path: second) else {
      return false
    }
    return one.kind == .regular && one.isSameFile(as: other)
  }
}
