package import BluetoothMesh
internal import WireBytes

/// What is not as the configuration database has it.
package struct MeshDatabaseFault: Error, Equatable {
  /// Where in the text, in bytes.
  package let offset: Int
  /// One clause for a person; nothing of it comes from the file.
  package let text: String

  package init(offset: Int, text: String) {
    self.offset = offset
    self.text = text
  }
}

/// A mesh as a phone exports it: the JSON of the Mesh Configuration Database profile, as far as
/// captures need it.
package struct MeshDatabase: Sendable {
  /// A key of a network, and the one that it replaces during a refresh.
  package struct NetKey: Sendable {
    package let name: String
    package let index: UInt16
    package let key: NetworkKey
    package let oldKey: NetworkKey?
    /// 0, or the phase of a refresh.
    package let phase: Int
  }

  /// A key of applications, bound to a network.
  package struct AppKey: Sendable {
    package let name: String
    package let index: UInt16
    package let boundNetKey: UInt16
    package let key: MeshKey
    package let oldKey: MeshKey?
  }

  /// A model of an element.
  package struct Model: Sendable {
    /// 16 bits of the specification's models, 32 of a vendor's.
    package let id: UInt32
    package let isVendor: Bool
    /// The application keys that it takes.
    package let bound: [UInt16]
  }

  /// An element of a node.
  package struct Element: Sendable {
    package let name: String?
    package let address: MeshAddress
    package let models: [Model]
  }

  /// A node.
  package struct Node: Sendable {
    package let uuid: [UInt8]
    package let name: String?
    package let address: MeshAddress
    /// Absent in a partial export.
    package let deviceKey: MeshKey?
    package let elements: [Element]
    package let isExcluded: Bool
  }

  /// The mesh's name.
  package let name: String?
  package let netKeys: [NetKey]
  package let appKeys: [AppKey]
  package let nodes: [Node]
  /// Names of groups by address.
  package let groups: [MeshAddress: String]
  /// Labels of virtual addresses, wherever they stand.
  package let labels: [VirtualLabel]
  /// The highest IV index that the file speaks of, a lower bound.
  package let lowestIVIndex: UInt32?

  /// Reads an export.
  ///
  /// - Throws: `MeshDatabaseFault` with the place of the first thing that is no JSON, or not as the
  ///   profile has it.
  package init(_ text: RawSpan) throws(MeshDatabaseFault) {
    let root: JSONNode
    do throws(DecodeError) {
      var reader = JSONReader(text)
      root = try reader.document()
    } catch {
      throw MeshDatabaseFault(offset: error.offset, text: "this is no JSON")
    }
    guard root["netKeys"] != nil else {
      throw MeshDatabaseFault(offset: root.offset, text: "no member netKeys")
    }
    name = root["meshName"]?.string
    netKeys = try root.list("netKeys") { node throws(MeshDatabaseFault) in
      NetKey(
        name: node["name"]?.string ?? "", index: try node.index("index"),
        key: try node.network("key"),
        oldKey: node.lacks("oldKey") ? nil : try node.network("oldKey"),
        phase: Int(node["phase"]?.integer ?? 0))
    }
    appKeys = try root.list("appKeys") { node throws(MeshDatabaseFault) in
      AppKey(
        name: node["name"]?.string ?? "", index: try node.index("index"),
        boundNetKey: try node.index("boundNetKey"), key: try node.key("key"),
        oldKey: node.lacks("oldKey") ? nil : try node.key("oldKey"))
    }
    nodes = try root.list("nodes") { node throws(MeshDatabaseFault) in try Node(node) }
    var groups: [MeshAddress: String] = [:]
    var labels: Set<VirtualLabel> = []
    for group in root["groups"]?.array ?? [] {
      let bytes = try group.bytes("address")
      if bytes.count == 2 {
        groups[MeshAddress(UInt16(bytes[0]) << 8 | UInt16(bytes[1]))] = group["name"]?.string
      } else if let label = try? VirtualLabel(bytes) {
        labels.insert(label)
        groups[label.address] = group["name"]?.string
      } else {
        throw MeshDatabaseFault(offset: group.offset, text: "an address has 4 or 32 digits")
      }
    }
    for node in root["nodes"]?.array ?? [] {
      for element in node["elements"]?.array ?? [] {
        for model in element["models"]?.array ?? [] {
          let used =
            (model["subscribe"]?.array ?? []) + [model["publish"]?["address"]].compactMap { $0 }
          for address in used {
            guard let bytes = address.digits, bytes.count == 16,
              let label = try? VirtualLabel(bytes)
            else { continue }
            labels.insert(label)
          }
        }
      }
    }
    self.groups = groups
    self.labels = labels.sorted { $0.address < $1.address }
    lowestIVIndex =
      (root["networkExclusions"]?.array ?? [])
      .compactMap { $0["ivIndex"]?.number(UInt32.self) }.max()
  }
}

