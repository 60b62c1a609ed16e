import BluetoothMesh
import MeshDissection
import MeshSecurity
import PeatSecurity
import SMPProtocol
import WireBytes

@testable import MeshDissection

/// Bluetooth meshes and the Simple Management Protocol.
enum MeshFuzz {
  private static let key = [UInt8](repeating: 0xA5, count: 16)

  private static let keys: MeshKeys = {
    let hex = Hexadecimal.string(key)
    let text = """
      {"meshName": "fuzz", "netKeys": [{"name": "n", "index": 0, "key": "\(hex)", "phase": 0}],
       "appKeys": [{"name": "a", "index": 0, "boundNetKey": 0, "key": "\(hex)"}],
       "nodes": [{"unicastAddress": "0001", "deviceKey": "\(hex)", "name": "x", "elements": []}]}
      """
    var keys = MeshKeys()
    if let database = try? MeshDatabase(Array(text.utf8).rawBytes) { try? keys.add(database) }
    return keys
  }()

  /// Values of a mesh in turn, each with its channel; network PDUs are sealed, so that what is below
  /// the network layer is reached.
  static func values(_ bytes: [UInt8]) {
    guard let mesh = MeshKey(key), let network = try? NetworkCredentials(mesh) else { return }
    var decoder = MeshDecoder(keys)
    var input = FuzzInput(bytes)
    var frame = 0
    while !input.isEmpty {
      frame += 1
      let step = input.byte()
      let place = MeshPlace(
        file: "fuzz", frame: frame, frames: [frame],
        time: Timestamp(microseconds: Int64(frame) * 100_000), adapter: 0, link: 1,
        advertiser: nil)
      let isClient = step & 0x80 != 0
      switch step & 7 {
      case 0: _ = decoder.take(input.run(), .proxy(isFromClient: isClient), place)
      case 1: _ = decoder.take(input.run(), .provisioning(isFromClient: isClient), place)
      case 2: _ = decoder.take(input.run(), .provisioningAdvertisement, place)
      case 3: _ = decoder.take(input.run(), .beaconAdvertisement, place)
      case 4: _ = decoder.take(input.run(), .serviceData(isClient ? 0x1827 : 0x1828), place)
      case 5: access(input.run())
      default:
        let header = NetworkHeader(
          isControl: isClient, ttl: input.byte() & 0x7F, sequence: UInt32(input.byte()),
          source: MeshAddress(UInt16(input.byte())))
        let pdu = NetworkPDU(
          header: header, destination: MeshAddress(UInt16(input.byte())),
          transport: Array(input.run().prefix(20)))
        if let sealed = try? network.seal(pdu, ivIndex: 0) {
          _ = decoder.take(sealed, .messageAdvertisement, place)
        }
      }
    }
    decoder.conclude()
    _ = decoder.takeFindings()
  }

  /// An access message as if it had been opened.
  private static func access(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes.rawBytes, layer: .mesh)
    guard let message = try? AccessMessage(&reader),
      let parts = AccessLayouts.parts(of: message.opcode)
    else { return }
    _ = AccessFields(message.parameters, parts, names: { _ in nil })
  }

  /// Pieces of a connection, put together and read.
  static func smp(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    var reassembler = SMPReassembler()
    while !input.isEmpty {
      guard case .message(let whole) = reassembler.take(input.run()).step else { continue }
      var reader = ByteReader(whole.rawBytes, layer: .smp)
      guard let message = try? SMPMessage(&reader) else { continue }
      _ = SMPImage.all(message.body)
      _ = message.hasDuplicateKeys
    }
    precondition(reassembler.pending <= 65_543, "the reassembler holds too much")
  }

  static func cbor(_ bytes: [UInt8]) {
    var reader = CBORReader(ByteReader(bytes.rawBytes, layer: .cbor))
    _ = try? reader.next()
  }

  /// A configuration database, and its keys put to use.
  static func database(_ bytes: [UInt8]) {
    guard let database = try? MeshDatabase(bytes.rawBytes) else { return }
    var keys = MeshKeys()
    try? keys.add(database)
    _ = MeshDecoder(keys)
  }
}
