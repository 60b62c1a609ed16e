package import BluetoothMesh
package import MeshSecurity

/// The names that the databases give to addresses.
package struct MeshNames: Sendable {
  private var databases: [Database] = []

  private struct Database: Sendable {
    var name: String?
    var nodes: [MeshDatabase.Node]
    var groups: [MeshAddress: String]
    var byAddress: [UInt16: Int]
  }

  package init() {}

  /// Takes in a database, in the order that the keyring does.
  package mutating func add(_ mesh: MeshDatabase) {
    var byAddress: [UInt16: Int] = [:]
    for (index, node) in mesh.nodes.enumerated() {
      for element in node.elements { byAddress[element.address.rawValue] = index }
      byAddress[node.address.rawValue] = index
    }
    databases.append(
      Database(name: mesh.name, nodes: mesh.nodes, groups: mesh.groups, byAddress: byAddress))
  }

  /// How many databases there are.
  package var count: Int { databases.count }

  /// The name of a mesh.
  package func mesh(_ database: Int) -> String? {
    databases.indices.contains(database) ? databases[database].name : nil
  }

  /// All nodes of a database.
  package func nodes(_ database: Int) -> [MeshDatabase.Node] {
    databases.indices.contains(database) ? databases[database].nodes : []
  }

  /// The node that an element's address belongs to.
  package func node(_ address: MeshAddress, _ database: Int) -> MeshDatabase.Node? {
    guard databases.indices.contains(database) else { return nil }
    return databases[database].byAddress[address.rawValue].map { databases[database].nodes[$0] }
  }

  /// The node with a device UUID, of any database.
  package func node(uuid: [UInt8]) -> MeshDatabase.Node? {
    databases.lazy.flatMap(\.nodes).first { $0.uuid == uuid }
  }

  /// What an address is called: a node, with its element where that is not the first, or a group.
  package func name(_ address: MeshAddress, _ database: Int) -> String? {
    if let name = address.groupName { return name }
    if let node = node(address, database) {
      guard let name = node.name, !name.isEmpty else { return nil }
      if address == node.address { return name }
      let element = node.elements.first { $0.address == address }?.name
      let number = address.rawValue &- node.address.rawValue
      return "\(name)/\(element.flatMap { $0.isEmpty ? nil : $0 } ?? "element \(number)")"
    }
    guard databases.indices.contains(database) else { return nil }
    return databases[database].groups[address]
  }
}
