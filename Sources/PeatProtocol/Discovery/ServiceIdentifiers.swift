/// Every service that a reference platform registers or announces (protocol.md 1.1).
public enum ServiceIdentifiers {
  /// The canonical service: iOS demo, Android, ESP32, Windows, nRF.
  public static let canonical = PeatUUID(
    high: 0xF47A_C10B_58CC_4372, low: 0xA567_0E02_B2C3_D479)

  /// The library's constant: Linux and the Rust CoreBluetooth adapter.
  public static let library = PeatUUID(
    high: 0xA1B2_C3D4_E5F6_4A7B, low: 0x8C9D_0E1F_2A3B_4C5D)

  /// The 16-bit alias that advertising carries in place of the canonical service.
  public static let alias: UInt16 = 0xF47A

  /// The 16-bit constant of the library's own advertiser.
  public static let libraryAlias: UInt16 = 0xA1B2

  /// The alias that demo documents give the document characteristic; no server registers it.
  public static let documentAlias: UInt16 = 0xF47B

  /// The document characteristic of the canonical service.
  public static let document = PeatUUID(
    high: 0xF47A_0003_58CC_4372, low: 0xA567_0E02_B2C3_D479)

  /// Whether a service identifier is one of Peat's, in any of its forms.
  public static func isService(_ identifier: PeatUUID) -> Bool {
    if identifier == canonical || identifier == library { return true }
    guard let short = identifier.short else { return false }
    return short == alias || short == libraryAlias
  }
}

/// Which of the spellings of protocol.md 1.1 a characteristic identifier uses.
public enum CharacteristicForm: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  /// `f47a0001-58cc-…`: Android, nRF, and the document characteristic everywhere.
  case canonical
  /// `a1b20001-e5f6-…`: Linux.
  case library
  /// `00000001-0000-1000-…`: the Rust CoreBluetooth adapter.
  case bluetoothBase
  /// `f47ac10b-…-…d001`: Windows, which changes the last two bytes.
  case windows
  /// The 16-bit `0xF47B`, accepted by one firmware.
  case alias
}

/// What a characteristic carries (protocol.md 1.1, 5.2).
public enum CharacteristicRole: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  /// 0001: ``NodeInfo``, or on Linux and CoreBluetooth a 4-byte node id.
  case nodeInfo = 1
  /// 0002: ``SyncStateValue``; Linux examples keep a document there.
  case syncState = 2
  /// 0003: documents; the one characteristic that every platform has.
  case document = 3
  /// 0004: ``CommandValue``.
  case command = 4
  /// 0005: ``StatusValue``.
  case status = 5
  /// `f47a0010`: ``SensorReading`` of the nRF examples.
  case sensorReading = 0x10
  /// `f47a0011`: ``SensorPosition`` of the nRF examples.
  case sensorPosition = 0x11
  /// `f47a0012`: ``SensorEmergency`` of the nRF examples.
  case sensorEmergency = 0x12

  /// The role of a characteristic; nil when it is none of Peat's.
  ///
  /// The forms that name Peat in their own digits are recognised anywhere, since a capture may
  /// not hold the discovery that tells the service. The short `0001`…`0005` count only inside a
  /// service of Peat, because any other service may use them.
  public static func of(
    characteristic: PeatUUID, service: PeatUUID?
  ) -> CharacteristicRole? {
    identify(characteristic: characteristic, service: service)?.role
  }

  /// The role of a characteristic and the spelling it was found in.
  public static func identify(
    characteristic: PeatUUID, service: PeatUUID?
  ) -> (role: CharacteristicRole, form: CharacteristicForm)? {
    if let short = characteristic.short {
      if short == ServiceIdentifiers.documentAlias { return (.document, .alias) }
      guard let service, ServiceIdentifiers.isService(service), let role = sibling(short) else {
        return nil
      }
      return (role, .bluetoothBase)
    }
    let number = UInt16(truncatingIfNeeded: characteristic.high >> 32)
    if characteristic == ServiceIdentifiers.document.replacingBytes2And3(with: number) {
      return CharacteristicRole(rawValue: UInt8(truncatingIfNeeded: number)).flatMap {
        number < 0x100 ? ($0, .canonical) : nil
      }
    }
    if characteristic == ServiceIdentifiers.library.replacingBytes2And3(with: number) {
      return sibling(number).map { ($0, .library) }
    }
    let canonical = ServiceIdentifiers.canonical
    if characteristic.high == canonical.high, characteristic.low >> 16 == canonical.low >> 16 {
      let ending = UInt16(truncatingIfNeeded: characteristic.low)
      guard (0xD001...0xD003).contains(ending) else { return nil }
      return sibling(ending & 0xFF).map { ($0, .windows) }
    }
    return nil
  }

  /// The identifier of this characteristic in a spelling; nil where no platform uses the pair.
  public func identifier(in form: CharacteristicForm) -> PeatUUID? {
    let number = UInt16(rawValue)
    switch form {
    case .canonical:
      return ServiceIdentifiers.document.replacingBytes2And3(with: number)
    case .library:
      return number <= 5 ? ServiceIdentifiers.library.replacingBytes2And3(with: number) : nil
    case .bluetoothBase:
      return number <= 5 ? PeatUUID(short: number) : nil
    case .windows:
      guard number <= 3 else { return nil }
      let canonical = ServiceIdentifiers.canonical
      return PeatUUID(
        high: canonical.high, low: canonical.low & ~0xFFFF | 0xD000 | UInt64(number))
    case .alias:
      return self == .document ? PeatUUID(short: ServiceIdentifiers.documentAlias) : nil
    }
  }

  private static func sibling(_ number: UInt16) -> CharacteristicRole? {
    (1...5).contains(number)
      ? CharacteristicRole(rawValue: UInt8(truncatingIfNeeded: number)) : nil
  }
}
