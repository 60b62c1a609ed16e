import BluetoothMesh
import MeshSecurity
import Testing
import WireBytes

struct MeshDatabaseTests {
  private func read(_ text: String) throws -> MeshDatabase {
    let bytes = Array(text.utf8)
    return try MeshDatabase(bytes.rawBytes)
  }

  /// Members as the Mesh Configuration Database profile 1.0.1 names them.
  static let example = """
    {"$schema":"http://json-schema.org/draft-04/schema#","meshName":"Field","version":"1.0.0",
     "netKeys":[{"name":"Primary","index":0,"phase":1,"minSecurity":"secure",
       "key":"7DD7364CD842AD18C17C2B820C84C3D6","oldKey":"f7a2a44f8e8a8029064f173ddc1e2b00"}],
     "appKeys":[{"name":"Lamps","index":1,"boundNetKey":0,"key":"63964771734fbd76e3b40519d1d94a48"}],
     "nodes":[{"UUID":"70CF7C97-32A3-45B6-9149-4810D2E9CBF4","name":"Lamp \\u0031","unicastAddress":"0110",
       "deviceKey":"9d6dd0e96eb25dc19a40ed9914f8f03f","excluded":false,
       "elements":[{"index":0,"location":"0001","models":[]},{"index":1,"name":"left","location":"0001",
         "models":[{"modelId":"1000","bind":[1],"subscribe":["C000","0073e7e4d8b9440faf8415df4c56c0e1"]},
           {"modelId":"00590001","bind":[],"subscribe":[]}]}]},
      {"UUID":"70cf7c9732a345b691494810d2e9cbf5","unicastAddress":"0001","elements":[]}],
     "groups":[{"name":"Hall","address":"C000","parentAddress":"0000"}],
     "networkExclusions":[{"ivIndex":9,"addresses":["0200"]}]}
    """

  @Test func `an export is read, with both keys of a refresh`() throws {
    let mesh = try read(Self.example)
    #expect(mesh.name == "Field" && mesh.lowestIVIndex == 9)
    let key = try #require(mesh.netKeys.first)
    #expect(key.phase == 1 && key.index == 0 && key.name == "Primary")
    // 8.2.4 and 8.1.5 of the specification's sample data.
    #expect(Hexadecimal.string(key.key.networkID) == "3ecaff672f673370")
    #expect(key.oldKey.map { Hexadecimal.string($0.networkID) } == "ff046958233db014")
    #expect(mesh.appKeys.first?.boundNetKey == 0 && mesh.appKeys.first?.index == 1)
    #expect(mesh.nodes.map(\.address) == [MeshAddress(0x0110), MeshAddress(1)])
    #expect(mesh.nodes[0].name == "Lamp 1" && mesh.nodes[1].deviceKey == nil)
    #expect(mesh.nodes[0].elements.map(\.address) == [MeshAddress(0x0110), MeshAddress(0x0111)])
    let models = mesh.nodes[0].elements[1].models
    #expect(models.map(\.id) == [0x1000, 0x0059_0001] && models[1].isVendor)
    #expect(models[0].bound == [1])
    #expect(mesh.groups[MeshAddress(0xC000)] == "Hall")
    #expect(mesh.labels.map(\.address) == [MeshAddress(0xB529)])
  }

  @Test(arguments: [
    ("{\"netKeys\":[{\"index\":0,\"key\":\"12\"}]}", 29, "a key has 32 digits"),
    ("{\"netKeys\":[{\"index\":4096,\"key\":\"12\"}]}", 21, "index is no number from 0 to 4095"),
    ("{\"netKeys\":[{}]}", 12, "no member index"),
    ("{\"netKeys\":{}}", 11, "netKeys is no list"),
    ("{\"nodes\":[]}", 0, "no member netKeys"),
    ("{\"netKeys\":[],}", 14, "this is no JSON"),
    ("{\"netKeys\":[]} x", 15, "this is no JSON"),
  ])
  func `a fault is told with its place`(_ text: String, _ offset: Int, _ words: String) throws {
    #expect(throws: MeshDatabaseFault(offset: offset, text: words)) { try read(text) }
  }

  @Test func `every prefix is refused, and nothing traps`() throws {
    let bytes = Array(Self.example.utf8)
    for length in 0..<bytes.count {
      let part = Array(bytes[..<length])
      #expect(throws: MeshDatabaseFault.self) { try MeshDatabase(part.rawBytes) }
    }
  }
}
