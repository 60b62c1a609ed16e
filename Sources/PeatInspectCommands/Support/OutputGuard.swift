import CommandLineOptions
import SystemIO

/// Keeps an output from being written over what the same run reads (cli.md, `-o`).
///
/// Files are told by device and inode, so that links, other spellings of a path, members of
/// archives and a redirected standard input are seen through.
struct OutputGuard {
  private struct Input {
    var name: String
    var status: FileStatus
  }

  private var inputs: [Input] = []

  /// Notes what a reading command reads: captures, keys, a bond cache.
  init(_ configuration: InspectConfiguration) {
    self.init(configuration.raw, captures: configuration.files)
  }

  /// Notes captures, and what else the options name to be read.
  init(_ raw: RawOptions, captures: [String]) {
    for file in captures { note(file) }
    for other in raw.against { note(other) }
    for file in raw.keys + raw.databases { note(file) }
    if let cache = raw.bondCache { note(cache) }
    if let clocks = raw.fleet.clocks { note(clocks) }
  }

  /// Notes an input as it was named: `-`, a path, or `ARCHIVE!MEMBER`.
  mutating func note(_ name: String) {
    if name == "-" {
      if let status = try? FileDescriptor.standardInput.status() { note(name, status) }
      return
    }
    if let status = try? FileStatus(path: name) { return note(name, status) }
    for mark in name.indices where name[mark] == "!" {
      if let status = try? FileStatus(path: String(name[..<mark])) { note(name, status) }
    }
  }

  private mutating func note(_ name: String, _ status: FileStatus) {
    // A terminal or /dev/null takes what is written and keeps what is read.
    if status.kind == .regular { inputs.append(Input(name: name, status: status)) }
  }

  /// Refuses an output that is one of the inputs.
  func check(_ output: String?, option: String) throws(UsageError) {
    guard let output, output != "-", let status = try? FileStatus(path: output),
      let input = inputs.first(where: { $0.status.isSameFile(as: status) })
    else { return }
    let name = input.name == "-" ? "standard input" : input.name
    throw UsageError(
      "\(option) \(UsageError.quoted(output)): is the input \(name) itself",
      advice: "give another name")
  }
}
