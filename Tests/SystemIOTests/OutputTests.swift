import Foundation
import Testing

@testable import SystemIO

@Suite struct OutputSinkTests {
  private func written(_ folder: TemporaryFolder) throws -> Int {
    try folder.contents("out").utf8.count
  }

  private func sink(_ folder: TemporaryFolder, _ mode: OutputSink.Mode?) throws -> OutputSink {
    OutputSink(try FileDescriptor.open(writing: folder.path("out")), mode: mode)
  }

  @Test("in blocks, bytes leave when 64 KiB have gathered or at a flush")
  func blocks() throws {
    let folder = try TemporaryFolder()
    let sink = try sink(folder, nil)
    #expect(sink.mode == .blocks)
    try sink.append("line\n")
    #expect(try written(folder) == 0)
    try sink.append([UInt8](repeating: 0x61, count: 65_530))
    #expect(try written(folder) == 0)
    try sink.append([0x62])
    try sink.append([0x63])
    #expect(try written(folder) == 65_536)
    try sink.flush()
    #expect(try folder.contents("out") == "line\n" + String(repeating: "a", count: 65_530) + "bc")
    #expect(sink.byteCount == 65_537)
  }

  @Test("more than a block at once is written whole and in order")
  func largeAppend() throws {
    let folder = try TemporaryFolder()
    let sink = try sink(folder, .blocks)
    try sink.append("head")
    try sink.append([UInt8](repeating: 0x61, count: 200_000))
    try sink.append("tail")
    try sink.flush()
    let expected = "head" + String(repeating: "a", count: 200_000) + "tail"
    #expect(try folder.contents("out") == expected)
  }

  @Test("by line, bytes leave at the end of each line")
  func lines() throws {
    let folder = try TemporaryFolder()
    let sink = try sink(folder, .lines)
    try sink.append("half ")
    #expect(try written(folder) == 0)
    try sink.append("line\n")
    #expect(try folder.contents("out") == "half line\n")
  }

  @Test("a full device is an error, and what it refused is dropped")
  func fullDevice() throws {
    let sink = OutputSink(try FileDescriptor.open(writing: "/dev/full"), mode: .blocks)
    try sink.append("x")
    #expect(throws: Errno(code: ENOSPC, call: "write", path: "/dev/full")) { try sink.flush() }
    try sink.flush()
  }

  @Test("a closed pipe is an error of its own")
  func brokenPipe() async {
    await #expect(processExitsWith: .exitCode(7)) {
      Interrupts.setBrokenPipeEndsProcess(false)
      let pipe = Pipe()
      let end = dup(pipe.fileHandleForWriting.fileDescriptor)
      try pipe.fileHandleForReading.close()
      let sink = OutputSink(FileDescriptor(end), mode: .lines)
      do throws(Errno) {
        try sink.append("x\n")
      } catch  where error.isBrokenPipe {
        exit(7)
      }
    }
  }

  @Test("without precautions a closed pipe ends the process")
  func killedByPipe() async {
    await #expect(processExitsWith: .signal(SIGPIPE)) {
      Interrupts.setBrokenPipeEndsProcess(true)
      let pipe = Pipe()
      let end = dup(pipe.fileHandleForWriting.fileDescriptor)
      try pipe.fileHandleForReading.close()
      try FileDescriptor(end).write([1])
    }
  }
}

@Suite struct AtomicOutputFileTests {
  @Test("nothing is seen before the commit, everything after it", arguments: [false, true])
  func commit(named: Bool) throws {
    let folder = try TemporaryFolder()
    let file = try AtomicOutputFile(path: folder.path("out"), named: named)
    let sink = file.sink()
    try sink.append("whole")
    try sink.flush()
    #expect(try !folder.names().contains("out"))
    try file.commit()
    #expect(try folder.names() == ["out"])
    #expect(try folder.contents("out") == "whole")
  }

  @Test("without a commit the old file stays and nothing is left behind", arguments: [false, true])
  func abandoned(named: Bool) throws {
    let folder = try TemporaryFolder()
    try folder.write("old", to: "out")
    do {
      let file = try AtomicOutputFile(path: folder.path("out"), named: named)
      let sink = file.sink()
      try sink.append("new")
      try sink.flush()
    }
    #expect(try folder.names() == ["out"])
    #expect(try folder.contents("out") == "old")
  }

  @Test("an existing file keeps its permissions, a new one has those of any new file")
  func permissions() throws {
    let folder = try TemporaryFolder()
    try folder.write("old", to: "out")
    #expect(chmod(folder.path("out"), 0o640) == 0)
    try folder.write("x", to: "plain")
    try AtomicOutputFile(path: folder.path("out")).commit()
    try AtomicOutputFile(path: folder.path("new")).commit()
    let plain = try FileStatus(path: folder.path("plain")).mode
    #expect(try FileStatus(path: folder.path("out")).mode == 0o640)
    #expect(try FileStatus(path: folder.path("new")).mode == plain)
  }

  @Test("a link stays a link, and the file behind it is replaced")
  func symbolicLink() throws {
    let folder = try TemporaryFolder()
    try folder.write("old", to: "real")
    #expect(symlink("real", folder.path("out")) == 0)
    let file = try AtomicOutputFile(path: folder.path("out"))
    let sink = file.sink()
    try sink.append("new")
    try sink.flush()
    try file.commit()
    #expect(try folder.contents("real") == "new")
    var status = stat()
    #expect(lstat(folder.path("out"), &status) == 0)
    #expect(status.st_mode & S_IFMT == S_IFLNK)
  }

  @Test("a device is written directly and stays what it is")
  func device() throws {
    let file = try AtomicOutputFile(path: "/dev/null")
    let sink = file.sink()
    try sink.append("x")
    try sink.flush()
    try file.commit()
    #expect(try FileStatus(path: "/dev/null").kind == .characterDevice)
  }

  @Test("a FIFO is written directly")
  func fifo() throws {
    let folder = try TemporaryFolder()
    #expect(mkfifo(folder.path("fifo"), 0o600) == 0)
    // Opened for both directions, so that neither end waits for the other.
    let number = open(folder.path("fifo"), O_RDWR)
    let reader = FileDescriptor(number)
    let file = try AtomicOutputFile(path: folder.path("fifo"))
    let sink = file.sink()
    try sink.append("through")
    try sink.flush()
    try file.commit()
    #expect(try reader.readAll(limit: 7) == Array("through".utf8))
    #expect(try folder.names() == ["fifo"])
  }

  @Test("a folder and a missing folder are errors that name the path as given")
  func wrongPlaces() throws {
    let folder = try TemporaryFolder()
    let path = folder.url.path
    #expect(throws: Errno(code: EISDIR, call: "open", path: path)) {
      _ = try AtomicOutputFile(path: path)
    }
    #expect(throws: Errno(code: ENOENT, call: "open", path: path + "/no/out")) {
      _ = try AtomicOutputFile(path: path + "/no/out")
    }
  }

  @Test("a long name is no obstacle")
  func longName() throws {
    let folder = try TemporaryFolder()
    let name = String(repeating: "n", count: 255)
    try AtomicOutputFile(path: folder.path(name), named: true).commit()
    #expect(try folder.names() == [name])
  }
}
