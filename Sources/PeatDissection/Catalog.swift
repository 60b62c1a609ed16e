import BluetoothProtocols
import PeatProtocol
import WireBytes

/// Which protocol a value belongs to; those beside Peat ride the same links and the same air.
public enum ValueProtocol: Sendable, Hashable {
  case peat
  case mesh(MeshCarrier)
  /// Firmware upgrades: SMP, also known as mcumgr.
  case smp
}

/// What carries the PDUs of a Bluetooth mesh (Mesh Protocol 1.1, 3.3, 6 and 7).
public enum MeshCarrier: Sendable, Hashable {
  /// Characteristics 2ADD and 2ADE of the service 1828.
  case proxy
  /// Characteristics 2ADB and 2ADC of the service 1827.
  case provisioning
  /// AD type 29, 2A or 2B.
  case advertisement(MeshAdvertisingType)
  /// Service data of 1827, 1828 or 1859.
  case serviceData(UInt16)
}

/// The AD types of a mesh (Assigned Numbers, 2.3).
public enum MeshAdvertisingType: UInt8, Sendable, Hashable {
  case provisioning = 0x29
  case message = 0x2A
  case beacon = 0x2B
}

/// The protocols beside Peat that a reading wants values of.
public struct WantedProtocols: OptionSet, Sendable {
  /// One bit a protocol.
  public let rawValue: UInt8

  /// Makes a set of its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Bluetooth mesh, on GATT and in advertisements.
  public static let mesh = WantedProtocols(rawValue: 1)
  /// Firmware upgrades over GATT.
  public static let smp = WantedProtocols(rawValue: 2)
}

/// Which characteristics and advertising data are wanted, and by which protocol.
struct Catalog: Sendable {
  /// The characteristic of SMP.
  private static let smp = BluetoothUUID(high: 0xDA2E_7828_FBCE_4E01, low: 0xAE9E_2611_7499_7C48)

  /// A characteristic that is wanted.
  struct Entry: Sendable, Equatable {
    var owner: ValueProtocol
    /// What it is for in Peat; a document's for the others.
    var role: CharacteristicRole
  }

  let documents: DocumentCharacteristics
  let wanted: WantedProtocols

  /// What a characteristic is for; nil where nobody wants it. The user's word, that it is Peat's,
  /// comes first.
  func entry(of characteristic: BluetoothUUID, in service: BluetoothUUID?) -> Entry? {
    if let role = documents.role(of: characteristic, in: service) {
      return Entry(owner: .peat, role: role)
    }
    switch characteristic.short {
    case 0x2ADB, 0x2ADC: return mesh(.provisioning)
    case 0x2ADD, 0x2ADE: return mesh(.proxy)
    default:
      guard characteristic == Catalog.smp, wanted.contains(.smp) else { return nil }
      return Entry(owner: .smp, role: .document)
    }
  }

  private func mesh(_ carrier: MeshCarrier) -> Entry? {
    wanted.contains(.mesh) ? Entry(owner: .mesh(carrier), role: .document) : nil
  }

  /// Whether a structure of advertising data has a type that a mesh uses: what decides of most
  /// advertisements, by their types alone.
  static func mayHoldMesh(_ data: RawSpan) -> Bool {
    var fields = AdvertisingData(data)
    while let field = fields.next() {
      if field.type == 0x16 || MeshAdvertisingType(rawValue: field.type) != nil { return true }
    }
    return false
  }

  /// What an advertising structure carries of a mesh, by its type and, of service data, the UUID;
  /// nil where it is none. A network's messages are never in what can be connected to, nor in a
  /// scan response (3.3.1).
  static func carrier(of field: borrowing AdvertisingField, isConnectable: Bool) -> MeshCarrier? {
    if let type = MeshAdvertisingType(rawValue: field.type) {
      return isConnectable ? nil : .advertisement(type)
    }
    guard field.type == 0x16, field.data.byteCount > 2 else { return nil }
    var reader = ByteReader(field.data, layer: .gap)
    guard let uuid = try? reader.le16() else { return nil }
    return [0x1827, 0x1828, 0x1859].contains(uuid) ? .serviceData(uuid) : nil
  }
}
