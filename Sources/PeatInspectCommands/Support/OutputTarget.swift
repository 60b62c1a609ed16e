import SystemIO

/// Where results go: standard output, or a file that appears whole or not at all.
struct OutputTarget: ~Copyable {
  let sink: OutputSink
  private var file: AtomicOutputFile?

  init(path: String?) throws(Errno) {
    guard let path, path != "-" else {
      sink = .standardOutput()
      return
    }
    let file = try AtomicOutputFile(path: path)
    sink = file.sink()
    self.file = consume file
  }

  /// Hands over what is left, and lets the file appear under its name.
  consuming func finish() throws(Errno) {
    try sink.flush()
    if let file { try file.commit() }
  }
}
