import BluetoothProtocols
package import PeatDissection
package import PeatProtocol
import WireBytes

/// Who belongs to one Peat mesh, as far as whole captures tell: by names, keys, and who names whom.
///
/// Nothing on a link says which mesh a message is of (protocol.md 1.4): its sender announces it, or
/// a key that opens it does, or documents that name each other's nodes belong together.
package struct MeshMembers: Sendable {
  /// Service data has the first bytes of a mesh's name only (protocol.md 1.2).
  private static let shortName = 8

  private let key: String
  private let nodes: Set<NodeID>
  private let addresses: Set<DeviceAddress>

  /// Judges what a reading heard.
  ///
  /// - Parameter keyed: nodes whose messages a key of the mesh opened.
  package init(_ mesh: String, _ story: MeshStory, keyed: Set<NodeID>) {
    key = MeshMembers.key(of: mesh)
    let peat = story.advertisers.filter { $0.node != nil && $0.mesh != nil }
    var seeds = keyed
    var others: Set<NodeID> = []
    for reading in peat {
      guard let node = reading.node, let name = reading.mesh else { continue }
      if MeshMembers.isSame(name, mesh) {
        seeds.insert(node)
      } else if !keyed.contains(node) {
        others.insert(node)
      }
    }
    let roots = Set(seeds.map { story.log.root($0) })
    let named = story.log.named.filter {
      !others.contains($0) && roots.contains(story.log.root($0))
    }
    let members = seeds.union(named)
    var addresses: Set<DeviceAddress> = []
    for reading in story.advertisers where reading.node.map(members.contains) ?? false {
      addresses.insert(reading.advertiser.address)
    }
    for link in story.links.links {
      let facts = link.facts
      if link.peerNode.map(members.contains) ?? false {
        for address in [facts.link.peer, facts.identity] {
          address.map { _ = addresses.insert($0) }
        }
      }
    }
    nodes = members
    self.addresses = addresses
  }

  /// What a key of a mesh is called.
  package static func key(of mesh: String) -> String { "mesh:\(mesh)" }

  /// Whether a message was opened with a key of that name, whichever epoch.
  package static func isKey(_ name: String?, _ key: String) -> Bool {
    name.map { $0 == key || $0.hasPrefix(key + "/") } ?? false
  }

  private static func isSame(_ name: String, _ mesh: String) -> Bool {
    name == mesh
      || (name.utf8.count == shortName && mesh.utf8.count > shortName && mesh.hasPrefix(name))
  }

  /// Whether nobody is known to belong to it.
  package var isEmpty: Bool { nodes.isEmpty }

  /// Whether a node belongs to it.
  package func contains(_ node: NodeID) -> Bool { nodes.contains(node) }

  /// Whether the device at the other end of a connection belongs to it.
  package func contains(_ facts: LinkFacts) -> Bool {
    [facts.link.peer, facts.identity].contains { $0.map(addresses.contains) ?? false }
  }

  /// Whether a message belongs to it.
  package func contains(_ message: Message, _ value: CapturedValue) -> Bool {
    if let name = message.decryptedWith { return MeshMembers.isKey(name, key) }
    if let node = message.node { return nodes.contains(node) }
    if value.advertisement != nil {
      return value.link.peer.map(addresses.contains) ?? false
    }
    return [value.link.peer, value.link.identity].contains { address in
      address.map(addresses.contains) ?? false
    }
  }
}
