public import BluetoothProtocols
public import PeatProtocol

/// Which characteristics carry Peat messages: every form of protocol.md 1.1, and any the user adds.
public struct DocumentCharacteristics: Sendable {
  /// The 16-bit alias of the document characteristic.
  static let alias = BluetoothUUID(0xF47B)

  private let added: [BluetoothUUID]

  /// Adds characteristics to the known ones.
  public init(adding added: [BluetoothUUID] = []) { self.added = added }

  /// Whether a service is one of Peat's.
  public static func isPeatService(_ uuid: BluetoothUUID) -> Bool {
    ServiceIdentifiers.isService(PeatUUID(uuid))
  }

  /// What a characteristic is for, or nil when it is none of Peat's.
  public func role(
    of characteristic: BluetoothUUID, in service: BluetoothUUID?
  ) -> CharacteristicRole? {
    if added.contains(characteristic) { return .document }
    return CharacteristicRole.of(
      characteristic: PeatUUID(characteristic), service: service.map { PeatUUID($0) })
  }
}

extension PeatUUID {
  fileprivate init(_ uuid: BluetoothUUID) { self.init(high: uuid.high, low: uuid.low) }
}
