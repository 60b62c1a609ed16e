import Foundation
import PeatTestSupport
import Testing

@Suite struct StandardDescriptorTests {
  @Test("with stderr closed no warning lands in the output file")
  func closedStandardError() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "peat-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let capture = TestData.captures.appendingPathComponent("a-two-nodes.h4.btsnoop")
    let cut = folder.appendingPathComponent("cut.btsnoop")
    try Data(contentsOf: capture).dropLast(3).write(to: cut)
    func result(_ redirection: String) throws -> Data {
      let file = folder.appendingPathComponent("out.txt")
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = [
        "-c", "exec \"$0\" -o \"$1\" \"$2\" \(redirection)", CommandRun.binary, file.path, cut.path,
      ]
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 4, "\(redirection)")
      return try Data(contentsOf: file)
    }
    let expected = try result("2>/dev/null")
    #expect(try result("2>&-") == expected)
    #expect(try result("0<&- 1>&- 2>&-") == expected)
  }
}
