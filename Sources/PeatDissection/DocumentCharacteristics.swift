public import BluetoothProtocols

/// Which characteristics carry Peat messages: every form of protocol.md 1.1, and any the user adds.
public struct DocumentCharacteristics: Sendable {
  private static let documents: [BluetoothUUID] = [
    BluetoothUUID(0xF47B),
    BluetoothUUID(high: 0xF47A_0003_58CC_4372, low: 0xA567_0E02_B2C3_D479),
    BluetoothUUID(high: 0xF47A_C10B_58CC_4372, low: 0xA567_0E02_B2C3_0003),
    BluetoothUUID(high: 0xF47A_C10B_58CC_4372, low: 0xA567_0E02_B2C3_D003),
    BluetoothUUID(high: 0xA1B2_0003_E5F6_4A7B, low: 0x8C9D_0E1F_2A3B_4C5D),
  ]

  private static let libraryService = BluetoothUUID(
    high: 0xA1B2_C3D4_E5F6_4A7B, low: 0x8C9D_0E1F_2A3B_4C5D)

  private static let services: [BluetoothUUID] = [
    BluetoothUUID(0xF47A),
    BluetoothUUID(0xA1B2),
    BluetoothUUID(high: 0xF47A_C10B_58CC_4372, low: 0xA567_0E02_B2C3_D479),
    libraryService,
  ]

  private static let librarySyncState = BluetoothUUID(
    high: 0xA1B2_0002_E5F6_4A7B, low: 0x8C9D_0E1F_2A3B_4C5D)

  /// The document characteristic of the Rust CoreBluetooth adapter: a bare 16-bit number, which
  /// means this only inside a Peat service.
  private static let shortDocument = BluetoothUUID(0x0003)

  private let added: [BluetoothUUID]

  /// Adds characteristics to the known ones.
  public init(adding added: [BluetoothUUID] = []) { self.added = added }

  /// Whether a service is one of Peat's.
  public static func isPeatService(_ uuid: BluetoothUUID) -> Bool { services.contains(uuid) }

  /// What a characteristic is for, or nil when it is none of Peat's.
  public func part(
    of characteristic: BluetoothUUID, in service: BluetoothUUID?
  ) -> CharacteristicPart? {
    if DocumentCharacteristics.documents.contains(characteristic)
      || added.contains(characteristic)
    {
      return .document
    }
    if characteristic == DocumentCharacteristics.librarySyncState { return .syncState }
    guard let service, DocumentCharacteristics.isPeatService(service) else { return nil }
    return characteristic == DocumentCharacteristics.shortDocument ? .document : .sibling
  }
}
