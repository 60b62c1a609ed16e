package import BluetoothProtocols

/// What a client looks for on a server.
package struct CharacteristicSearch: Sendable {
  /// Whether a service is worth looking into.
  package var isService: @Sendable (BluetoothUUID) -> Bool
  /// Whether a characteristic, in a service, is the one wanted.
  package var isWanted:
    @Sendable (_ characteristic: BluetoothUUID, _ service: BluetoothUUID) -> Bool

  /// Makes a search of its two questions.
  package init(
    isService: @escaping @Sendable (BluetoothUUID) -> Bool,
    isWanted: @escaping @Sendable (BluetoothUUID, BluetoothUUID) -> Bool
  ) {
    self.isService = isService
    self.isWanted = isWanted
  }
}

/// A characteristic that was found on a server.
package struct FoundCharacteristic: Sendable, Equatable {
  /// The handle of its value.
  package var handle: UInt16
  /// What it allows.
  package var properties: CharacteristicProperties
  /// Its type.
  package var uuid: BluetoothUUID
  /// The last handle that may be one of its descriptors.
  var end: UInt16
  /// The handle of its client configuration, nil until it is found.
  package internal(set) var configuration: UInt16?
}
