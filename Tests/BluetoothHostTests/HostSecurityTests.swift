import BluetoothProtocols
import Testing

@testable import BluetoothHost

/// Pairing, private addresses and PHYs, with a controller that the test plays by hand. Its
/// encryption gives each block back as it is, so that what is encrypted can be seen.
@Suite struct HostSecurityTests {
  /// A host and its controller; every command is answered at once.
  private struct Rig {
    var host: Host
    var commands: [HCIPacket] = []
    var frames: [[UInt8]] = []
    private static let features: [UInt8] = [0x20, 0x01, 0, 0, 0, 0, 0, 0]
    /// What the controller leaves without an answer.
    private let unanswered: Set<HCIOpcode>
    /// Octet 27 of the supported commands.
    private let encryptionCommands: UInt8

    init(
      pairing: PairingPolicy = .none, privacy: AddressPrivacy? = nil,
      unanswered: Set<HCIOpcode> = [], encryptionCommands: UInt8 = 0xC0
    ) {
      self.unanswered = unanswered
      self.encryptionCommands = encryptionCommands
      let search = CharacteristicSearch(rank: { _ in nil }, use: { _, _ in [] })
      var configuration = HostConfiguration(
        search: search, database: AttributeDatabase(deviceName: "X"))
      configuration.pairing = pairing
      configuration.privacy = privacy
      host = Host(configuration)
      host.start(now: 0)
      serve(now: 0)
    }

    mutating func serve(now: UInt64) {
      while true {
        let output = host.takeOutput()
        if output.isEmpty { return }
        for packet in output {
          guard packet.type == .command else {
            frames.append(Array(packet.bytes[6...]))
            host.receive(.event(0x13, [1, 1, 0, 1, 0]), now: now)
            continue
          }
          commands.append(packet)
          answer(packet, now: now)
        }
      }
    }

    private mutating func answer(_ packet: HCIPacket, now: UInt64) {
      let opcode = Array(packet.bytes[0..<2])
      let known = HCIOpcode(rawValue: UInt16(opcode[0]) | UInt16(opcode[1]) << 8)
      if unanswered.contains(known) { return }
      if known.isAnsweredByStatus {
        host.receive(.event(0x0F, [0, 1] + opcode), now: now)
        return
      }
      let result: [UInt8] =
        switch known {
        case .leReadBufferSize: [27, 0, 8]
        case .readAddress: [1, 2, 3, 4, 5, 6]
        case .leReadFeatures: Rig.features
        case .readSupportedCommands:
          [UInt8](repeating: 0, count: 27) + [encryptionCommands]
            + [UInt8](repeating: 0, count: 36)
        case .leRand: [1, 2, 3, 4, 5, 6, 7, 8]
        case .leEncrypt: Array(packet.bytes[19...])
        default: []
        }
      host.receive(.event(0x0E, [1] + opcode + [0] + result), now: now)
    }

    mutating func link(isCentral: Bool) {
      host.receive(
        .event(
          0x3E,
          [1, 0, 1, 0, isCentral ? 0 : 1, 1, 9, 9, 9, 9, 9, 0xC9, 24, 0, 0, 0, 0x90, 1, 0]),
        now: 1)
      serve(now: 1)
    }

    mutating func security(_ payload: [UInt8]) {
      host.receive(
        .acl(
          handle: 1, boundary: .firstFlushable,
          L2CAPEncoder.frame(channel: L2CAPChannel.security, payload)[...]), now: 2)
      serve(now: 2)
    }
  }

  @Test("a controller without encryption refuses pairing, and fails where addresses need it")
  func noEncryption() {
    // Bit 7 alone: LE Rand without LE Encrypt (Core Specification Vol 4 Part E, 6.27).
    for octet in [0x00, 0x40, 0x80] as [UInt8] {
      var pairing = Rig(pairing: .justWorks, encryptionCommands: octet)
      let refusal = HostEvent.refused(
        "pairing, as not supported: the controller has no LE Encrypt or LE Rand command")
      #expect(pairing.host.takeEvents().contains(refusal))
      pairing.link(isCentral: false)
      pairing.security(HostSecurityTests.request)
      #expect(pairing.frames == [[6, 0, 0x05, 0x05]])
      var privacy = Rig(
        privacy: AddressPrivacy(resolvingKey: [UInt8](repeating: 1, count: 16)),
        encryptionCommands: octet)
      #expect(privacy.host.takeEvents() == [.failed(.noEncryption)])
    }
  }

