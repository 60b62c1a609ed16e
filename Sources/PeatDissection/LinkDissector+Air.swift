import BluetoothProtocols
import CaptureFormats
import WireBytes

/// What is known of the air, in a sniffer's capture.
struct AirState: Sendable {
  var follower = LinkFollower()
  var statistics = AirStatistics()
  /// The first packet with a wrong check.
  var firstInvalid: (frame: Int, time: Timestamp?)?
  var hasSaidLimit = false
  /// Packets of the user link type that do not read as the sniffer's.
  var unknownUserPackets = 0
  var firstUnknown: (frame: Int, time: Timestamp?)?
}

extension LinkDissector {
  /// Takes a packet from the air, behind whatever header its link type has (formats.md 7).
  mutating func processAir(_ record: borrowing RecordView) {
    var reader = ByteReader(record.payload, base: record.fileOffset, layer: .linkLayer)
    do throws(DecodeError) {
      var layout = LinkLayerPacket.Layout()
      let radio: RadioInformation
      switch record.content {
      case .linkLayer256: radio = try RadioInformation(header256: &reader)
      case .nordic272, .nordic157:
        let header = try NordicHeader(&reader)
        radio = header.radio
        layout = header.layout
      case .command, .event, .acl, .sco, .iso, .linkLayer251, .monitorNote, .other:
        radio = RadioInformation()
      }
      let packet = try LinkLayerPacket(&reader, layout: layout)
      let isCut = record.originalLength > record.payload.byteCount
      guard isCut || packet.payload.byteCount == packet.length else {
        countUnreadable(record.content)
        return
      }
      if packet.isAdvertising {
        heardAdvertising(packet, radio, adapter: record.adapter)
      } else {
        heardLink(packet, radio, adapter: record.adapter)
      }
    } catch {
      countUnreadable(record.content)
    }
  }

  private mutating func countUnreadable(_ content: RecordContent) {
    air.statistics.unreadable += 1
    guard content == .nordic157 || content == .nordic272 else { return }
    air.unknownUserPackets += 1
    if air.firstUnknown == nil { air.firstUnknown = (frame, time) }
  }

  private mutating func count(_ radio: RadioInformation, isValid: Bool) {
    air.statistics.count(
      channel: radio.channel, rssi: radio.rssi.map { Int($0) }, isValid: isValid)
    if !isValid && air.firstInvalid == nil { air.firstInvalid = (frame, time) }
  }

  /// A packet of the advertising channels: advertisers, and the links that begin.
  private mutating func heardAdvertising(
    _ packet: borrowing LinkLayerPacket, _ radio: RadioInformation, adapter: Int
  ) {
    let isValid: Bool
    switch radio.check {
    case .valid: isValid = true
    case .invalid: isValid = false
    case .unknown: isValid = packet.hasValidCheck(initial: CRC24.advertisingInitial) ?? true
    }
    count(radio, isValid: isValid)
    guard isValid else { return }
    do throws(DecodeError) {
      switch try AdvertisingPDU(packet) {
      case .advertisement(let heard):
        advertisers.add(
          heard.report(rssi: radio.rssi.map { Int($0) }), time: time, frame: frame)
      case .connectionRequest(let request):
        air.follower.begin(request, adapter: adapter)
        if let old = index[adapter: adapter, accessAddress: request.accessAddress] {
          close(old, end: .replaced)
        }
      case .directed, .scanRequest, .other: break
      }
    } catch {
      air.statistics.unreadable += 1
    }
  }

  /// A packet of a link. Those that had to wait for it are followed now, each as at its own place.
  private mutating func heardLink(
    _ packet: borrowing LinkLayerPacket, _ radio: RadioInformation, adapter: Int
  ) {
    let step = air.follower.follow(packet, radio, adapter: adapter, frame: frame, time: time)
    guard step == .confirmed else {
      if step != .held { take(step, packet, radio, adapter: adapter) }
      return
    }
    let now = (frame: frame, time: time)
    for held in air.follower.takeHeld() {
      frame = held.frame
      time = held.time
      let packet = LinkLayerPacket(held)
      let step = air.follower.follow(
        packet, held.radio, adapter: adapter, frame: frame, time: time)
      take(step, packet, held.radio, adapter: adapter)
    }
    (frame, time) = now
  }

