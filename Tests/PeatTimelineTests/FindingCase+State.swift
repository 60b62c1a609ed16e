import PeatProtocol
import PeatTestSupport
import PeatTimeline

extension FindingCase {
  /// What the peer sends on a ready connection, a second apart.
  private static func told(
    _ code: FindingCode, _ bad: [[UInt8]], _ good: [[UInt8]]
  ) -> FindingCase {
    FindingCase(code, shows: { $0.tell(bad) }, hides: { $0.tell(good) })
  }

  /// Counters, versions and emergencies.
  static let stateCases: [FindingCase] = [
    told(
      .counterRegression,
      [document(alpha, 1, [alpha: 5, bravo: 3]), document(alpha, 2, [alpha: 5, bravo: 2])],
      [document(alpha, 1, [alpha: 5, bravo: 3]), document(alpha, 2, [alpha: 6, bravo: 3])]),
    FindingCase(
      .ownCounterRaised,
      shows: {
        $0.tell([document(alpha, 1, [alpha: 3])])
        $0.write(document(bravo, 1, [bravo: 1, alpha: 9]))
        $0.wait(6)
        for version: UInt32 in 2...3 { $0.notify(document(alpha, version, [alpha: 3])) }
      },
      hides: {
        $0.tell([document(alpha, 1, [alpha: 3])])
        $0.write(document(bravo, 1, [bravo: 1, alpha: 4]))
        $0.wait(6)
        for version: UInt32 in 2...3 { $0.notify(document(alpha, version, [alpha: 4])) }
      }),
    told(
      .counterLeap,
      [document(alpha, 1, [alpha: 5]), document(alpha, 2, [alpha: 2_000_005])],
      [document(alpha, 1, [alpha: 5]), document(alpha, 2, [alpha: 6])]),
    told(
      .versionReused, [document(alpha, 1, [alpha: 1]), document(alpha, 1, [alpha: 2])],
      [document(alpha, 1, [alpha: 1]), document(alpha, 1, [alpha: 1])]),
    told(
      .oldDocument,
      [document(alpha, 5), document(alpha, 6, [alpha: 1]), document(alpha, 5)],
      [document(alpha, 5), document(alpha, 6, [alpha: 1]), document(alpha, 6, [alpha: 1])]),
    told(
      .nodeRestart, [document(alpha, 50, [alpha: 5]), document(alpha, 1)],
      // The version counts on over its limit.
      [document(alpha, .max, [alpha: 5]), document(alpha, 0, [alpha: 5])]),
    told(
      .ackWithdrawn, [acking(1, true), acking(2, false)], [acking(1, false), acking(2, true)]),
    FindingCase(
      .emergencyTie,
      shows: {
        $0.tell([document(alpha, 1, emergency: emergency(alpha))])
        $0.write(document(bravo, 1, emergency: emergency(bravo)))
      },
      hides: {
        $0.tell([document(alpha, 1, emergency: emergency(alpha))])
        $0.write(document(bravo, 1, emergency: emergency(bravo, CaptureBuilder.start + 1)))
      }),
    told(
      .emergencyReturned,
      [
        document(alpha, 1, emergency: emergency(bravo)), document(alpha, 2),
        document(alpha, 3, emergency: emergency(bravo)),
      ],
      [
        document(alpha, 1, emergency: emergency(bravo)), document(alpha, 2),
        document(alpha, 3, emergency: emergency(bravo, CaptureBuilder.start + 1)),
      ]),
  ]

  private static func acking(_ version: UInt32, _ isAcked: Bool) -> [UInt8] {
    document(
      alpha, version, emergency: emergency(bravo, CaptureBuilder.start, [alpha: isAcked]))
  }

  /// Keys and relays.
  static let secrecyCases: [FindingCase] = [
    told(
      .plaintextInEncrypted,
      [encrypted(document(alpha, 1)), document(alpha, 2)],
      [encrypted(document(alpha, 1)), encrypted(document(alpha, 2), number: 2)]),
    FindingCase(
      .decryptedResent,
      shows: {
        $0.tell([encrypted(canned(1))])
        $0.write(canned(1))
      },
      hides: {
        $0.tell([encrypted(canned(1))])
        $0.write(canned(2))
      }),
    told(
      .replayedFrame, [encrypted(document(alpha, 1)), encrypted(document(alpha, 1))],
      [encrypted(document(alpha, 1)), encrypted(document(alpha, 1), number: 2)]),
    told(.counterJump, [secret(0), secret(5)], [secret(0), secret(1)]),
    told(
      .relayExpired, [relay(document(alpha, 1), origin: alpha, hops: 7)],
      [relay(document(alpha, 1), origin: alpha, hops: 6)]),
    FindingCase(
      .relayLoop,
      shows: {
        $0.open()
        $0.write(relay(document(alpha, 1), origin: alpha))
        $0.notify(relay(document(alpha, 1), origin: alpha, hops: 1))
      },
      hides: {
        $0.open()
        $0.write(relay(document(alpha, 1), origin: alpha))
        $0.notify(relay(document(alpha, 1), origin: alpha, id: 2, hops: 1))
      }),
    told(
      .relayOrphan, [relay(document(charlie, 1), origin: charlie, hops: 1)],
      [relay(document(alpha, 1), origin: alpha, hops: 1), document(alpha, 1)]),
  ]

  private static func canned(_ sequence: UInt32) -> [UInt8] {
    CannedMessage(
      code: .checkIn, source: alpha, timestamp: CaptureBuilder.start, sequence: sequence
    ).encoded
  }

  private static func secret(_ counter: UInt64) -> [UInt8] {
    PeerMessage(
      recipient: bravo, sender: alpha, counter: counter,
      nonce: [UInt8](repeating: UInt8(counter), count: 12), ciphertext: [1, 2],
      tag: [UInt8](repeating: 0, count: 16)
    ).encoded()
  }
}

extension CaptureBuilder {
  /// Opens a connection on which the peer notifies values, a second apart.
  mutating func tell(_ values: [[UInt8]]) {
    open()
    for value in values {
      wait(1)
      notify(value)
    }
  }
}
