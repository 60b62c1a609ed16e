import Foundation
import PeatTestSupport
import Testing

/// The built tool as a node, against a node on Bumble's stack (Tests/Peer/peer.py).
///
/// `make peer-venv` installs Bumble; without it these tests are passed over.
@Suite(.serialized, .enabled(if: Bumble.isInstalled))
struct NodePeerTests {
  private static let secret = String(repeating: "5a", count: 32)

  struct Scenario: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var peer: [String]
    var node: [String] = []
    var peers = 1
    var reconnects = false
    /// Whether the peer's documents do not fit its MTU.
    var hasLongWrites = false
  }

  private static let central = ["--role", "central"]

  /// Each way to spell the services, in both roles; each MTU, in both roles.
  static let scenarios = [
    Scenario(testDescription: "we connect, and again after a drop", peer: [], reconnects: true),
    Scenario(
      testDescription: "the peer connects, and again after a drop", peer: central, reconnects: true),
    Scenario(
      testDescription: "MTU 23 and buffers of 27 bytes, the peer connects",
      peer: central + ["--mtu", "23", "--acl", "27"], hasLongWrites: true),
    Scenario(
      testDescription: "MTU 23 and buffers of 27 bytes, we connect",
      peer: ["--mtu", "23", "--acl", "27"]),
    Scenario(
      testDescription: "MTU 24, 16-bit service, the peer connects",
      peer: central + ["--mtu", "24", "--scheme", "alias"], hasLongWrites: true),
    Scenario(
      testDescription: "MTU 100, 16-bit service in the advertisement only",
      peer: ["--mtu", "100", "--scheme", "mixed"]),
    Scenario(
      testDescription: "MTU 185, 16-bit service on the Bluetooth base",
      peer: ["--mtu", "185", "--scheme", "base"]),
    Scenario(
      testDescription: "16-bit service, extended commands, buffers of 27 bytes",
      peer: ["--scheme", "alias", "--extended", "--acl", "27"]),
    Scenario(
      testDescription: "the library's service, encrypted",
      peer: ["--scheme", "library", "--secret", secret],
      node: ["--secret", secret, "--strict-encryption"]),
    Scenario(
      testDescription: "MTU 517, encrypted, extended, the peer connects",
      peer: central + ["--mtu", "517", "--extended", "--secret", secret],
      node: ["--secret", secret, "--compat"]),
    Scenario(
      testDescription: "writes are answered after 600 ms, longer than records wait elsewhere",
      peer: ["--slow", "0.6"]),
    Scenario(
      testDescription: "five peers at once", peer: ["--count", "5"], peers: 5),
    Scenario(
      testDescription: "ten peers at once, which connect", peer: central + ["--count", "10"],
      peers: 10),
    Scenario(testDescription: "a Linux node, which only answers", peer: ["--scheme", "linux"]),
    Scenario(
      testDescription: "a Linux node with MTU 23, read in parts",
      peer: ["--scheme", "linux", "--mtu", "23"], hasLongWrites: true),
    Scenario(
      testDescription: "a Linux node that refuses every other read",
      peer: ["--scheme", "linux", "--refuse-reads"]),
    Scenario(
      testDescription: "a Linux node connects, which reads and writes, and comes again",
      peer: central + ["--scheme", "linux"], reconnects: true),
    Scenario(
      testDescription: "a peer with both services, which only answers",
      peer: ["--both", "--mute"]),
    Scenario(
      testDescription: "a central that never discovers reads and writes",
      peer: central + ["--blind", "13,16"]),
    Scenario(
      testDescription: "a central that never discovers writes, and is notified",
      peer: central + ["--blind", "0,9,9,10", "--mtu", "100"]),
  ]

  @Test("an emergency and its acknowledgements go both ways", arguments: scenarios)
  func emergency(_ scenario: Scenario) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("peat-node-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let recording = folder.appendingPathComponent("node.btsnoop").path
    let printed = folder.appendingPathComponent("node.ndjson")
    _ = FileManager.default.createFile(atPath: printed.path, contents: nil)

    var peer = try Companion(Bumble.python, ["-B", Bumble.script("peer.py")] + scenario.peer)
    let port = try #require(peer.next("listening")?["port"].int)
    let node = try Companion(
      CommandRun.binary,
      ["node", "--hci", "tcp:127.0.0.1:\(port)", "--mesh", "TEST", "--node-id", "0A0B0C0D"]
        + ["-f", "ndjson", "-q", "-w", recording] + scenario.node,
      output: try FileHandle(forWritingTo: printed),
      environment: ["XDG_STATE_HOME": folder.path])

    // A word of every peer, so that all are there; then each shows the emergency and acks it.
    for _ in 0..<scenario.peers { #expect(peer.next("heard") != nil) }
    node.order("emergency")
    var informed = 0
    while informed < scenario.peers, peer.next("heard") != nil {
      peer.order("state")
      informed = 0
      for _ in 0..<scenario.peers {
        let state = peer.next("state")
        if state?["emergency"]["source"].string == "0A0B0C0D" { informed += 1 }
      }
    }
    #expect(informed == scenario.peers)
    peer.order("ack")
    for _ in 0..<(4 * scenario.peers) { #expect(peer.next("heard") != nil) }
    if scenario.reconnects {
      peer.order("drop")
      #expect(peer.next("connected") != nil)
      #expect(peer.next("heard") != nil)
    }
    node.order("quit")
    node.wait()
    peer.order("quit")
    #expect(node.status == 0)

    let output = try Data(contentsOf: printed)
    let text = String(decoding: output, as: UTF8.self)
    for index in 1...scenario.peers {
      let peer = "2B5C000" + String(index, radix: 16, uppercase: true)
      #expect(text.contains("ack:\(peer)=0A0B0C0D@"), "peer \(index)")
    }
    let keys =
      scenario.node.contains("--secret")
      ? ["--mesh", "TEST", "--secret", NodePeerTests.secret] : []
    let again = try CommandRun(["-q", "-f", "ndjson"] + keys + [recording])
    #expect(again.output == [UInt8](output), "the recording gives what was printed")
    #expect(text.contains("\"opcode\":\"execute_write\"") || !scenario.hasLongWrites)
    #expect(try malformedPackets(in: recording) == "")
  }
}

/// The packets of a recording that tshark finds malformed, one a line.
///
/// A Read Blob Response without a value is not among them: it ends a long read whose value fills its
/// last PDU (Core Specification Vol 3 Part F, 3.4.4.6), but tshark 4.0 takes it for malformed.
private func malformedPackets(in recording: String) throws -> String {
  let process = Process()
  let output = Pipe()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = [
    "tshark", "-r", recording, "-Y",
    "_ws.malformed && !(btatt.opcode == 0x0d && btl2cap.length == 1)",
  ]
  process.standardOutput = output
  process.standardError = FileHandle.nullDevice
  try process.run()
  let bytes = output.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  try #require(process.terminationStatus == 0, "tshark reads the recording")
  return String(decoding: bytes, as: UTF8.self)
}
