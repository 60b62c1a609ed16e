import PeatDissection
import PeatProtocol
import PeatTestSupport
import PeatTimeline
import Testing

@Suite struct FindingEngineTests {
  /// Codes of the layers below that no HCI file of ours can show.
  static let lowCodes: Set<FindingCode> = [
    .badCRC, .encryptedLink, .unreadableAirHeader, .airLengthFault, .connectionNotFollowed,
    .discoveryCut, .connectionLimit,
    .recorderClock,
  ]

  /// Codes of whole runs, which `EmergencyCaseTests` shows.
  static let storyCodes: Set<FindingCode> = [
    .emergencyNotAcked, .emergencyNotSeen, .emergencyUnknown, .emergencyLinkDown, .nodeSilent,
    .hearsayNode, .receiverDrops, .batteryLow, .linkFlapping, .oneWayLink,
  ]

  @Test(arguments: FindingCase.all)
  func `a minimal capture shows the finding`(_ example: FindingCase) throws {
    #expect(try FindingRun(example.shows).codes.contains(example.code))
  }

  @Test(arguments: FindingCase.all)
  func `a nearly equal capture does not show it`(_ example: FindingCase) throws {
    #expect(try !FindingRun(example.hides).codes.contains(example.code))
  }

  @Test func `the recorder is to blame where two nodes lag in one capture`() throws {
    var run = try FindingRun {
      $0.open(0x40)
      $0.open(0x41, peer: 0xC000_0000_0002)
      $0.notify(document(alpha, 1), on: 0x40)
      $0.notify(document(bravo, 1), on: 0x41)
      $0.wait(2)
      for (node, link) in [(alpha, UInt16(0x40)), (bravo, 0x41)] {
        let event = PeripheralEvent(type: EventType(rawValue: 1), time: $0.now - 10_000)
        $0.notify(
          document(node, 2, peripheral: peripheral(node, event: event)),
          on: link)
      }
    }
    #expect(run.codes.count { $0 == .clockSkew } == 2)
    _ = run.report.blameRecorders()
    #expect(!run.codes.contains(.clockSkew))
    #expect(run.report.items.count { $0.code == .recorderClock && $0.node == nil } == 1)
    var single = try FindingRun { $0.stamp(secondsAgo: 10) }
    _ = single.report.blameRecorders()
    #expect(single.codes.contains(.clockSkew))
  }

  @Test func `every code has its example`() {
    let covered = Set(FindingCase.all.map(\.code))
      .union(FindingEngineTests.lowCodes).union(FindingEngineTests.storyCodes)
    // Those of a mesh have theirs in captures (`MeshCaptureTests`).
    let own = FindingCode.allCases.filter {
      !$0.rawValue.hasPrefix("mesh-") || $0 == .meshMismatch
    }
    #expect(Set(own).subtracting(covered).isEmpty)
  }

  @Test func `every notice of the layers below has a code`() {
    for code in Notice.Code.allCases {
      #expect(FindingCode(rawValue: code.rawValue) != nil, "\(code)")
    }
  }

  @Test func `a sound conversation has no finding`() throws {
    let run = try FindingRun {
      $0.converse(alphaKnows: [alpha: 1, bravo: 1])
      $0.disconnect()
    }
    #expect(run.report.items.map(\.message) == [])
  }

  @Test func `findings of one code and node are one item with all frames`() throws {
    let run = try FindingRun {
      $0.tell((0..<3).map { _ in document(NodeID(rawValue: 0), 1) })
    }
    let item = try #require(run.report.items.first { $0.code == .nodeZero })
    #expect(item.count == 3)
    #expect(item.frames == run.rows.map(\.value.frame))
  }

  @Test func `a node that begins anew is not said to lose counts`() throws {
    let run = try FindingRun {
      $0.tell([document(alpha, 50, [alpha: 5, bravo: 7]), document(alpha, 1)])
    }
    #expect(!run.codes.contains(.counterRegression))
  }

  @Test func `an Android document between others clears no emergency`() throws {
    // protocol.md 9.3: version 1, a peripheral of 47 bytes, which only Android writes.
    var body = [UInt8](repeating: 0, count: 47)
    body.replaceSubrange(0..<4, with: [0xA1, 0xA1, 0xA1, 0xA1])
    body[26] = 1
    let android = document(alpha, 1) + [0xAB, 0, 47, 0] + body
    let run = try FindingRun {
      $0.tell([
        document(alpha, 5, emergency: emergency(bravo)), android,
        document(alpha, 6, emergency: emergency(bravo)),
      ])
    }
    #expect(run.rows[1].document?.kotlin != nil)
    #expect(!run.codes.contains(.emergencyReturned))
    #expect(!run.codes.contains(.nodeRestart))
  }

  @Test func `what a flood of nodes makes the engine remember is bounded`() throws {
    let run = try FindingRun { builder in
      builder.open()
      for node: UInt32 in 1...6000 {
        builder.notify(document(NodeID(rawValue: node), 1, [NodeID(rawValue: node): 1]))
      }
    }
    #expect(run.rows.count == 6000)
  }

  @Test func `the table has words for every code`() {
    for code in FindingCode.allCases {
      let entry = FindingTable.entry(of: code)
      #expect(!entry.text.isEmpty && !entry.text.hasSuffix("."), "\(code)")
      #expect(entry.advice.hasSuffix("."), "\(code)")
      #expect(!entry.rule.isEmpty, "\(code)")
    }
  }

  @Test func `codes are lower-case words and none occurs twice`() {
    let codes = FindingCode.allCases.map(\.rawValue)
    #expect(Set(codes).count == codes.count)
    for code in codes {
      #expect(code.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" }, "\(code)")
    }
  }
}
