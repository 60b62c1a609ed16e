import CommandLineOptions
import SystemIO

/// Files that a list names: `@LIST`, or `@-` for a list on standard input.
enum CaptureList {
  /// Bytes of a list: some millions of paths.
  private static let limit = 1 << 29

  /// Puts what lists name in their places. `./@x` is a file of such a name.
  ///
  /// - Throws: `Errno` where a list cannot be read.
  static func expand(_ arguments: [String]) throws -> [String] {
    guard arguments.contains(where: { $0.hasPrefix("@") && $0.utf8.count > 1 }) else {
      return arguments
    }
    if arguments.count(where: { $0 == "@-" || $0 == "-" }) > 1 {
      throw UsageError("standard input (-) can be read only once")
    }
    var files: [String] = []
    for argument in arguments {
      guard argument.hasPrefix("@"), argument.utf8.count > 1 else {
        files.append(argument)
        continue
      }
      files += try names(in: String(argument.dropFirst()))
    }
    if files.isEmpty { throw UsageError("the list names no capture") }
    return files
  }

  private static func names(in list: String) throws -> [String] {
    let bytes: [UInt8]
    if list == "-" {
      bytes = try FileDescriptor.standardInput.readAll(limit: limit)
    } else {
      bytes = try FileDescriptor.open(readOnly: list).readAll(limit: limit)
    }
    if bytes.count == limit {
      throw UsageError("the list \(UsageError.quoted(list)) has more than \(limit) bytes")
    }
    let mark: UInt8 = bytes.contains(0) ? 0 : 0x0A
    let names = bytes.split(separator: mark).map { String(decoding: $0, as: UTF8.self) }
    if list == "-", names.contains("-") {
      throw UsageError("standard input (-) can be read only once")
    }
    return names
  }
}