  private mutating func take(
    _ step: LinkFollower.Step, _ packet: borrowing LinkLayerPacket, _ radio: RadioInformation,
    adapter: Int
  ) {
    count(radio, isValid: step != .invalidCheck)
    let accessAddress = packet.accessAddress
    switch step {
    case .passedOver, .invalidCheck, .held, .confirmed: break
    case .overLimit: noteLinkLimit()
    case .ended(let reason, let role):
      if let slot = index[adapter: adapter, accessAddress: accessAddress] {
        let side: Side = role == .central ? .local : .peer
        close(slot, end: LinkDissector.end(onAir: reason, by: side))
      }
    case .pace(let pace):
      if let slot = index[adapter: adapter, accessAddress: accessAddress] { notePace(slot, pace) }
    case .phy(let sent, let received):
      if let slot = index[adapter: adapter, accessAddress: accessAddress] {
        notePHY(slot, LinkPHY(sent: sent, received: received))
      }
    case .encrypted:
      noteEncryption(accessAddress)
      if let slot = airSlot(adapter: adapter, accessAddress) {
        noteEncryption(slot, isOn: true)
      }
    case .data(let role, let isStart, let isGuessed):
      guard let slot = airSlot(adapter: adapter, accessAddress) else { return }
      let sender: Side = role == .central ? .local : .peer
      if options.countsHandles {
        notePacket(slot)
        if let rssi = radio.rssi { noteSignal(slot, Int(rssi)) }
      }
      let length = LinkDissector.sentLength(packet, radio, isStart: isStart)
      let fragment = packet.payload.extracting(0..<min(length, packet.payload.byteCount))
      if isStart {
        start(
          slot, sender: sender, fragment: fragment, length: length, base: 0,
          isGuessed: isGuessed)
      } else {
        proceed(slot, sender: sender, fragment: fragment, length: length, isGuessed: isGuessed)
      }
    }
  }

  /// Bytes of L2CAP in a PDU: of a decrypted one the message integrity code may still be there,
  /// four bytes more than the packet that it starts announces (Vol 6 Part B, 2.4).
  private static func sentLength(
    _ packet: borrowing LinkLayerPacket, _ radio: RadioInformation, isStart: Bool
  ) -> Int {
    guard radio.isDecrypted, isStart else { return packet.length }
    var reader = ByteReader(packet.payload, layer: .l2cap)
    do throws(DecodeError) {
      let announced = Int(try reader.le16())
      return announced + 8 == packet.length ? packet.length - 4 : packet.length
    } catch {
      return packet.length
    }
  }

  /// The connection of a link from the air, made when its first data come.
  private mutating func airSlot(adapter: Int, _ accessAddress: UInt32) -> Int? {
    if let known = index[adapter: adapter, accessAddress: accessAddress] { return known }
    guard freeSlots.last != nil || connections.count < LinkDissector.connectionLimit else {
      noteLinkLimit()
      return nil
    }
    let request = air.follower.request(for: accessAddress)
    let link = Link(
      id: 0, adapter: adapter, connection: accessAddress, local: request?.initiator,
      peer: request?.advertiser, peerType: request?.advertiserType, role: nil, isFromAir: true)
    if let request {
      if request.advertiserType == .random {
        addresses.meet(request.advertiser, resolve: options.resolveAddress)
      }
      if request.initiatorType == .random {
        addresses.meet(request.initiator, resolve: options.resolveAddress)
      }
    }
    let slot = addConnection(link, isLE: true, wasSeenOpening: request != nil)
    let pace = request.map {
      ConnectionPace(interval: $0.interval, latency: $0.latency, timeout: $0.timeout)
    }
    if let slot {
      if let pace { facts.change(connections[slot].link.id) { $0.pace = pace } }
      if request != nil { tell(.connected(pace), of: slot) }
    }
    return slot
  }

  private mutating func noteLinkLimit() {
    guard !air.hasSaidLimit else { return }
    air.hasSaidLimit = true
    note(.connectionLimit, "more than \(LinkDissector.connectionLimit) links are open")
  }

  private mutating func noteEncryption(_ accessAddress: UInt32) {
    let digits = String(accessAddress, radix: 16, uppercase: true)
    let name = String(repeating: "0", count: 8 - digits.count) + digits
    note(
      .encryptedLink,
      "the link \(name) is encrypted from here on and cannot be read from the air; "
        + "record the HCI of one of its devices instead")
  }

  /// No further packet comes: says what was left out of the whole file.
  mutating func concludeAir() {
    if let first = air.firstInvalid {
      let count = air.statistics.invalidChecks
      let subject =
        count == 1 ? "1 packet with a bad CRC was" : "\(count) packets with a bad CRC were"
      noteAir(.badCRC, first, "\(subject) left out, of \(air.statistics.packets) from the air")
    }
    if let first = air.firstUnknown {
      let count = air.unknownUserPackets
      noteAir(
        .unreadableAirHeader, first,
        "\(count) packet\(count == 1 ? " has" : "s have") no header of Nordic's sniffer that is "
          + "known here; save the capture anew with a current version of the sniffer, "
          + "or export it with link type 251 or 256")
    }
  }

  private mutating func noteAir(
    _ code: Notice.Code, _ place: (frame: Int, time: Timestamp?), _ text: String
  ) {
    guard !isSecondReading else { return }
    notices.append(Notice(code: code, frame: place.frame, time: place.time, text: text))
  }
}
