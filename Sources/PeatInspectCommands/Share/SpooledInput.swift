import SystemIO

/// Standard input on disk, for what has to be read more than once.
struct SpooledInput {
  private let file: TemporaryFile
  /// Where it can be opened again.
  let path: String

  /// Reads standard input to its end.
  init() throws(Errno) {
    file = try TemporaryFile()
    let input = FileDescriptor.standardInput
    var chunk = [UInt8](repeating: 0, count: OutputSink.capacity)
    while true {
      let count = try input.read(into: &chunk, range: 0..<chunk.count)
      if count == 0 { break }
      try file.append(chunk[..<count])
    }
    path = try file.path()
  }
}
