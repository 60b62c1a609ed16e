/// Follows nodes whose device address changes, by their names (protocol.md 6.9).
///
/// There is no cryptography in it: a known name at a new address moves the node there. Addresses
/// and names that a node had before stay known until something replaces them, as in the reference.
public struct AddressRotation: Sendable, Equatable {
  private var nodesByName: [String: NodeID] = [:]
  private var nodesByAddress: [String: NodeID] = [:]
  private var addresses: [NodeID: String] = [:]
  private var names: [NodeID: String] = [:]

  /// What a sighting tells about a known node.
  public struct Sighting: Sendable, Equatable {
    /// The node.
    public var node: NodeID
    /// Whether the node was at another address before.
    public var addressChanged: Bool
    /// The address it was seen at.
    public var currentAddress: String
    /// The address it left; nil when it did not move.
    public var previousAddress: String?
  }

  /// Makes an empty table.
  public init() {}

  /// Enters a node with its address and, unless empty, its name.
  public mutating func register(node: NodeID, name: String, address: String) {
    nodesByAddress[address] = node
    addresses[node] = address
    if !name.isEmpty {
      nodesByName[name] = node
      names[node] = name
    }
  }

  /// Looks a seen device up by its name, else by its address, and moves a node that is known by
  /// its name to the address; nil for a stranger.
  public mutating func discovered(name: String, address: String) -> Sighting? {
    if !name.isEmpty, let node = nodesByName[name] {
      let previous = addresses[node]
      let changed = previous != address
      if changed { move(node, from: previous, to: address) }
      return Sighting(
        node: node, addressChanged: changed, currentAddress: address,
        previousAddress: changed ? previous : nil)
    }
    guard let node = nodesByAddress[address] else { return nil }
    return Sighting(
      node: node, addressChanged: false, currentAddress: address, previousAddress: nil)
  }

  /// Moves the node of a known name to an address; false for an unknown name.
  public mutating func updateAddress(name: String, address: String) -> Bool {
    guard let node = nodesByName[name] else { return false }
    move(node, from: addresses[node], to: address)
    return true
  }

  /// Gives a node another name; an empty one only takes the old name out of the lookup.
  public mutating func updateName(node: NodeID, name: String) {
    if let old = names[node] { nodesByName[old] = nil }
    if !name.isEmpty {
      nodesByName[name] = node
      names[node] = name
    }
  }

  /// Forgets a node, its present name and its present address.
  public mutating func remove(node: NodeID) {
    if let name = names.removeValue(forKey: node) { nodesByName[name] = nil }
    if let address = addresses.removeValue(forKey: node) { nodesByAddress[address] = nil }
  }

  /// The node of a name.
  public func node(named name: String) -> NodeID? { nodesByName[name] }

  /// The node at an address.
  public func node(at address: String) -> NodeID? { nodesByAddress[address] }

  /// The present address of a node.
  public func address(of node: NodeID) -> String? { addresses[node] }

  /// The present name of a node.
  public func name(of node: NodeID) -> String? { names[node] }

  /// How many names, nodes with an address, and addresses are known.
  public var counts: (names: Int, nodes: Int, addresses: Int) {
    (nodesByName.count, addresses.count, nodesByAddress.count)
  }

  private mutating func move(_ node: NodeID, from previous: String?, to address: String) {
    if let previous { nodesByAddress[previous] = nil }
    nodesByAddress[address] = node
    addresses[node] = address
  }
}
