import Foundation
import Testing

@testable import SystemIO

@Suite struct FileDescriptorTests {
  @Test("a missing file is an error that names call, path and reason")
  func missingFile() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("nothing")
    do {
      _ = try FileDescriptor.open(readOnly: path)
      Issue.record("opened")
    } catch {
      #expect(error == Errno(code: ENOENT, call: "open", path: path))
      #expect(error.isMissingFile)
      #expect(error.description == "\(path): No such file or directory (open)")
    }
  }

  @Test("a path with a zero byte is refused instead of cut")
  func zeroByte() {
    #expect(throws: Errno(code: EINVAL, call: "open", path: "/dev/null\0x")) {
      _ = try FileDescriptor.open(readOnly: "/dev/null\0x")
    }
  }

  @Test("an unknown error number still has a reason")
  func unknownNumber() {
    #expect(Errno(code: 99_999, call: "read").description.hasSuffix(" (read)"))
  }

  @Test("reading fills the range asked for and no more")
  func ranges() throws {
    let folder = try TemporaryFolder()
    try folder.write("0123456789", to: "file")
    let file = try FileDescriptor.open(readOnly: folder.path("file"))
    var buffer = [UInt8](repeating: 0x2E, count: 6)
    #expect(try file.read(into: &buffer, range: 1..<4) == 3)
    #expect(buffer == Array(".012..".utf8))
    #expect(try file.read(into: &buffer, range: 0..<2, at: 8) == 2)
    #expect(buffer == Array("8912..".utf8))
    #expect(try file.read(into: &buffer, range: 0..<2, at: 10) == 0)
    #expect(try file.read(into: &buffer, range: 0..<2, at: UInt64.max) == 0)
    #expect(try file.read(into: &buffer, range: 2..<2) == 0)
    // pread(2) has not moved the position.
    #expect(try file.readAll(limit: 100) == Array("3456789".utf8))
  }

  @Test("reading all stops at the limit")
  func limit() throws {
    let folder = try TemporaryFolder()
    try folder.write("0123456789", to: "file")
    let file = try FileDescriptor.open(readOnly: folder.path("file"))
    #expect(try file.readAll(limit: 4) == Array("0123".utf8))
    #expect(try file.readAll(limit: 0) == [])
  }

  @Test("kinds and sizes are told apart")
  func kinds() throws {
    let folder = try TemporaryFolder()
    try folder.write("0123456789", to: "file")
    #expect(mkfifo(folder.path("fifo"), 0o600) == 0)
    let file = try FileDescriptor.open(readOnly: folder.path("file")).status()
    #expect(file.kind == .regular)
    #expect(file.size == 10)
    #expect(try FileStatus(path: folder.path("fifo")).kind == .pipe)
    #expect(try FileStatus(path: folder.url.path).kind == .directory)
    #expect(try FileStatus(path: "/dev/null").kind == .characterDevice)
    #expect(try FileStatus(path: folder.path("file")).isSameFile(as: file))
    #expect(try FileStatus(path: folder.path("fifo")).isSameFile(as: file) == false)
  }

  @Test("the descriptor is closed with its owner, a borrowed one is not")
  func closing() throws {
    var number: Int32 = -1
    do {
      let file = try FileDescriptor.open(readOnly: "/dev/null")
      number = file.rawValue
      #expect(fcntl(number, F_GETFD) == FD_CLOEXEC)
      _ = FileDescriptor(number, closesAtEnd: false)
      #expect(fcntl(number, F_GETFD) == FD_CLOEXEC)
    }
    do { _ = FileDescriptor.standardError }
    #expect(fcntl(STDERR_FILENO, F_GETFD) >= 0)
  }

  @Test("waiting ends with input, with the end, or with the time")
  func waiting() throws {
    let pipe = Pipe()
    let reader = FileDescriptor(pipe.fileHandleForReading.fileDescriptor, closesAtEnd: false)
    #expect(try reader.wait(milliseconds: 0) == .timedOut)
    pipe.fileHandleForWriting.write(Data("x".utf8))
    #expect(try reader.wait(milliseconds: nil) == .readable)
    #expect(try reader.readAll(limit: 1) == [0x78])
    try pipe.fileHandleForWriting.close()
    #expect(try reader.wait(milliseconds: nil) == .readable)
    #expect(try reader.readAll(limit: 1) == [])
    withExtendedLifetime(pipe) {}
  }

  @Test("a call that another signal broke into is tried again")
  func retries() throws {
    var attempts = 0
    let result = try Syscalls.retrying("read", path: nil) {
      attempts += 1
      errno = EINTR
      return attempts < 3 ? -1 : 5
    }
    #expect(result == 5)
    #expect(attempts == 3)
  }
}
