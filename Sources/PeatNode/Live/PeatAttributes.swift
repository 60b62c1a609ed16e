package import BluetoothHost
import BluetoothProtocols
import PeatProtocol

extension BluetoothUUID {
  init(_ identifier: PeatUUID) { self.init(high: identifier.high, low: identifier.low) }
}

extension PeatUUID {
  init(_ uuid: BluetoothUUID) { self.init(high: uuid.high, low: uuid.low) }
}

/// The services of a live node, and how it finds those of others (protocol.md 1.1, 5.4, 8.3, 8.7).
package enum PeatAttributes {
  /// The attributes that are served, and the handles of the values that carry documents; the
  /// canonical one is first.
  ///
  /// - Parameter servesLibrary: whether the library's service is there too, where the reference's
  ///   Linux clients read and write documents, and look for nothing else. Nobody is led astray by it:
  ///   receivers find a node by its advertising, which does not name it (protocol.md 1.7), and those
  ///   of the canonical service look for that by its UUID.
  package static func database(
    deviceName: String, servesLibrary: Bool
  ) -> (database: AttributeDatabase, documents: [UInt16]) {
    var database = AttributeDatabase(deviceName: deviceName)
    database.addService(BluetoothUUID(ServiceIdentifiers.canonical))
    var documents = [
      database.addCharacteristic(
        BluetoothUUID(ServiceIdentifiers.document), [.read, .write, .writeCommand, .notify])
    ]
    if servesLibrary {
      database.addService(BluetoothUUID(ServiceIdentifiers.library))
      // Documents are read from the one, and written to the other.
      let served: [(CharacteristicRole, CharacteristicProperties)] = [
        (.syncState, [.read, .notify]), (.document, [.read, .write, .writeCommand, .notify]),
      ]
      for (role, properties) in served {
        guard let uuid = role.identifier(in: .library) else { continue }
        documents.append(database.addCharacteristic(BluetoothUUID(uuid), properties))
      }
    }
    return (database, documents)
  }

  /// Any service of Peat, the canonical one first, and in it the document characteristic in any
  /// spelling. Of the library's form the other characteristic holds the document, and its server
  /// tells nothing by itself.
  package static let search = CharacteristicSearch(
    rank: { uuid in
      let service = PeatUUID(uuid)
      guard ServiceIdentifiers.isService(service) else { return nil }
      if service == ServiceIdentifiers.canonical { return 0 }
      return service == ServiceIdentifiers.library ? 2 : 1
    },
    use: { characteristic, service in
      let found = CharacteristicRole.identify(
        characteristic: PeatUUID(characteristic), service: PeatUUID(service))
      switch found {
      case (.document, _)?: return [.source, .sink]
      case (.syncState, .library)?: return [.source, .polled]
      default: return []
      }
    })
}
