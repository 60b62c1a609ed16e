import CommandLineOptions
import PeatProtocol
import PeatTimeline

extension CaptureSession {
  /// Who belongs to the mesh of `--mesh-id`, found by a first reading: a name may come at the end.
  func meshMembers() throws(UsageError) -> MeshMembers? {
    guard let mesh = configuration.raw.meshID else { return nil }
    guard !configuration.files.contains("-"), !configuration.raw.follows else {
      throw UsageError(
        "--mesh-id reads a capture twice, and what comes from a pipe or is followed is read once")
    }
    var whole = configuration
    whole.raw.meshID = nil
    whole.raw.isQuiet = true
    whole.raw.verbosity = 0
    whole.output = nil
    guard let first = try? CaptureSession(whole), try first.open() else { return nil }
    let key = MeshMembers.key(of: mesh)
    var keyed: Set<NodeID> = []
    var story = MeshStory()
    while let row = first.next() {
      story.take(row)
      if MeshMembers.isKey(row.message.decryptedWith, key), let node = row.message.node {
        keyed.insert(node)
      }
    }
    story.conclude(first.streams, opener: first.keyring) {
      first.assignLinkNumber($0, stream: $1)
    }
    let members = MeshMembers(mesh, story, keyed: keyed)
    if members.isEmpty {
      diagnostics.warn("nothing of mesh \(mesh) was recorded: no name or key says so")
    }
    return members
  }
}
