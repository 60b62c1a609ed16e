import PeatProtocol
import Testing

@Suite struct ServiceIdentifiersTests {
  /// The table "The five characteristics" of protocol.md 1.1, by the text of each identifier.
  @Test(
    "every spelling of protocol.md 1.1 has its role",
    arguments: [
      ("f47a0001-58cc-4372-a567-0e02b2c3d479", CharacteristicRole.nodeInfo, .canonical),
      ("f47a0003-58cc-4372-a567-0e02b2c3d479", .document, .canonical),
      ("f47a0005-58cc-4372-a567-0e02b2c3d479", .status, .canonical),
      ("f47a0010-58cc-4372-a567-0e02b2c3d479", .sensorReading, .canonical),
      ("f47a0012-58cc-4372-a567-0e02b2c3d479", .sensorEmergency, .canonical),
      ("a1b20002-e5f6-4a7b-8c9d-0e1f2a3b4c5d", .syncState, .library),
      ("a1b20003-e5f6-4a7b-8c9d-0e1f2a3b4c5d", .document, .library),
      ("00000003-0000-1000-8000-00805f9b34fb", .document, .bluetoothBase),
      ("00000004-0000-1000-8000-00805f9b34fb", .command, .bluetoothBase),
      ("f47ac10b-58cc-4372-a567-0e02b2c3d001", .nodeInfo, .windows),
      ("f47ac10b-58cc-4372-a567-0e02b2c3d003", .document, .windows),
      ("0000f47b-0000-1000-8000-00805f9b34fb", .document, .alias),
    ] as [(String, CharacteristicRole, CharacteristicForm)])
  func spelling(_ text: String, _ role: CharacteristicRole, _ form: CharacteristicForm) throws {
    let identifier = try #require(role.identifier(in: form))
    #expect(identifier.description == text)
    let found = CharacteristicRole.identify(
      characteristic: identifier, service: ServiceIdentifiers.canonical)
    #expect(found?.role == role)
    #expect(found?.form == form)
  }

  @Test("the short forms 0001 to 0005 mean nothing outside a service of Peat")
  func shortForms() {
    let identifier = PeatUUID(short: 3)
    let battery = PeatUUID(short: 0x180F)
    #expect(CharacteristicRole.of(characteristic: identifier, service: battery) == nil)
    #expect(CharacteristicRole.of(characteristic: identifier, service: nil) == nil)
    for service in [
      ServiceIdentifiers.canonical, ServiceIdentifiers.library,
      PeatUUID(short: ServiceIdentifiers.alias), PeatUUID(short: ServiceIdentifiers.libraryAlias),
    ] {
      #expect(CharacteristicRole.of(characteristic: identifier, service: service) == .document)
    }
  }

  @Test("identifiers near Peat's have no role")
  func strangers() {
    for high in [0xF47A_0006_58CC_4372, 0xF47A_0103_58CC_4372, 0xF47A_C10B_58CC_4372] as [UInt64] {
      let identifier = PeatUUID(high: high, low: 0xA567_0E02_B2C3_D479)
      #expect(CharacteristicRole.of(characteristic: identifier, service: nil) == nil)
    }
    #expect(
      CharacteristicRole.of(
        characteristic: PeatUUID(high: 0xF47A_C10B_58CC_4372, low: 0xA567_0E02_B2C3_D004),
        service: ServiceIdentifiers.canonical) == nil)
  }

  @Test("a 16-bit identifier survives widening")
  func widening() {
    let alias = PeatUUID(short: 0xF47A)
    #expect(alias.description == "0000f47a-0000-1000-8000-00805f9b34fb")
    #expect(alias.short == 0xF47A)
    #expect(ServiceIdentifiers.canonical.short == nil)
  }
}
