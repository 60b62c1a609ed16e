package import BluetoothProtocols

/// What a characteristic is to a client that keeps a value in step with its server's.
package struct CharacteristicUse: OptionSet, Sendable, Equatable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The server's value: read, and listened to.
  package static let source = CharacteristicUse(rawValue: 1)
  /// Where the client's value is written.
  package static let sink = CharacteristicUse(rawValue: 2)
  /// A source whose server tells nothing by itself: it is read again and again.
  package static let polled = CharacteristicUse(rawValue: 4)
}

/// What a client looks for on each server.
package struct CharacteristicSearch: Sendable {
  /// The place of a service among those worth looking into, the best first; nil for one that is not.
  package var rank: @Sendable (BluetoothUUID) -> Int?
  /// What a characteristic, in a service, is good for; empty for one that is not wanted.
  package var use:
    @Sendable (_ characteristic: BluetoothUUID, _ service: BluetoothUUID) -> CharacteristicUse

  /// Makes a search of its two questions.
  package init(
    rank: @escaping @Sendable (BluetoothUUID) -> Int?,
    use: @escaping @Sendable (BluetoothUUID, BluetoothUUID) -> CharacteristicUse
  ) {
    self.rank = rank
    self.use = use
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
  /// What it is good for.
  package var use: CharacteristicUse
  /// The last handle that may be one of its descriptors.
  var end: UInt16
  /// The handle of its client configuration, nil until it is found.
  package internal(set) var configuration: UInt16?
  /// Whether the server took the subscription.
  package internal(set) var isSubscribed = false

  var isListenedTo: Bool {
    use.contains(.source) && !properties.isDisjoint(with: [.notify, .indicate])
  }
  var isRead: Bool { use.contains(.source) && properties.contains(.read) }
  var isWritten: Bool {
    use.contains(.sink) && !properties.isDisjoint(with: [.write, .writeCommand])
  }
  var isUsable: Bool { isListenedTo || isRead || isWritten }
}
