import PeatProtocol
import PeatTestSupport
import PeatTimeline

extension FindingCase {
  /// Connections, neighbours and advertisers.
  static let linkCases: [FindingCase] = [
    FindingCase(
      .readRefused,
      shows: {
        $0.open()
        $0.att([0x0A, 0x12, 0], from: .host)
        $0.att([0x01, 0x0A, 0x12, 0, 0x05], from: .peer)
      },
      hides: {
        $0.open()
        $0.att([0x0A, 0x12, 0], from: .host)
        $0.att([0x0B] + document(alpha, 1), from: .peer)
      }),
    FindingCase(
      .noSubscription,
      shows: {
        $0.connect()
        $0.discover()
        $0.wait(10)
        $0.disconnect()
      },
      hides: {
        $0.connect()
        $0.discover()
        $0.subscribe()
        $0.wait(10)
        $0.disconnect()
      }),
    FindingCase(
      .neverHeard, shows: { $0.converse(alphaKnows: [alpha: 1]) },
      hides: { $0.converse(alphaKnows: [alpha: 1, bravo: 1]) }),
    FindingCase(
      .silentPeer,
      shows: {
        $0.advertise(0xC000_0000_0001, name("PEAT_DEMO-A1A1A1A1"))
        $0.open()
        $0.wait(70)
        $0.disconnect()
      },
      hides: {
        $0.advertise(0xC000_0000_0001, name("PEAT_DEMO-A1A1A1A1"))
        $0.open()
        $0.notify(document(alpha, 1))
        $0.wait(70)
        $0.disconnect()
      }),
    FindingCase(.silentGap, shows: { $0.beat(gap: 20) }, hides: { $0.beat(gap: 2) }),
    FindingCase(
      .clockSkew, shows: { $0.stamp(secondsAgo: 10) }, hides: { $0.stamp(secondsAgo: 1) }),
    FindingCase(
      .clockStep,
      shows: {
        $0.open()
        $0.notify(document(alpha, 1))
        $0.wait(-3600)
        $0.notify(document(alpha, 2))
      },
      hides: {
        // Records of merged captures change places.
        $0.open()
        $0.notify(document(alpha, 1))
        $0.wait(-0.9)
        $0.notify(document(alpha, 2))
      }),
    FindingCase(
      .redundantLink,
      shows: {
        $0.open(0x40)
        $0.open(0x41, peer: 0xC000_0000_0002)
        for _ in 0..<2 {
          $0.notify(document(alpha, 1), on: 0x40)
          $0.notify(document(alpha, 1), on: 0x41)
        }
      },
      hides: {
        $0.open(0x40)
        $0.notify(document(alpha, 1), on: 0x40)
        $0.disconnect(0x40)
        $0.open(0x41, peer: 0xC000_0000_0002)
        $0.notify(document(alpha, 1), on: 0x41)
      }),
    FindingCase(
      .selfTalk,
      shows: {
        $0.open()
        $0.write(document(bravo, 1))
        $0.notify(document(bravo, 1))
      },
      hides: {
        $0.open()
        $0.write(document(bravo, 1))
        $0.notify(document(alpha, 1))
      }),
    FindingCase(
      .meshMismatch, shows: { $0.neighbours("DEMO", "TEST") },
      hides: { $0.neighbours("DEMO", "DEMO") }),
    FindingCase(
      .serviceDataShapes,
      shows: {
        // FACE as Android writes it, and as Linux does.
        $0.advertise(0xC000_0000_0001, service(Array("FACE".utf8)))
        $0.advertise(0xC000_0000_0002, service([0x00, 0x00, 0xFA, 0xCE]))
      },
      hides: {
        $0.advertise(0xC000_0000_0001, service(Array("DEMO".utf8)))
        $0.advertise(0xC000_0000_0002, service(Array("DEMO".utf8)))
      }),
  ]

  /// What goes wrong below the messages.
  static let lowCases: [FindingCase] = [
    FindingCase(
      .droppedPackets,
      shows: {
        $0.open()
        $0.acl([1, 0, 4, 0, 0x13], from: .peer, drops: 3)
      },
      hides: {
        $0.open()
        $0.acl([1, 0, 4, 0, 0x13], from: .peer, drops: 0)
      }),
    FindingCase(
      .aclOverrun,
      shows: {
        $0.open()
        $0.acl([1, 0, 4, 0, 0x13, 0, 0, 0], from: .peer)
      },
      hides: {
        $0.open()
        $0.acl([1, 0, 4, 0, 0x13], from: .peer)
      }),
    FindingCase(
      .aclAbandonedStart,
      shows: {
        $0.open()
        $0.acl([9, 0, 4, 0, 0x13], from: .peer)
        $0.acl([1, 0, 4, 0, 0x13], from: .peer)
      },
      hides: {
        $0.open()
        $0.acl([2, 0, 4, 0, 0x13], from: .peer)
        $0.acl([0x13], from: .peer, continues: true)
      }),
    FindingCase(
      .aclOrphanContinuation,
      shows: {
        $0.open()
        $0.acl([0x13], from: .peer, continues: true)
      },
      hides: {
        $0.open()
        $0.acl([2, 0, 4, 0, 0x13], from: .peer)
        $0.acl([0x13], from: .peer, continues: true)
      }),
    FindingCase(
      .malformedEvent,
      shows: { $0.packet([0x04, 0x3E, 2, 0x01, 0x00], from: .peer, isControl: true) },
      hides: { $0.connect() }),
  ]

  private static func name(_ text: String) -> [UInt8] {
    [3, 0x03, 0x7A, 0xF4, UInt8(text.utf8.count + 1), 0x09] + Array(text.utf8)
  }

  private static func service(_ mesh: [UInt8]) -> [UInt8] {
    [UInt8(7 + mesh.count), 0x16, 0x7A, 0xF4, 0xA1, 0xA1, 0xA1, 0xA1] + mesh
  }

  static func peat(_ text: String) -> [UInt8] { name(text) }
}

extension CaptureBuilder {
  /// The host, bravo, counts; alpha's documents show what they show, for 24 seconds.
  mutating func converse(alphaKnows counts: [NodeID: UInt64]) {
    open()
    for version: UInt32 in 1...8 {
      write(document(bravo, version, [bravo: 1, alpha: 1]))
      notify(document(alpha, version, counts))
      wait(3)
    }
  }

  /// Documents a second apart, then one behind a gap.
  mutating func beat(gap: Double) {
    open()
    for _ in 0..<10 {
      notify(document(alpha, 1))
      wait(1)
    }
    wait(gap)
    notify(document(alpha, 1))
  }

  /// An event that is new in alpha's second document, two seconds after the first.
  mutating func stamp(secondsAgo: UInt64) {
    open()
    notify(document(alpha, 1))
    wait(2)
    let event = PeripheralEvent(type: EventType(rawValue: 1), time: now - secondsAgo * 1000)
    notify(document(alpha, 2, peripheral: peripheral(alpha, event: event)))
  }

  /// Two peers that announce a mesh each.
  mutating func neighbours(_ first: String, _ second: String) {
    advertise(0xC000_0000_0001, FindingCase.peat("PEAT_\(first)-A1A1A1A1"))
    advertise(0xC000_0000_0002, FindingCase.peat("PEAT_\(second)-C3C3C3C3"))
    open(0x40)
    open(0x41, peer: 0xC000_0000_0002)
  }
}