extension MeshDatabase.Node {
  fileprivate init(_ node: JSONNode) throws(MeshDatabaseFault) {
    let address = try node.number("unicastAddress", digits: 4)
    self.address = MeshAddress(UInt16(truncatingIfNeeded: address))
    uuid = try node.bytes("UUID")
    name = node["name"]?.string
    deviceKey = node.lacks("deviceKey") ? nil : try node.key("deviceKey")
    isExcluded = node["excluded"]?.bool ?? false
    elements = try node.list("elements") { element throws(MeshDatabaseFault) in
      MeshDatabase.Element(
        name: element["name"]?.string,
        address: MeshAddress(UInt16(truncatingIfNeeded: address) &+ (try element.index("index"))),
        models: try element.list("models") { model throws(MeshDatabaseFault) in
          let digits = model["modelId"]?.string?.utf8.count ?? 0
          return MeshDatabase.Model(
            id: try model.number("modelId", digits: digits == 8 ? 8 : 4), isVendor: digits == 8,
            bound: (model["bind"]?.array ?? []).compactMap { $0.number(UInt16.self) })
        })
    }
  }
}

extension JSONNode {
  /// The bytes of a string of hexadecimal digits; dashes, as in UUIDs, are passed over.
  fileprivate var digits: [UInt8]? {
    guard let string else { return nil }
    return Hexadecimal.bytes(string.filter { $0 != "-" })
  }

  /// The integer, where it is one that the type holds.
  ///
  /// Not inlined: the optimiser of Swift 6.3 fails on what takes it in.
  @inline(never)
  fileprivate func number<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
    guard let integer else { return nil }
    return Number(exactly: integer)
  }

  /// Whether a member is absent, or null as some exports write it.
  fileprivate func lacks(_ member: String) -> Bool {
    guard let node = self[member] else { return true }
    return node.value == .null
  }

  fileprivate func fault(_ text: String) -> MeshDatabaseFault {
    MeshDatabaseFault(offset: offset, text: text)
  }

  fileprivate func bytes(_ member: String) throws(MeshDatabaseFault) -> [UInt8] {
    guard let node = self[member] else { throw fault("no member \(member)") }
    guard let bytes = node.digits else { throw node.fault("\(member) is no hexadecimal text") }
    return bytes
  }

  fileprivate func number(_ member: String, digits: Int) throws(MeshDatabaseFault) -> UInt32 {
    let bytes = try bytes(member)
    guard bytes.count * 2 == digits else {
      throw (self[member] ?? self).fault("\(member) has \(digits) digits")
    }
    return bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// A key index or an element's number.
  fileprivate func index(_ member: String) throws(MeshDatabaseFault) -> UInt16 {
    guard let node = self[member] else { throw fault("no member \(member)") }
    guard let number = node.integer, let index = UInt16(exactly: number), index <= 0xFFF else {
      throw node.fault("\(member) is no number from 0 to 4095")
    }
    return index
  }

  fileprivate func key(_ member: String) throws(MeshDatabaseFault) -> MeshKey {
    guard let key = MeshKey(try bytes(member)) else {
      throw (self[member] ?? self).fault("a key has 32 digits")
    }
    return key
  }

  fileprivate func network(_ member: String) throws(MeshDatabaseFault) -> NetworkKey {
    let key = try key(member)
    do throws(CryptoFailure) {
      return try NetworkKey(key)
    } catch {
      throw fault("libcrypto does not work")
    }
  }

  fileprivate func list<Element>(
    _ member: String, _ make: (JSONNode) throws(MeshDatabaseFault) -> Element
  ) throws(MeshDatabaseFault) -> [Element] {
    guard let node = self[member], node.value != .null else { return [] }
    guard let nodes = node.array else { throw node.fault("\(member) is no list") }
    var made: [Element] = []
    for node in nodes { made.append(try make(node)) }
    return made
  }
}
