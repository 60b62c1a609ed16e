import BluetoothProtocols
import Testing

@testable import BluetoothHost

@Suite struct ATTServerTests {
  /// Handles: 1 to 5 GAP, 6 GATT, 7 service, 8 declaration, 9 value, 10 configuration.
  private static let database: AttributeDatabase = {
    var database = AttributeDatabase(deviceName: "PEAT_X-00000001")
    database.addService(BluetoothUUID(0xF47A))
    database.addCharacteristic(
      BluetoothUUID(0xF47B), [.read, .write, .writeCommand, .notify],
      value: (0..<100).map { UInt8($0) })
    return database
  }()

  private func answer(_ bytes: [UInt8], mtu: Int = 23) -> [UInt8]? {
    var server = ATTServer(ownMTU: 247)
    return server.answer(bytes, mtu: mtu, database: ATTServerTests.database)
  }

  @Test("answers and refusals, as Core Specification Vol 3 Part F 3.4 lays them out")
  func answers() {
    let table: [(String, [UInt8], [UInt8]?)] = [
      ("MTU", [0x02, 0x00, 0x01], [0x03, 247, 0]),
      (
        "services", [0x10, 1, 0, 0xFF, 0xFF, 0x00, 0x28],
        [0x11, 6, 1, 0, 5, 0, 0x00, 0x18, 6, 0, 6, 0, 0x01, 0x18, 7, 0, 10, 0, 0x7A, 0xF4]
      ),
      (
        "services after the last", [0x10, 8, 0, 0xFF, 0xFF, 0x00, 0x28],
        [0x01, 0x10, 8, 0, 0x0A]
      ),
      ("handle 0", [0x10, 0, 0, 0xFF, 0xFF, 0x00, 0x28], [0x01, 0x10, 0, 0, 0x01]),
      ("start above end", [0x08, 9, 0, 8, 0, 0x03, 0x28], [0x01, 0x08, 9, 0, 0x01]),
      ("no grouping type", [0x10, 1, 0, 0xFF, 0xFF, 0x03, 0x28], [0x01, 0x10, 1, 0, 0x10]),
      (
        "one service by 2 bytes", [0x06, 1, 0, 0xFF, 0xFF, 0x00, 0x28, 0x7A, 0xF4],
        [0x07, 7, 0, 10, 0]
      ),
      (
        "one service that is not there", [0x06, 1, 0, 0xFF, 0xFF, 0x00, 0x28, 0x7B, 0xF4],
        [0x01, 0x06, 1, 0, 0x0A]
      ),
      (
        "characteristics", [0x08, 7, 0, 10, 0, 0x03, 0x28],
        [0x09, 7, 8, 0, 0x1E, 9, 0, 0x7B, 0xF4]
      ),
      ("descriptors", [0x04, 9, 0, 10, 0], [0x05, 1, 9, 0, 0x7B, 0xF4, 10, 0, 0x02, 0x29]),
      ("read of a long value", [0x0A, 9, 0], [0x0B] + (0..<22).map { UInt8($0) }),
      ("read blob", [0x0C, 9, 0, 90, 0], [0x0D] + (90..<100).map { UInt8($0) }),
      ("read blob at the end", [0x0C, 9, 0, 100, 0], [0x0D]),
      ("read blob behind the end", [0x0C, 9, 0, 101, 0], [0x01, 0x0C, 9, 0, 0x07]),
      ("read of no handle", [0x0A, 11, 0], [0x01, 0x0A, 11, 0, 0x01]),
      ("configuration is off at first", [0x0A, 10, 0], [0x0B, 0, 0]),
      ("write of a declaration", [0x12, 8, 0, 1], [0x01, 0x12, 8, 0, 0x03]),
      ("configuration of one byte", [0x12, 10, 0, 1], [0x01, 0x12, 10, 0, 0x0D]),
      ("configuration out of range", [0x12, 10, 0, 4, 0], [0x01, 0x12, 10, 0, 0xFF]),
      ("prepared write of a configuration", [0x16, 10, 0, 0, 0, 1], [0x01, 0x16, 10, 0, 0x03]),
      ("cut request", [0x0A, 9], [0x01, 0x0A, 0, 0, 0x04]),
      (
        "longer than the MTU", [0x12, 9, 0] + [UInt8](repeating: 0, count: 21),
        [0x01, 0x12, 0, 0, 0x04]
      ),
      ("unknown request", [0x3A, 1, 2], [0x01, 0x3A, 0, 0, 0x06]),
      ("unknown command", [0x7A, 1, 2], nil),
      ("write command to nothing", [0x52, 99, 0, 1], nil),
      ("nothing", [], nil),
    ]
    for (name, request, expected) in table { #expect(answer(request) == expected, "\(name)") }
  }

  @Test("a long write is joined, and replaces the value from its start")
  func preparedWrites() {
    var server = ATTServer(ownMTU: 23)
    let database = ATTServerTests.database
    func send(_ bytes: [UInt8]) -> [UInt8]? {
      server.answer(bytes, mtu: 23, database: database)
    }
    #expect(send([0x16, 9, 0, 0, 0, 1, 2, 3]) == [0x17, 9, 0, 0, 0, 1, 2, 3])
    #expect(send([0x16, 9, 0, 3, 0, 4]) == [0x17, 9, 0, 3, 0, 4])
    #expect(send([0x18, 1]) == [0x19])
    #expect(server.takeEvents() == [.written(handle: 9, value: [1, 2, 3, 4], isLong: true)])
    // A gap is refused and the queue is empty afterwards.
    _ = send([0x16, 9, 0, 1, 0, 1])
    #expect(send([0x18, 1]) == [0x01, 0x18, 9, 0, 0x07])
    #expect(send([0x18, 1]) == [0x19])
    _ = server.takeEvents()
    _ = send([0x16, 9, 0, 0, 0, 1])
    #expect(send([0x18, 0]) == [0x19])
    #expect(server.takeEvents() == [])
  }

  @Test("thousands of prepared writes hold no more than the queue's limit")
  func preparedFlood() {
    var server = ATTServer(ownMTU: 517)
    var refused = 0
    for index in 0..<5_000 {
      let offset = UInt16(truncatingIfNeeded: index)
      let request = ATTEncoder.prepareWrite(0x16, handle: 9, offset: offset, [1, 2, 3, 4])
      let answer = server.answer(request, mtu: 517, database: ATTServerTests.database)
      if answer?.first == 0x01 { refused += 1 }
      _ = server.takeEvents()
    }
    #expect(server.prepared.count <= ATTServer.maximumPrepared)
    #expect(refused == 5_000 - ATTServer.maximumPrepared)
  }
}
