import Glibc

/// An output file that appears whole or not at all (`-o`, cli.md "Options shared").
///
/// The bytes go to a temporary file in the same folder, which takes the name at `commit()`. Where
/// the file system can (O_TMPFILE) that file has no name before, so that not even a kill leaves
/// something behind. What exists and is no regular file (`/dev/null`, a FIFO) is written directly.
package struct AtomicOutputFile: ~Copyable {
  /// The descriptor that takes the bytes.
  package let descriptor: Int32
  /// The path as the user gave it.
  package let path: String
  private enum Placement {
    case direct
    case unnamed(folder: String, name: String)
    case named(String)
  }

  private let placement: Placement
  private let target: String

  /// Opens the file for writing; nothing is seen at `path` before `commit()`.
  ///
  /// - Parameter named: true gives the temporary file a name, as where O_TMPFILE is not to be had.
  package init(path: String, named: Bool = false) throws(Errno) {
    let existing = try AtomicOutputFile.existingFile(path)
    if let existing, existing.kind != .regular {
      let direct = try Syscalls.open(path, flags: O_WRONLY | O_NOCTTY)
      self.init(direct, .direct, path: path, target: path)
      return
    }
    // Through a link to the file that it names, be it there or not: renaming over the link would
    // cut it.
    let target = existing == nil ? Syscalls.linkTarget(path) : Syscalls.resolved(path) ?? path
    let (folder, name) = AtomicOutputFile.split(target)
    let (descriptor, placement) = try AtomicOutputFile.open(
      folder: folder, name: name, named: named, shownAs: path)
    self.init(descriptor, placement, path: path, target: target)
    if let existing {
      // Where that fails, the file has the mode of any new file: no reason to refuse the output.
      try? Syscalls.setMode(descriptor, existing.mode, path: path)
    }
  }

  private init(_ descriptor: Int32, _ placement: Placement, path: String, target: String) {
    self.descriptor = descriptor
    self.placement = placement
    self.path = path
    self.target = target
  }

  deinit {
    Syscalls.close(descriptor)
    if case .named(let temporary) = placement { Syscalls.unlink(temporary) }
  }

  /// The name that a file opened with `named` has until `commit()`, for what writes by path.
  package var temporaryPath: String? {
    if case .named(let temporary) = placement { temporary } else { nil }
  }

  /// A sink over the file; it must be flushed before `commit()`.
  package func sink() -> OutputSink {
    OutputSink(FileDescriptor(descriptor, path: path, closesAtEnd: false), mode: .blocks)
  }

  /// Lets the file take its name, after its bytes have reached the disk.
  package consuming func commit() throws(Errno) {
    switch placement {
    case .direct: return
    case .unnamed(let folder, let name):
      try synchronise()
      let temporary = try linked(in: folder, name: name)
      do throws(Errno) {
        try Syscalls.rename(temporary, to: target, shownAs: path)
      } catch {
        Syscalls.unlink(temporary)
        throw error
      }
    case .named(let temporary):
      try synchronise()
      // After this the temporary name is gone, and deinit finds nothing to remove.
      try Syscalls.rename(temporary, to: target, shownAs: path)
    }
  }

  private func synchronise() throws(Errno) {
    do throws(Errno) {
      try Syscalls.synchronise(descriptor, path: path)
    } catch  where error.code == EINVAL || error.code == EROFS {
      // This file system has nothing to synchronise.
    }
  }

  private func linked(in folder: String, name: String) throws(Errno) -> String {
    var attempt = 0
    while true {
      let temporary = AtomicOutputFile.temporaryName(folder: folder, name: name)
      do throws(Errno) {
        try Syscalls.link(descriptor, to: temporary, shownAs: path)
        return temporary
      } catch  where error.code == EEXIST && attempt < 16 {
        attempt += 1
      }
    }
  }

  /// What is at the path now, nil for nothing; a folder is an error.
  private static func existingFile(_ path: String) throws(Errno) -> FileStatus? {
    do throws(Errno) {
      let status = try FileStatus(path: path)
      if status.kind == .directory { throw Errno(code: EISDIR, call: "open", path: path) }
      return status
    } catch  where error.isMissingFile {
      return nil
    }
  }

  private static func open(
    folder: String, name: String, named: Bool, shownAs path: String
  ) throws(Errno) -> (Int32, Placement) {
    // linkat(2) needs /proc to name the file later.
    if !named, unsafe access("/proc/self/fd", X_OK) == 0 {
      do throws(Errno) {
        let descriptor = try Syscalls.open(
          folder, flags: O_WRONLY | temporaryFileFlag, mode: 0o666, shownAs: path)
        return (descriptor, .unnamed(folder: folder, name: name))
      } catch  where [EOPNOTSUPP, EISDIR, EINVAL, ENOENT].contains(error.code) {
        // A file system or kernel without O_TMPFILE; a missing folder is reported below.
      }
    }
    var attempt = 0
    while true {
      let temporary = temporaryName(folder: folder, name: name)
      do throws(Errno) {
        let descriptor = try Syscalls.open(
          temporary, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o666, shownAs: path)
        return (descriptor, .named(temporary))
      } catch  where error.code == EEXIST && attempt < 16 {
        attempt += 1
      }
    }
  }

  /// O_TMPFILE of open(2): a macro that Swift does not import.
  private static let temporaryFileFlag: Int32 = 0o20_000_000 | O_DIRECTORY

  private static func temporaryName(folder: String, name: String) -> String {
    // The name is cut so that it stays below NAME_MAX with what is added.
    let stem = String(decoding: name.utf8.prefix(200), as: UTF8.self)
    let digits = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    return "\(folder)/.\(stem).\(digits).part"
  }

  private static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let folder = slash == path.startIndex ? "/" : String(path[..<slash])
    return (folder, String(path[path.index(after: slash)...]))
  }
}
