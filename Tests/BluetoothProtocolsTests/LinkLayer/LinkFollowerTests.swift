import BluetoothProtocols
import Testing
import WireBytes

struct LinkFollowerTests {
  private let link = AirLink()
  private let value: [UInt8] = [4, 0, 4, 0, 0x1B, 0x10, 0, 7]
  private let other: [UInt8] = [4, 0, 4, 0, 0x1B, 0x10, 0, 8]

  private func data(_ sender: LinkRole, isStart: Bool = true) -> LinkFollower.Step {
    .data(sender: sender, isStart: isStart, isGuessed: true)
  }

  @Test("CONNECT_IND names addresses, start value and timing")
  func request() throws {
    var listener = Listener()
    _ = try listener.hear(link.connectionRequest)
    let request = try #require(listener.follower.request(for: AirLink.accessAddress))
    #expect(request.initiator.description == "C6:05:04:03:02:01")
    #expect(request.advertiser.description == "CF:0E:0D:0C:0B:0A")
    #expect(request.initiatorType == .random && request.advertiserType == .random)
    #expect(request.crcInitial == link.initial && request.interval == 24 && request.hop == 7)
    #expect(request.timeout == 300 && request.channelMap == 0x1F_FFFF_FFFF)
  }

  @Test("a repeated PDU and empty ones bring nothing, the next one does")
  func repeated() throws {
    var listener = Listener()
    _ = try listener.hear(link.connectionRequest)
    #expect(try listener.hear(link.packet(1, sequence: 0, expected: 0)) == .passedOver)
    #expect(try listener.hear(link.packet(2, sequence: 1, expected: 1, value)) == data(.central))
    // Not acknowledged: again, with other NESN and MD bits or not.
    #expect(try listener.hear(link.packet(2, sequence: 1, expected: 1, value)) == .passedOver)
    #expect(try listener.hear(link.packet(2, sequence: 0, expected: 0, value)) == data(.central))
    #expect(try listener.hear(link.packet(1, sequence: 1, expected: 1)) == .passedOver)
    #expect(
      try listener.hear(link.packet(1, sequence: 0, expected: 0, [1]))
        == data(.central, isStart: false))
  }

  @Test("a PDU behind one that was not heard is no repeated one")
  func unheard() throws {
    var listener = Listener()
    _ = try listener.hear(link.connectionRequest)
    #expect(try listener.hear(link.packet(2, sequence: 0, expected: 0, value)) == data(.central))
    #expect(try listener.hear(link.packet(2, sequence: 0, expected: 0, other)) == data(.central))
  }

  @Test("both ends have sequence numbers of their own")
  func ends() throws {
    var listener = Listener()
    _ = try listener.hear(link.connectionRequest)
    #expect(try listener.hear(link.packet(2, sequence: 0, expected: 0, value)) == data(.central))
    let answer = link.packet(2, sequence: 0, expected: 1, value)
    #expect(try listener.hear(answer, after: 310_000) == data(.peripheral))
  }

  @Test("an end that does not acknowledge turns the bits round, and timing says so")
  func turnedBits() throws {
    var listener = Listener()
    _ = try listener.hear(link.connectionRequest)
    #expect(try listener.hear(link.packet(1, sequence: 0, expected: 0)) == .passedOver)
    // 230 us + 8 us for each of two bytes after an empty PDU: this is the peripheral's.
    let answer = link.packet(2, sequence: 0, expected: 0, value)
    #expect(try listener.hear(answer, after: 246_000) == data(.peripheral))
    #expect(try listener.hear(link.packet(2, sequence: 0, expected: 1, other)) == data(.central))
  }

  @Test("what the receiver says of the sender is taken")
  func receiverKnows() throws {
    var listener = Listener()
    let radio = RadioInformation(check: .valid, sender: .peripheral)
    let packet = link.packet(2, sequence: 0, expected: 0, value)
    #expect(
      try listener.hear(packet, radio: radio)
        == .data(sender: .peripheral, isStart: true, isGuessed: false))
  }

  @Test("a wrong check is told, by the receiver or by the start value")
  func wrongCheck() throws {
    var listener = Listener()
    _ = try listener.hear(link.connectionRequest)
    var packet = link.packet(2, sequence: 0, expected: 0, value)
    packet[8] ^= 0x10
    #expect(try listener.hear(packet) == .invalidCheck)
    packet[8] ^= 0x10
    #expect(try listener.hear(packet, radio: RadioInformation(check: .invalid)) == .invalidCheck)
    #expect(try listener.hear(packet) == data(.central))
  }

  @Test("a link without CONNECT_IND is followed from its first packet, a damaged one left out")
  func noRequest() throws {
    var listener = Listener()
    var damaged = link.packet(2, sequence: 0, expected: 0, other)
    damaged[9] ^= 1
    #expect(try listener.hear(damaged) == .held)
    #expect(try listener.hear(link.packet(2, sequence: 0, expected: 0, value)) == .held)
    #expect(try listener.hear(link.packet(2, sequence: 0, expected: 0, value)) == .held)
    #expect(try listener.hear(link.packet(1, sequence: 1, expected: 1)) == .confirmed)
    #expect(
      listener.hearHeld() == [.invalidCheck, data(.central), .passedOver, .passedOver])
    #expect(try listener.hear(link.packet(2, sequence: 0, expected: 0, other)) == data(.central))
    #expect(try listener.hear(damaged) == .invalidCheck)
  }

  @Test("cipher text behind LL_START_ENC_REQ is counted, and the start is said once")
  func encrypted() throws {
    var listener = Listener()
    _ = try listener.hear(link.connectionRequest)
    let request = link.packet(3, sequence: 0, expected: 0, [3] + [UInt8](repeating: 9, count: 22))
    #expect(try listener.hear(request) == .passedOver)
    // What was still to be sent may come before.
    #expect(try listener.hear(link.packet(2, sequence: 1, expected: 1, value)) == data(.central))
    let start = link.packet(3, sequence: 0, expected: 1, [5])
    #expect(try listener.hear(start) == .encrypted)
    #expect(try listener.hear(start) == .passedOver)
    let unreadable = LinkFollower.Step.unreadable(isEncrypted: true)
    let cipher = value.map { $0 ^ 0xA5 } + [1, 2, 3, 4]
    #expect(
      try listener.hear(link.packet(3, sequence: 0, expected: 0, [6, 1, 2, 3, 4])) == unreadable)
    #expect(try listener.hear(link.packet(2, sequence: 1, expected: 0, cipher)) == unreadable)
    #expect(try listener.hear(link.packet(2, sequence: 1, expected: 0, cipher)) == .passedOver)
    #expect(try listener.hear(link.packet(1, sequence: 0, expected: 0, cipher)) == unreadable)
    let told = listener.follower.takeUnreadable(all: true)
    #expect(told.count == 1 && told.first.map(\.packets) == [3] && told.first[0].firstFrame == 6)
  }

  @Test("plain L2CAP behind LL_START_ENC_REQ is read, whatever the container says of it")
  func decrypted() throws {
    for trailer in [[], [9, 9, 9, 9]] as [[UInt8]] {
      var listener = Listener()
      _ = try listener.hear(link.connectionRequest)
      #expect(try listener.hear(link.packet(3, sequence: 0, expected: 1, [5])) == .encrypted)
      let read = LinkFollower.Step.data(
        sender: .central, isStart: true, isGuessed: true, trailer: trailer.count)
      #expect(try listener.hear(link.packet(2, sequence: 0, expected: 0, value + trailer)) == read)
      // A longer packet, in two parts.
      let part: [UInt8] = [20, 0, 4, 0, 0x52, 0x12, 0, 1]
      #expect(try listener.hear(link.packet(2, sequence: 1, expected: 1, part + trailer)) == read)
      let rest = [UInt8](repeating: 7, count: 16) + trailer
      #expect(
        try listener.hear(link.packet(1, sequence: 0, expected: 0, rest))
          == .data(sender: .central, isStart: false, isGuessed: true, trailer: trailer.count))
      #expect(
        try listener.hear(link.packet(1, sequence: 1, expected: 1, rest))
          == .unreadable(isEncrypted: true))
    }
  }

  @Test("who decrypts may leave the check of the cipher text, or zeros")
  func staleChecks() throws {
    for check in [[0, 0, 0], [1, 2, 3]] as [[UInt8]] {
      var listener = Listener()
      _ = try listener.hear(link.connectionRequest)
      let stale = link.packet(2, sequence: 1, expected: 1, value).dropLast(3) + check
      #expect(try listener.hear(Array(stale)) == .invalidCheck)
      _ = try listener.hear(link.packet(3, sequence: 0, expected: 0, [5]))
      #expect(try listener.hear(Array(stale)) == data(.central))
    }
  }

  @Test("a refused encryption leaves the link readable")
  func refusedEncryption() throws {
    var listener = Listener()
    _ = try listener.hear(link.connectionRequest)
    let request = link.packet(3, sequence: 0, expected: 0, [3] + [UInt8](repeating: 9, count: 22))
    _ = try listener.hear(request)
    _ = try listener.hear(link.packet(3, sequence: 0, expected: 1, [0x0D, 6]))
    #expect(try listener.hear(link.packet(2, sequence: 1, expected: 1, value)) == data(.central))
  }

  @Test("a link that was encrypted before the capture began is recognised")
  func encryptedBefore() throws {
    var listener = Listener()
    let radio = RadioInformation(check: .valid, sender: .central)
    var steps: [LinkFollower.Step] = []
    for index in 0..<6 {
      let noise = (0..<20).map { UInt8(truncatingIfNeeded: 0x91 &+ $0 &* 37 &+ index &* 11) }
      let packet = link.packet(2, sequence: UInt8(index & 1), expected: 0, noise)
      steps.append(try listener.hear(packet, radio: radio))
      if index == 1 { steps += listener.hearHeld() }
    }
    #expect(steps.prefix(2) == [.held, .confirmed])
    let clear = LinkFollower.Step.unreadable(isEncrypted: false)
    let encrypted = LinkFollower.Step.unreadable(isEncrypted: true)
    #expect(steps.dropFirst(2) == [clear, clear, clear, encrypted, encrypted, encrypted])
  }

  @Test("LL_TERMINATE_IND ends a link, and only CONNECT_IND begins it again")
  func terminated() throws {
    var listener = Listener()
    _ = try listener.hear(link.connectionRequest)
    let end = link.packet(3, sequence: 0, expected: 0, [2, 0x13])
    #expect(try listener.hear(end) == .ended(reason: 0x13, by: .central))
    #expect(try listener.hear(end) == .passedOver)
    #expect(try listener.hear(link.packet(2, sequence: 1, expected: 1, value)) == .passedOver)
    _ = try listener.hear(link.connectionRequest)
    #expect(try listener.hear(link.packet(2, sequence: 0, expected: 0, value)) == data(.central))
  }

  @Test("more links than are followed are turned away, and ended ones make room")
  func limit() throws {
    var follower = LinkFollower()
    let radio = RadioInformation(check: .valid, sender: .central)
    func step(_ number: Int, _ pdu: [UInt8]) throws -> LinkFollower.Step {
      let address = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
      let bytes = address + pdu + [0, 0, 0]
      var reader = ByteReader(bytes.rawBytes, layer: .linkLayer)
      return follower.follow(
        try LinkLayerPacket(&reader), radio, adapter: 0, frame: number, time: nil)
    }
    func tell(_ number: Int) throws -> LinkFollower.Step { try step(number, [2, 8] + value) }
    let read = LinkFollower.Step.data(sender: .central, isStart: true, isGuessed: false)
    for number in 1...LinkFollower.linkLimit { #expect(try tell(number) == read) }
    #expect(try tell(70_000) == .overLimit)
    #expect(try step(5, [3, 2, 2, 0x13]) == .ended(reason: 0x13, by: .central))
    #expect(try tell(70_000) == read)
  }

  @Test("links that have ended make room for new ones, one by one, and no others do")
  func endedLinks() throws {
    var follower = LinkFollower()
    var radio = RadioInformation()
    radio.check = .valid
    func follow(_ number: Int, _ pdu: [UInt8]) throws -> LinkFollower.Step {
      let address = (0..<4).map { UInt8(truncatingIfNeeded: (0x5000_0000 + number) >> (8 * $0)) }
      let bytes = address + AirLink.checked([pdu[0]], Array(pdu.dropFirst()), 0)
      var reader = ByteReader(bytes.rawBytes, layer: .linkLayer)
      return follower.follow(
        try LinkLayerPacket(&reader), radio, adapter: 0, frame: 1,
        time: Timestamp(nanoseconds: 1))
    }
    for number in 0..<LinkFollower.linkLimit {
      #expect(try follow(number, [2] + value) != .overLimit)
    }
    #expect(try follow(-1, [2] + value) == .overLimit)
    // LL_TERMINATE_IND of every other link.
    for number in 0..<2048 {
      #expect(try follow(2 * number, [3, 2, 0x13]) == .ended(reason: 0x13, by: .central))
    }
    for number in 0..<2048 { #expect(try follow(-2 - number, [2] + value) != .overLimit) }
    #expect(try follow(-3000, [2] + value) == .overLimit)
    #expect(try follow(1, [2, 0, 0] + other) != .overLimit)
  }

  @Test("a single packet makes no link, but for one that holds a whole L2CAP packet")
  func strays() throws {
    var listener = Listener()
    let radio = RadioInformation(check: .valid, sender: .central)
    let noise = link.packet(2, sequence: 0, expected: 0, [1, 2, 3, 4, 5, 6])
    #expect(try listener.hear(noise, radio: radio) == .held)
    #expect(listener.follower.strayPackets == 1)
    #expect(
      try listener.hear(link.packet(2, sequence: 0, expected: 0, value), radio: radio)
        == .data(sender: .central, isStart: true, isGuessed: false))
  }

  @Test("requests of which nothing was heard are told, with both addresses")
  func unfollowed() throws {
    var listener = Listener()
    _ = try listener.hear(link.connectionRequest)
    _ = try listener.hear(link.packet(1, sequence: 0, expected: 0))
    _ = try listener.hear(link.connectionRequest)
    listener.follower.finish()
    let found = listener.follower.unfollowedRequests
    #expect(found.count == 1 && found.first.map(\.frame) == [3])
    #expect(found.first[0].request.initiator.description == "C6:05:04:03:02:01")
    #expect(found.first[0].request.advertiser.description == "CF:0E:0D:0C:0B:0A")
  }

  @Test("a link with the access address of one that has ended is followed, its beginning unheard")
  func reconnected() throws {
    var listener = Listener()
    _ = try listener.hear(link.connectionRequest)
    #expect(
      try listener.hear(link.packet(3, sequence: 0, expected: 0, [2, 0x13]))
        == .ended(reason: 0x13, by: .central))
    #expect(try listener.hear(link.packet(2, sequence: 1, expected: 1, value)) == .passedOver)
    let later = AirLink(initial: 0x65_4321)
    let first = later.packet(2, sequence: 0, expected: 0, value)
    #expect(try listener.hear(first, after: 5_000_000_000) == .held)
    #expect(try listener.hear(later.packet(2, sequence: 1, expected: 1, other)) == .confirmed)
    #expect(listener.hearHeld() == [data(.central), data(.central)])
    #expect(listener.follower.request(for: AirLink.accessAddress) == nil)
  }
}
