import BluetoothProtocols
package import PeatProtocol
import WireBytes

/// What a live node advertises, and what it makes of others' advertising (protocol.md 1.2, 8.7).
package enum PeatAdvertising {
  /// Flags, the canonical service, and the node id as service data of the alias, most significant
  /// byte first; for the mesh id there is no room. The name goes into the scan response.
  package static func own(
    name: String, node: NodeID
  ) -> (advertising: [UInt8], scanResponse: [UInt8]) {
    var advertising = AdvertisingDataWriter()
    advertising.append(type: 0x01, [0x06])
    advertising.append(type: 0x07, BluetoothUUID(ServiceIdentifiers.canonical).encoded)
    var data = ByteWriter()
    data.le16(ServiceIdentifiers.alias)
    data.be32(node.rawValue)
    advertising.append(type: 0x16, data.bytes)
    var response = AdvertisingDataWriter()
    response.append(type: 0x09, name.utf8)
    return (advertising.bytes, response.bytes)
  }

  /// What one advertisement says.
  struct Reading: Equatable {
    var isPeat = false
    var name: String?
  }

  /// Reads advertising data: any form of Peat's services in the lists and in service data, and the
  /// complete or shortened name.
  static func read(_ bytes: [UInt8]) -> Reading {
    var reading = Reading()
    var data = AdvertisingData(bytes.rawBytes)
    while let field = data.next() {
      switch field.type {
      case 0x02, 0x03: noteServices(field.data, size: 2, all: true, &reading)
      case 0x06, 0x07: noteServices(field.data, size: 16, all: true, &reading)
      case 0x16: noteServices(field.data, size: 2, all: false, &reading)
      case 0x21: noteServices(field.data, size: 16, all: false, &reading)
      case 0x08, 0x09:
        let name = String(decoding: [UInt8](field.data), as: UTF8.self)
        reading.name = name
        if DeviceName(name) != nil { reading.isPeat = true }
      default: break
      }
    }
    return reading
  }

  private static func noteServices(
    _ bytes: RawSpan, size: Int, all: Bool, _ reading: inout Reading
  ) {
    var reader = ByteReader(bytes, layer: .gap)
    while reader.remaining >= size, let uuid = try? BluetoothUUID(&reader, size: size) {
      if ServiceIdentifiers.isService(PeatUUID(uuid)) { reading.isPeat = true }
      if !all { return }
    }
  }
}
