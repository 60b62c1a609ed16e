package import BluetoothProtocols
import WireBytes

/// What a characteristic allows (Core Specification Vol 3 Part G, 3.3.1.1).
package struct CharacteristicProperties: OptionSet, Sendable, Equatable {
  /// The property bits of the declaration.
  package let rawValue: UInt8
  /// Makes a set from its bits.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let read = CharacteristicProperties(rawValue: 0x02)
  package static let writeCommand = CharacteristicProperties(rawValue: 0x04)
  package static let write = CharacteristicProperties(rawValue: 0x08)
  package static let notify = CharacteristicProperties(rawValue: 0x10)
  package static let indicate = CharacteristicProperties(rawValue: 0x20)
}

/// The attributes that this host serves, with handles from 1 on without gaps
/// (Core Specification Vol 3 Part G, 3).
package struct AttributeDatabase: Sendable {
  /// Longest value of an attribute (Core Specification Vol 3 Part F, 3.2.9).
  package static let maximumValueLength = 512

  static let primaryService = BluetoothUUID(0x2800)
  static let characteristic = BluetoothUUID(0x2803)
  static let clientConfiguration = BluetoothUUID(0x2902)

  /// What an attribute is to the server.
  enum Kind: Sendable, Equatable {
    /// A declaration: can be read, never changes.
    case declaration
    /// A characteristic's value.
    case value(CharacteristicProperties)
    /// The client's own choice of notifications for the value with this handle.
    case clientConfiguration(of: UInt16)
  }

  struct Attribute: Sendable {
    var type: BluetoothUUID
    var kind: Kind
    var value: [UInt8]
    /// Last handle of the group, for a service; the attribute's own handle otherwise.
    var groupEnd: UInt16
  }

  private(set) var attributes: [Attribute] = []

  /// Makes a database with the two services that every server has: the name and appearance of the
  /// device, and the generic attribute service (Core Specification Vol 3 Part C, 12).
  package init(deviceName: String) {
    addService(BluetoothUUID(0x1800))
    addCharacteristic(
      BluetoothUUID(0x2A00), .read, value: Array(deviceName.utf8.prefix(248)))
    addCharacteristic(BluetoothUUID(0x2A01), .read, value: [0, 0])
    addService(BluetoothUUID(0x1801))
  }

  /// The last handle in use.
  package var lastHandle: UInt16 { UInt16(clamping: attributes.count) }

  /// Adds a primary service; the characteristics added next belong to it.
  package mutating func addService(_ uuid: BluetoothUUID) {
    append(AttributeDatabase.primaryService, .declaration, uuid.encoded)
  }

  /// Adds a characteristic with a client configuration where it notifies or indicates; gives the
  /// handle of its value.
  @discardableResult
  package mutating func addCharacteristic(
    _ uuid: BluetoothUUID, _ properties: CharacteristicProperties, value: [UInt8] = []
  ) -> UInt16 {
    let handle = lastHandle &+ 2
    append(
      AttributeDatabase.characteristic, .declaration,
      [properties.rawValue, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8)] + uuid.encoded)
    append(uuid, .value(properties), value)
    if !properties.isDisjoint(with: [.notify, .indicate]) {
      append(AttributeDatabase.clientConfiguration, .clientConfiguration(of: handle), [])
    }
    return handle
  }

  /// The value with a handle: its characteristic, and the service that it belongs to; nil for other
  /// attributes.
  package func characteristic(
    at handle: UInt16
  ) -> (uuid: BluetoothUUID, service: BluetoothUUID)? {
    guard let attribute = self[handle], case .value = attribute.kind,
      let service = attributes[..<Int(handle)].last(where: {
        $0.type == AttributeDatabase.primaryService
      })
    else { return nil }
    var reader = ByteReader(service.value.rawBytes, layer: .att)
    guard let uuid = try? BluetoothUUID(&reader, size: service.value.count) else { return nil }
    return (attribute.type, uuid)
  }

  /// Changes a characteristic's value, of which at most 512 bytes are kept.
  package mutating func setValue(_ value: [UInt8], of handle: UInt16) {
    guard handle > 0, handle <= lastHandle, case .value = attributes[Int(handle) - 1].kind
    else { return }
    attributes[Int(handle) - 1].value = Array(
      value.prefix(AttributeDatabase.maximumValueLength))
  }

  subscript(handle: UInt16) -> Attribute? {
    handle > 0 && handle <= lastHandle ? attributes[Int(handle) - 1] : nil
  }

  /// The attributes with handles in a range, ascending.
  func attributes(
    from start: UInt16, to end: UInt16
  ) -> some Sequence<(handle: UInt16, attribute: Attribute)> {
    let first = min(Int(start) - 1, attributes.count)
    let last = max(first, min(Int(end), attributes.count))
    return (first..<last).lazy.map { (UInt16(clamping: $0 + 1), attributes[$0]) }
  }

  private mutating func append(_ type: BluetoothUUID, _ kind: Kind, _ value: [UInt8]) {
    let handle = lastHandle &+ 1
    attributes.append(Attribute(type: type, kind: kind, value: value, groupEnd: handle))
    guard
      let service = attributes.lastIndex(where: { $0.type == AttributeDatabase.primaryService })
    else { return }
    attributes[service].groupEnd = handle
  }
}