  @Test("a controller that lists encryption and never answers it is done without after 2 s")
  func silentEncryption() {
    var pairing = Rig(pairing: .justWorks, unanswered: [.leEncrypt])
    pairing.host.tick(now: 1_999)
    #expect(pairing.host.phase == .starting)
    pairing.host.tick(now: 2_000)
    pairing.serve(now: 2_000)
    #expect(pairing.host.phase == .running)
    pairing.link(isCentral: false)
    pairing.security(HostSecurityTests.request)
    #expect(pairing.frames == [[6, 0, 0x05, 0x05]])
    var privacy = Rig(
      privacy: AddressPrivacy(resolvingKey: [UInt8](repeating: 1, count: 16)),
      unanswered: [.leEncrypt])
    privacy.host.tick(now: 2_000)
    #expect(privacy.host.takeEvents().last == .failed(.noEncryption))
  }

  @Test("a command that can be done without and is not answered is not sent again")
  func silentPHY() {
    var rig = Rig(unanswered: [.leSetPHY])
    // Remote features (subevent 4): data length and LE 2M.
    let features = HCIPacket.event(0x3E, [4, 0, 1, 0, 0x20, 1, 0, 0, 0, 0, 0, 0])
    rig.link(isCentral: true)
    for round in 0..<3 as Range<UInt64> {
      rig.host.receive(features, now: 10 + 3_000 * round)
      rig.serve(now: 10 + 3_000 * round)
      rig.host.tick(now: 2_010 + 3_000 * round)
      rig.serve(now: 2_010 + 3_000 * round)
    }
    #expect(rig.host.phase == .running)
    #expect(rig.host.isQuiet)
    let phy = HCIPacket.command(.leSetPHY, [1, 0, 0, 2, 2, 0, 0])
    #expect(rig.commands.count { $0 == phy } == 1)
    #expect(rig.commands.count { $0.bytes.starts(with: [0x22, 0x20]) } == 3)
  }

  private static let request: [UInt8] = [1, 3, 0, 1, 16, 7, 7]
  private static let response: [UInt8] = [2, 3, 0, 0, 16, 0, 0]

