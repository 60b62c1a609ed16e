import SystemIO
import WireBytes

/// The user's settings, which hold where the command line says nothing else (docs/cli.md,
/// "Settings").
struct SettingsFile: Sendable, Equatable {
  /// A line that is no setting.
  struct Fault: Error, Equatable, CustomStringConvertible {
    let path: String
    /// Counted from 1.
    let line: Int
    let expected: String

    var description: String {
      "\(path):\(line): expected \(expected); --no-config goes on without the file"
    }
  }

  /// More than any settings need; a capture of that name is not read to its end.
  private static let sizeLimit = 64 << 10

  /// Keys files, before those of the command line.
  private(set) var keys: [String] = []
  /// The zone of times.
  private(set) var clock: RawOptions.Clock?
  /// The mesh that --secret belongs to, and that a node takes part in.
  private(set) var mesh: String?
  /// When to use colour.
  private(set) var color: Terminal.ColorChoice?

  /// Where the file is: `$XDG_CONFIG_HOME/peat-inspect/config`, or below `~/.config`; nil where
  /// neither is known. A relative XDG_CONFIG_HOME counts for nothing, as its specification says.
  static func path(in environment: Environment) -> String? {
    if let home = environment["XDG_CONFIG_HOME"], home.hasPrefix("/") {
      return home + "/peat-inspect/config"
    }
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    return home + "/.config/peat-inspect/config"
  }

  /// Reads the file; nil where there is none.
  ///
  /// - Throws: ``Fault`` at the first line that is no setting, `Errno` where the file is there and
  ///   cannot be read.
  init?(path: String) throws {
    // A pipe of that name would keep every command waiting.
    guard let status = try? FileStatus(path: path), status.kind == .regular else { return nil }
    let bytes = try FileDescriptor.open(readOnly: path).readAll(limit: SettingsFile.sizeLimit)
    try self.init(String(decoding: bytes, as: UTF8.self), path: path)
  }

  /// Reads the text of a file; `path` is its name, against whose folder keys files are looked for.
  init(_ text: String, path: String) throws(Fault) {
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "\r" })
      guard let name = words.first, !name.hasPrefix("#") else { continue }
      // A value is all of the rest: names of files and meshes have spaces.
      let value = words.dropFirst().last.map { line[words[1].startIndex..<$0.endIndex] } ?? ""
      guard let expected = set(String(name), to: String(value), folder: SettingsFile.folder(path))
      else { continue }
      throw Fault(path: path, line: index + 1, expected: expected)
    }
  }

  /// Takes one setting; gives what was expected instead where it is none.
  private mutating func set(_ name: String, to value: String, folder: String) -> String? {
    switch (name, value) {
    case ("keys", ""), ("mesh", ""): return "a value behind \(name)"
    case ("keys", _): keys.append(value.hasPrefix("/") ? value : folder + value)
    case ("mesh", _): mesh = value
    case ("zone", "utc"): clock = .utc
    case ("zone", "local"): clock = .local
    case ("zone", _): return "zone utc or zone local"
    case ("color", _), ("colour", _):
      guard let choice = Terminal.ColorChoice(rawValue: value) else {
        return "\(name) auto, always or never"
      }
      color = choice
    default: return "keys FILE, mesh ID, zone utc|local or color auto|always|never"
    }
    return nil
  }

  private static func folder(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }

  /// The options as they are where the command line says nothing.
  var defaults: RawOptions {
    var raw = RawOptions()
    raw.keys = keys
    raw.defaultMesh = mesh
    if let clock { raw.clock = clock }
    if let color { raw.color = color }
    return raw
  }

  /// The settings, a line each, as the file would have them.
  var lines: [String] {
    var lines = keys.map { "keys \($0)" }
    if let mesh { lines.append("mesh \(mesh)") }
    if let clock { lines.append("zone \(clock == .utc ? "utc" : "local")") }
    if let color { lines.append("color \(color.rawValue)") }
    return lines
  }
}
