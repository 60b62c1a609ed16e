import BluetoothProtocols
import PeatDissection
import PeatProtocol

/// Names of what stands behind handles.
enum LinkNames {
  /// The name of an attribute: Peat's own ones, then those of the assigned numbers.
  static func name(of uuid: BluetoothUUID, in service: BluetoothUUID? = nil) -> String? {
    let peat = PeatUUID(high: uuid.high, low: uuid.low)
    if ServiceIdentifiers.isService(peat) { return "Peat" }
    let parent = service.map { PeatUUID(high: $0.high, low: $0.low) }
    if let role = CharacteristicRole.of(characteristic: peat, service: parent) {
      return "Peat " + roleName(role)
    }
    return AttributeNames.name(of: uuid)
  }

  /// What a use is called; nil where nothing names it.
  static func name(of use: HandleUse) -> String? {
    if let uuid = use.uuid { return name(of: uuid, in: use.service) }
    return use.isDescriptor ? "descriptor" : nil
  }

  private static func roleName(_ role: CharacteristicRole) -> String {
    switch role {
    case .nodeInfo: "node info"
    case .syncState: "sync state"
    case .document: "document"
    case .command: "command"
    case .status: "status"
    case .sensorReading: "sensor reading"
    case .sensorPosition: "sensor position"
    case .sensorEmergency: "sensor emergency"
    }
  }
}