  @Test("the blocks of c1 and s1 are those of the specification's samples")
  func blocks() {
    // Core Specification Vol 3 Part H, 2.2.3 and 2.2.4, least significant byte first.
    let pairing = LegacyPairing(
      isInitiator: true, request: [0x01, 0x01, 0, 0, 0x10, 0x07, 0x07],
      response: [0x02, 0x03, 0, 0, 0x08, 0, 0x05], now: 0)
    let zero = [UInt8](repeating: 0, count: 16)
    #expect(
      Array(pairing.innerBlock(zero, initiatorType: 1, responderType: 0).reversed()) == [
        0x05, 0x00, 0x08, 0x00, 0x00, 0x03, 0x02, 0x07, 0x07, 0x10, 0x00, 0x00, 0x01, 0x01, 0x00,
        0x01,
      ])
    #expect(
      Array(
        pairing.outerBlock(
          zero, initiator: [0xA6, 0xA5, 0xA4, 0xA3, 0xA2, 0xA1],
          responder: [0xB6, 0xB5, 0xB4, 0xB3, 0xB2, 0xB1]
        ).reversed()) == [
          0, 0, 0, 0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xB1, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6,
        ])
  }

  @Test("a peer that pairs is given the key of the pairing; one with a wrong value is refused")
  func responder() {
    for isHonest in [true, false] {
      var rig = Rig(pairing: .justWorks)
      rig.link(isCentral: false)
      rig.security(HostSecurityTests.request)
      #expect(rig.frames.last == [6, 0] + HostSecurityTests.response)
      // With an encryption that changes nothing, c1 is r XOR p1 XOR p2.
      let random = [UInt8](repeating: 0x5A, count: 16)
      let first = [1, 0] + HostSecurityTests.request + HostSecurityTests.response
      let second: [UInt8] = [1, 2, 3, 4, 5, 6, 9, 9, 9, 9, 9, 0xC9, 0, 0, 0, 0]
      let confirm = (0..<16).map { random[$0] ^ first[$0] ^ second[$0] }
      rig.security([3] + confirm)
      #expect(rig.frames.last?.prefix(3) == [6, 0, 3])
      rig.security([4] + (isHonest ? random : confirm))
      guard isHonest else {
        #expect(rig.frames.last == [6, 0, 5, 4])
        continue
      }
      let own: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
      #expect(rig.frames.last == [6, 0, 4] + own + own)
      rig.host.receive(
        .event(0x3E, [5, 1, 0] + [UInt8](repeating: 0, count: 10)), now: 3)
      rig.serve(now: 3)
      let key = [UInt8](repeating: 0x5A, count: 8) + own
      #expect(rig.commands.last == .command(.leLongTermKeyReply, [1, 0] + key))
      rig.host.receive(.event(0x08, [0, 1, 0, 1]), now: 4)
      #expect(rig.host.isEncrypted(1))
    }
  }

  @Test("a key that was never agreed is refused, and pairings without end too")
  func refusals() {
    var rig = Rig(pairing: .justWorks)
    rig.link(isCentral: false)
    rig.host.receive(.event(0x3E, [5, 1, 0] + [UInt8](repeating: 0, count: 10)), now: 2)
    rig.serve(now: 2)
    #expect(rig.commands.last == .command(.leLongTermKeyNegativeReply, [1, 0]))
    for _ in 0..<100 {
      rig.security(HostSecurityTests.request)
      rig.security([5, 8])
    }
    #expect(rig.frames.last == [6, 0, 5, 9])
    // One more at the start, which tries the command.
    #expect(rig.commands.count { $0.bytes.prefix(2) == [0x18, 0x20] } == 7)
  }

  @Test("a central pairs when its peer asks")
  func initiator() {
    var rig = Rig(pairing: .justWorks)
    rig.link(isCentral: true)
    rig.security([0x0B, 1])
    #expect(rig.frames.last == [6, 0, 1, 3, 0, 0, 16, 0, 0])
    rig.security([2, 3, 0, 0, 16, 0, 0])
    #expect(rig.frames.last?.prefix(3) == [6, 0, 3])
  }

  @Test("a private address changes on time, with the radio still")
  func privacy() {
    var rig = Rig(
      privacy: AddressPrivacy(resolvingKey: [UInt8](repeating: 1, count: 16), interval: 1_000))
    // 3 random bytes, the two top bits 01; then the block itself, which is its own hash here.
    #expect(rig.host.address == DeviceAddress(value: 0x430201_430201))
    rig.host.setAdvertising(true, now: 10)
    rig.host.setScanning(true, now: 10)
    rig.serve(now: 10)
    rig.commands = []
    rig.host.tick(now: 999)
    rig.serve(now: 999)
    #expect(rig.commands == [])
    rig.host.tick(now: 1_000)
    rig.serve(now: 1_000)
    let opcodes = rig.commands.map { UInt16($0.bytes[0]) | UInt16($0.bytes[1]) << 8 }
    // Rand, Encrypt, advertising off, scanning off, address, advertising on, scanning on.
    #expect(opcodes == [0x2018, 0x2017, 0x200A, 0x200C, 0x2005, 0x200A, 0x200C])
    #expect(rig.host.takeEvents().contains(.addressChanged(rig.host.address)))
  }

  @Test("the specification's sample of a resolvable address comes out")
  func hash() {
    // Vol 3 Part H, 2.2.2 sample: prand 708194 has the hash 0DFBAA.
    #expect(
      Host.privateAddress(seed: 0x708194, hash: [0xAA, 0xFB, 0x0D])
        == DeviceAddress(value: 0x7081_940D_FBAA))
  }

  @Test("2M and long packets are used where both ends can")
  func phy() {
    for (features, expected) in [(0x20 as UInt8, 1), (0, 0)] {
      var rig = Rig()
      rig.link(isCentral: true)
      #expect(rig.commands.last == .command(.leReadRemoteFeatures, [1, 0]))
      rig.commands = []
      rig.host.receive(
        .event(0x3E, [4, 0, 1, 0, features, UInt8(expected), 0, 0, 0, 0, 0, 0]), now: 2)
      rig.serve(now: 2)
      #expect(rig.commands.contains(.command(.leSetPHY, [1, 0, 0, 2, 2, 0, 0])) == (expected == 1))
      rig.host.receive(.event(0x3E, [0x0C, 0, 1, 0, 2, 2]), now: 3)
      rig.host.receive(.event(0x3E, [7, 1, 0, 251, 0, 0x48, 8, 251, 0, 0x48, 8]), now: 3)
      #expect(rig.host.radioParameters(of: 1).phy == (2, 2))
      #expect(rig.host.radioParameters(of: 1).dataLength == (251, 251))
    }
  }
}
