import Foundation
import PeatTestSupport
import Testing

/// A node of the mesh TEST with a peer of Tests/Peer at the other end of its controller.
struct NodeSession {
  static let identifier = "0A0B0C0D"

  let folder: ScratchFolder
  var peer: Companion
  let port: Int
  private let error: FileHandle

  /// Starts a peer's script.
  init(_ script: String = "peer.py", _ arguments: [String] = []) throws {
    folder = try ScratchFolder()
    _ = try folder.write([], "node.txt")
    error = try FileHandle(forWritingTo: folder.url.appendingPathComponent("node.txt"))
    peer = try Companion(Bumble.python, ["-B", Bumble.script(script)] + arguments)
    port = try #require(peer.next("listening")?["port"].int)
  }

  /// Starts the node; `hci` is another way to the peer's port than TCP.
  func node(_ options: [String] = [], hci: String? = nil) throws -> Companion {
    try Companion(
      CommandRun.binary,
      ["node", "--hci", hci ?? "tcp:127.0.0.1:\(port)", "--mesh", "TEST"]
        + ["--node-id", NodeSession.identifier, "-f", "ndjson"] + options,
      output: .nullDevice, error: error, environment: ["XDG_STATE_HOME": folder.path("state")])
  }

  /// What the node said on standard error.
  func messages() throws -> String {
    String(decoding: try folder.contents("node.txt"), as: UTF8.self)
  }
}
