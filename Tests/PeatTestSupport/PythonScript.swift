import Foundation

/// A script of `Tests/Scripts`, which computes apart from the tool what the tool should find.
public enum PythonScript {
  /// A script that did not end well.
  public struct Failure: Error, CustomStringConvertible {
    /// What it said.
    public let description: String
  }

  /// Whether there is a Python to run scripts with; where there is none, their tests are skipped.
  public static let isAvailable: Bool = path != nil

  private static let path: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin")
    .split(separator: ":").map { "\($0)/python3" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Runs a script and parses what it prints.
  package static func run(_ name: String, _ arguments: [String]) throws -> JSON {
    let (status, data) = try output(of: "Scripts/\(name)", arguments)
    guard status == 0 else { throw Failure(description: "\(name) ended with \(status)") }
    return try JSON(parsing: data)
  }

  /// Runs a script of the tests' folder; gives its status and what it prints.
  package static func output(
    of script: String, _ arguments: [String]
  ) throws -> (status: Int32, data: Data) {
    guard let path else { throw Failure(description: "no python3") }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments =
      ["-B", TestData.testsFolder.appendingPathComponent(script).path] + arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, data)
  }
}
