import BluetoothProtocols
import PeatDissection
import PeatProtocol

/// What the advertisers of a capture show (protocol.md 1.2, 1.4).
enum AdvertiserRules {
  static func check(_ capture: CaptureEnd, _ findings: inout [EndFinding]) {
    let peat = capture.advertisers.all.filter(\.isPeat)
    shapes(peat, &findings)
    meshes(capture, &findings)
  }

  /// Android writes a mesh id as text and Linux a hexadecimal one as a number: where both occur
  /// for one mesh, neither takes the other for its own.
  private static func shapes(_ peat: [Advertiser], _ findings: inout [EndFinding]) {
    var texts: [String: NodeID] = [:]
    var numbers: [UInt32: NodeID] = [:]
    for advertiser in peat {
      guard let bytes = advertiser.serviceData, let data = try? ServiceData(bytes: bytes) else {
        continue
      }
      switch shape(bytes) {
      case .none: break
      case .text(let mesh): texts[mesh] = data.node
      case .number(let mesh): numbers[mesh] = data.node
      }
    }
    for (mesh, node) in texts.sorted(by: { $0.key < $1.key }) {
      guard let number = UInt32(mesh, radix: 16), let other = numbers[number] else { continue }
      findings.append(
        EndFinding(
          .serviceDataShapes,
          "node \(node) announces the mesh \(mesh) as text, node \(other) as a number",
          node: node))
    }
  }

  private enum Shape {
    case none
    case text(String)
    case number(UInt32)
  }

  /// Four bytes that are no printable text are a number, most significant byte first.
  private static func shape(_ data: [UInt8]) -> Shape {
    let mesh = data.dropFirst(4)
    if mesh.isEmpty { return .none }
    if mesh.allSatisfy({ (0x21...0x7E).contains($0) }) {
      return .text(String(decoding: mesh, as: UTF8.self))
    }
    guard mesh.count == 4 else { return .none }
    return .number(mesh.reduce(0) { $0 << 8 | UInt32($1) })
  }

  /// Two neighbours of this host that say they belong to different meshes.
  private static func meshes(_ capture: CaptureEnd, _ findings: inout [EndFinding]) {
    var first: [DeviceAddress?: (mesh: String, address: DeviceAddress)] = [:]
    var told: Set<DeviceAddress> = []
    for facts in capture.links {
      guard let address = facts.link.peer, let mesh = mesh(capture.advertisers[address]) else {
        continue
      }
      guard let known = first[facts.link.local] else {
        first[facts.link.local] = (mesh, address)
        continue
      }
      guard known.mesh != mesh, told.insert(address).inserted else { continue }
      findings.append(
        EndFinding(
          .meshMismatch,
          "\(known.address) announces the mesh \(known.mesh), \(address) the mesh \(mesh)",
          link: facts.link.id, frames: [facts.firstFrame], time: facts.opened))
    }
  }

  private static func mesh(_ advertiser: Advertiser?) -> String? {
    guard let advertiser, advertiser.isPeat else { return nil }
    if let mesh = advertiser.name.flatMap({ DeviceName($0) })?.mesh, !mesh.isEmpty { return mesh }
    guard case .text(let mesh) = shape(advertiser.serviceData ?? []) else { return nil }
    return mesh
  }
}
