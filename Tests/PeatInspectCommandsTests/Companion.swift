import Foundation
import PeatTestSupport

/// Where `make peer-venv` puts Bumble.
enum Bumble {
  static let python = TestData.testsFolder.deletingLastPathComponent()
    .appendingPathComponent(".build/bumble-venv/bin/python").path

  /// The path of a script of Tests/Peer.
  static func script(_ name: String) -> String {
    TestData.testsFolder.appendingPathComponent("Peer/\(name)").path
  }

  static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: python) }
}

/// A process that is told orders and prints JSON lines; it is ended after a while at the latest.
struct Companion {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var pending = Data()

  init(
    _ program: String, _ arguments: [String], output file: FileHandle? = nil,
    error: FileHandle = .nullDevice, environment: [String: String] = [:]
  ) throws {
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.environment = ["PATH": "/usr/bin:/bin", "TZ": "UTC"].merging(environment) { $1 }
    process.standardInput = input
    process.standardOutput = file ?? output
    process.standardError = error
    try process.run()
    let identifier = process.processIdentifier
    DispatchQueue.global().asyncAfter(deadline: .now() + 90) { [process] in
      if process.isRunning { kill(identifier, SIGKILL) }
    }
  }

  var status: Int32 { process.terminationStatus }

  /// Most memory that the process has held, in KiB (VmHWM of proc(5)); nil where it has ended.
  var peakMemory: Int? {
    let status = try? String(
      contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
  }

  func order(_ text: String) {
    if process.isRunning { input.fileHandleForWriting.write(Data("\(text)\n".utf8)) }
  }

  func wait() { process.waitUntilExit() }

  /// Asks for the state until it is as wanted; false where it never comes to that.
  ///
  /// `order` is given before each question. Documents pass between two questions.
  mutating func reaches(
    before order: () -> Void = {}, _ isWanted: (JSON) -> Bool
  ) -> Bool {
    while next("heard") != nil {
      order()
      self.order("state")
      if let state = next("state"), isWanted(state) { return true }
    }
    return false
  }

  /// The next line of an event; nil where the process has ended.
  mutating func next(_ event: String) -> JSON? {
    while true {
      if let end = pending.firstIndex(of: 0x0A) {
        let line = pending[pending.startIndex..<end]
        pending = Data(pending[pending.index(after: end)...])
        if let json = try? JSON(parsing: Data(line)), json["event"].string == event { return json }
        continue
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      pending.append(more)
    }
  }
}
