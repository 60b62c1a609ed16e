import BluetoothHost
import BluetoothProtocols

/// The node's attribute server, and its client towards a server that answers anything.
enum ServerFuzz {
  private static let database: AttributeDatabase = {
    var database = AttributeDatabase(deviceName: "PEAT_FUZZ-00000001")
    database.addService(BluetoothUUID(0xF47A))
    database.addCharacteristic(
      BluetoothUUID(0xF47B), [.read, .write, .writeCommand, .notify, .indicate],
      value: (0..<512).map { UInt8(truncatingIfNeeded: $0) })
    return database
  }()

  /// Requests of one connection in turn.
  static func conversation(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    var server = ATTServer(ownMTU: 517)
    let mtu = 23 + Int(input.byte()) * 2
    while !input.isEmpty {
      let request = input.run()
      if let answer = server.answer(request, mtu: mtu, database: database) {
        precondition(answer.count <= mtu, "an answer longer than the MTU")
      }
      for case .written(_, let value, _) in server.takeEvents() {
        precondition(value.count <= AttributeDatabase.maximumValueLength, "a value too long")
      }
    }
  }
}
