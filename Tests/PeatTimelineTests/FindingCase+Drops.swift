import PeatProtocol
import PeatTestSupport
import PeatTimeline

extension FindingCase {
  /// One notification by alpha, with and without the fault.
  private static func notified(
    _ code: FindingCode, _ bad: [UInt8], _ good: [UInt8]
  ) -> FindingCase {
    FindingCase(
      code,
      shows: {
        $0.open()
        $0.notify(bad)
      },
      hides: {
        $0.open()
        $0.notify(good)
      })
  }

  private static func health(_ code: FindingCode, _ bad: Health, _ good: Health) -> FindingCase {
    notified(
      code, document(alpha, 1, peripheral: peripheral(alpha, health: bad)),
      document(alpha, 1, peripheral: peripheral(alpha, health: good)))
  }

  /// What receivers do not take.
  static let dropCases: [FindingCase] = [
    notified(.malformedMessage, [1, 2, 3, 4, 5], document(alpha, 1)),
    notified(
      .sectionDropped, document(alpha, 1, peripheral: peripheral(NodeID(rawValue: 0))),
      document(alpha, 1, peripheral: peripheral(alpha))),
    notified(
      .sectionCut, document(alpha, 1) + [0xAB, 0, 200, 0, 1],
      document(alpha, 1, peripheral: peripheral(alpha))),
    notified(
      .uptimeTimestamp, document(alpha, 1, peripheral: peripheral(alpha, time: 5000)),
      document(alpha, 1, peripheral: peripheral(alpha, time: 0))),
    health(
      .activityRange, Health(activity: Activity(rawValue: 4)),
      Health(activity: Activity(rawValue: 3))),
    health(.heartRateRange, Health(heartRate: 5), Health(heartRate: 72)),
    health(.batteryRange, Health(battery: 101), Health(battery: 100)),
    notified(
      .locationDropped,
      document(
        alpha, 1,
        peripheral: peripheral(alpha, location: Location(latitude: 123, longitude: 5))),
      document(
        alpha, 1,
        peripheral: peripheral(alpha, location: Location(latitude: 45, longitude: 5)))),
    // 12 bytes and 12 an entry: 21 entries make 264 bytes, 20 make 252.
    notified(.overLimit, counting(21), counting(20)),
    notified(
      .contentDropped, relay(relay(document(alpha, 1), origin: alpha), origin: alpha),
      relay(document(alpha, 1), origin: alpha)),
    FindingCase(
      .writeRefused,
      shows: {
        $0.open()
        $0.att([0x12, 0x12, 0] + document(alpha, 1), from: .host)
        $0.att([0x01, 0x12, 0x12, 0, 0x0D], from: .peer)
      },
      hides: {
        $0.open()
        $0.att([0x12, 0x12, 0] + document(alpha, 1), from: .host)
        $0.att([0x13], from: .peer)
      }),
    FindingCase(
      .lostByMTU,
      shows: {
        $0.cut()
        $0.wait(60)
        $0.disconnect()
      },
      hides: {
        $0.cut()
        $0.wait(1)
        $0.att([0x0A, 0x12, 0], from: .host)
        $0.att([0x0B] + document(alpha, 2), from: .peer)
        $0.wait(60)
        $0.disconnect()
      }),
    notified(
      .wrongKey, encrypted(document(alpha, 1), sort: 1), encrypted(document(alpha, 1))),
    notified(
      .damagedFrame, encrypted(document(alpha, 1), sort: 2), encrypted(document(alpha, 1))),
    notified(.unopenedWrapper, encrypted([], sort: 3), encrypted(document(alpha, 1))),
    // A document of 36 bytes, of which 20 fit a notification at MTU 23.
    FindingCase(
      .cutByMTU, shows: { $0.cut() },
      hides: {
        $0.open()
        $0.notify(document(alpha, 1, [alpha: 1, bravo: 1]))
      }),
    FindingCase(
      .cutByCapture,
      shows: {
        $0.open()
        $0.notify(document(alpha, 1, [alpha: 1]), recorded: 10)
      },
      hides: {
        $0.open()
        $0.notify(document(alpha, 1, [alpha: 1]), recorded: 24)
      }),
    notified(
      .unknownSection, document(alpha, 1) + [0xEE, 0, 1, 0, 0], document(alpha, 1)),
    notified(
      .entrySkipped, document(alpha, 1, [NodeID(rawValue: 0): 1, alpha: 2]),
      document(alpha, 1, [alpha: 2])),
    notified(
      .valueClamped, document(alpha, 1, peripheral: ofType(9)),
      document(alpha, 1, peripheral: ofType(2))),
    notified(.codecMisread, kotlin, document(alpha, 1, peripheral: peripheral(alpha))),
    FindingCase(
      .longWrite,
      shows: {
        $0.open()
        $0.longWrite(document(alpha, 1), executes: true)
      },
      hides: {
        $0.open()
        $0.write(document(alpha, 1))
      }),
    FindingCase(
      .writeCancelled,
      shows: {
        $0.open()
        $0.longWrite(document(alpha, 1), executes: false)
      },
      hides: {
        $0.open()
        $0.longWrite(document(alpha, 1), executes: true)
      }),
    notified(
      .deltaUnmerged,
      delta([.counter(id: 0, node: alpha, amount: 5, timestamp: CaptureBuilder.start)]),
      delta([.peripheral(timestamp: CaptureBuilder.start, peripheral(alpha))])),
    notified(.nodeZero, document(NodeID(rawValue: 0), 1), document(alpha, 1)),
    notified(
      .peripheralOfOther, document(alpha, 1, peripheral: peripheral(bravo)),
      document(alpha, 1, peripheral: peripheral(alpha))),
    notified(.versionCollision, document(alpha, 0xB2), document(alpha, 0xB3)),
  ]

  private static func counting(_ entries: UInt32) -> [UInt8] {
    document(
      alpha, 1,
      Dictionary(uniqueKeysWithValues: (1...entries).map { (NodeID(rawValue: $0), 1) }))
  }

  private static func ofType(_ number: UInt8) -> Peripheral {
    Peripheral(id: alpha, type: PeripheralType(rawValue: number), callsign: Callsign("TEST"))
  }

  private static func delta(_ operations: [DeltaOperation]) -> [UInt8] {
    DeltaDocument(origin: alpha, timestamp: CaptureBuilder.start, operations: operations).encoded
  }

  /// protocol.md 10, example 12.
  private static let kotlin =
    hexBytes(
      "01000000785634120100000078563412010000000000000"
        + "0AB002C0078563412000000000141"
        + "4E44524F494400000000006400000001"
        + "0300FC6A0A8D0100000000FC6A0A8D010000") ?? []
}

extension CaptureBuilder {
  /// A notification of which the MTU of 23 lets 20 bytes pass.
  mutating func cut() {
    connect()
    discover()
    subscribe()
    notify(Array(document(alpha, 1, [alpha: 1, bravo: 1]).prefix(20)))
  }

  /// A prepared write of one part, executed or cancelled.
  mutating func longWrite(_ value: [UInt8], executes: Bool) {
    att([0x16, 0x12, 0, 0, 0] + value, from: .host)
    att([0x17, 0x12, 0, 0, 0] + value, from: .peer)
    att([0x18, executes ? 1 : 0], from: .host)
    att([0x19], from: .peer)
  }
}
