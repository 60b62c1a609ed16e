package import BluetoothHost
import BluetoothProtocols
import PeatProtocol

extension BluetoothUUID {
  init(_ identifier: PeatUUID) { self.init(high: identifier.high, low: identifier.low) }
}

extension PeatUUID {
  init(_ uuid: BluetoothUUID) { self.init(high: uuid.high, low: uuid.low) }
}

/// The services of a live node, and how it finds those of others (protocol.md 1.1, 8.7).
package enum PeatAttributes {
  /// The attributes that are served, and the handles of the values that carry documents; the
  /// canonical one is first.
  package static func database(
    deviceName: String, isCompatible: Bool
  ) -> (database: AttributeDatabase, documents: [UInt16]) {
    var database = AttributeDatabase(deviceName: deviceName)
    let properties: CharacteristicProperties = [.read, .write, .writeCommand, .notify]
    database.addService(BluetoothUUID(ServiceIdentifiers.canonical))
    var documents = [
      database.addCharacteristic(BluetoothUUID(ServiceIdentifiers.document), properties)
    ]
    if isCompatible {
      database.addService(BluetoothUUID(ServiceIdentifiers.alias))
      documents.append(
        database.addCharacteristic(
          BluetoothUUID(ServiceIdentifiers.documentAlias), properties))
      database.addService(BluetoothUUID(ServiceIdentifiers.library))
      if let uuid = CharacteristicRole.document.identifier(in: .library) {
        documents.append(database.addCharacteristic(BluetoothUUID(uuid), properties))
      }
    }
    return (database, documents)
  }

  /// Any service of Peat, and in it the document characteristic in any spelling.
  package static let search = CharacteristicSearch(
    isService: { ServiceIdentifiers.isService(PeatUUID($0)) },
    isWanted: { characteristic, service in
      CharacteristicRole.of(
        characteristic: PeatUUID(characteristic), service: PeatUUID(service)) == .document
    })
}
