import PeatReports
import SystemIO

/// Where results go: standard output, or a file that appears whole or not at all.
struct OutputTarget: ~Copyable {
  let sink: OutputSink
  private var file: AtomicOutputFile?

  /// Results of a format; text is in the characters that the style asks for, records never change.
  init(path: String?, _ format: RawOptions.Format? = nil, _ style: TextStyle? = nil)
    throws(Errno)
  {
    if let path, path != "-" {
      let file = try AtomicOutputFile(path: path)
      sink = file.sink()
      self.file = consume file
    } else {
      sink = .standardOutput()
    }
    sink.spellsInASCII = format == .text && style?.isASCII == true
  }

  /// Hands over what is left, and lets the file appear under its name.
  consuming func finish() throws(Errno) {
    try sink.flush()
    if let file { try file.commit() }
  }
}
