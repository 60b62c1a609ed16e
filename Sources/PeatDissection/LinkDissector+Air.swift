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
  var chains = AdvertisingChains()
  /// The first packet behind a header that is not known.
  var firstUnknown: (frame: Int, time: Timestamp?)?
  /// The first packet whose length is not as its header says.
  var firstUnreadable: (frame: Int, time: Timestamp?)?
}

extension LinkDissector {
  /// Takes a packet from the air, behind whatever header its link type has (formats.md 7).
  mutating func processAir(_ record: borrowing RecordView) {
    var reader = ByteReader(record.payload, base: record.fileOffset, layer: .linkLayer)
    let radio: RadioInformation
    let layout: LinkLayerPacket.Layout
    do throws(DecodeError) {
      switch record.content {
      case .linkLayer256:
        radio = try RadioInformation(header256: &reader)
        layout = radio.layout
      case .nordic272, .nordic157:
        let header = try NordicHeader(&reader)
        radio = header.radio
        layout = header.layout
      case .command, .event, .acl, .sco, .iso, .linkLayer251, .monitorNote, .other:
        radio = RadioInformation()
        layout = radio.layout
      }
    } catch {
      air.statistics.unknownHeaders += 1
      if air.firstUnknown == nil { air.firstUnknown = (frame, time) }
      return
    }
    do throws(DecodeError) {
      let packet = try LinkLayerPacket(&reader, layout: layout)
      let isCut = record.originalLength > record.payload.byteCount
      guard isCut || packet.payload.byteCount == packet.length else {
        countUnreadable()
        return
      }
      if packet.isAdvertising {
        heardAdvertising(packet, radio, adapter: record.adapter)
      } else if radio.traffic != .advertisingOrData {
        air.statistics.packets += 1
        air.statistics.otherTraffic += 1
      } else {
        heardLink(packet, radio, adapter: record.adapter)
      }
    } catch {
      countUnreadable()
    }
  }

  private mutating func countUnreadable() {
    air.statistics.unreadable += 1
    if air.firstUnreadable == nil { air.firstUnreadable = (frame, time) }
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
        let report = heard.report(rssi: radio.rssi.map { Int($0) })
        advertisers.add(report, adapter: adapter, time: time, frame: frame)
        if options.wanted.contains(.mesh) { take(meshOf: report, adapter: adapter) }
      case .extended(let part):
        if let heard = air.chains.take(part, channel: radio.channel, adapter: adapter) {
          advertisers.add(heard, rssi: radio.rssi.map { Int($0) }, time: time, frame: frame)
        }
      case .connectionRequest(let request):
        air.follower.begin(request, adapter: adapter, frame: frame, time: time)
        if let old = index[adapter: adapter, accessAddress: request.accessAddress] {
          close(old, end: .replaced)
        }
      case .directed, .scanRequest, .other: break
      }
    } catch {
      countUnreadable()
    }
  }

  /// A packet of a link. Those that had to wait for it are followed now, each as at its own place.
  private mutating func heardLink(
    _ packet: borrowing LinkLayerPacket, _ radio: RadioInformation, adapter: Int
  ) {
    defer { noteUnreadableLinks(all: false) }
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
    case .reserved: air.statistics.reserved += 1
    case .unreadable(let isEncrypted):
      air.statistics.unreadablePayloads += 1
      if isEncrypted { markEncrypted(adapter: adapter, accessAddress) }
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
    case .encrypted: markEncrypted(adapter: adapter, accessAddress)
    case .data(let role, let isStart, let isGuessed, let trailer):
      guard let slot = airSlot(adapter: adapter, accessAddress) else { return }
      let sender: Side = role == .central ? .local : .peer
      if options.countsHandles {
        notePacket(slot)
        if let rssi = radio.rssi { noteSignal(slot, Int(rssi)) }
      }
      let length = max(0, packet.length - trailer)
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

  private mutating func markEncrypted(adapter: Int, _ accessAddress: UInt32) {
    guard let slot = airSlot(adapter: adapter, accessAddress), !connections[slot].isEncrypted
    else { return }
    noteEncryption(slot, isOn: true)
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

  /// Tells of links that are encrypted how much of them could not be read: of those that are over,
  /// or of all.
  mutating func noteUnreadableLinks(all: Bool) {
    let found = air.follower.takeUnreadable(all: all)
    for link in found.first {
      noteAir(
        .encryptedLink, (link.firstFrame, link.firstTime),
        "the link \(LinkDissector.name(link.accessAddress)) is encrypted, and "
          + "\(AirText.count(link.packets, "packet")) of it cannot be read from the air; record the "
          + "HCI of one of its devices instead")
    }
    let more = found.count - found.first.count
    if more > 0 {
      note(
        .encryptedLink,
        "\(more) more \(more == 1 ? "link is" : "links are") encrypted and cannot be read from the air"
      )
    }
  }

  private static func name(_ accessAddress: UInt32) -> String {
    let digits = String(accessAddress, radix: 16, uppercase: true)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }

  /// No further packet comes: says what was left out of the whole file.
  mutating func concludeAir() {
    noteUnreadableLinks(all: true)
    air.follower.finish()
    air.statistics.strays = air.follower.strayPackets
    air.statistics.packets += air.statistics.strays
    air.statistics.namelessParts = air.chains.nameless
    (air.statistics.unfollowed, air.statistics.unfollowedCount) = air.follower.unfollowedRequests
    if let first = air.firstInvalid {
      let count = air.statistics.invalidChecks
      let subject =
        count == 1 ? "1 packet with a bad CRC was" : "\(count) packets with a bad CRC were"
      noteAir(.badCRC, first, "\(subject) left out, of \(air.statistics.packets) from the air")
    }
    if let first = air.firstUnknown {
      noteAir(
        .unreadableAirHeader, first,
        "\(AirText.subject(air.statistics.unknownHeaders)) no header of a sniffer that is known "
          + "here; save the capture anew with a current version of the sniffer, "
          + "or export it with link type 251 or 256")
    }
    if let first = air.firstUnreadable {
      noteAir(
        .airLengthFault, first,
        "\(AirText.subject(air.statistics.unreadable)) another length than the header of the "
          + "link-layer packet says, and nothing of it is used")
    }
    noteUnfollowed()
  }

  private mutating func noteUnfollowed() {
    guard let first = air.statistics.unfollowed.first else { return }
    let count = air.statistics.unfollowedCount
    let named = air.statistics.unfollowed.prefix(4).map {
      "\($0.request.initiator) to \($0.request.advertiser)"
    }
    var text = count == 1 ? "a connection was asked for" : "\(count) connections were asked for"
    text += " and not followed by the sniffer, which heard no packet of "
    text += count == 1 ? "it: " : "them: "
    text += named.joined(separator: ", ")
    if count > named.count { text += " and \(count - named.count) more" }
    noteAir(.connectionNotFollowed, (first.frame, first.time), text)
  }

  private mutating func noteAir(
    _ code: Notice.Code, _ place: (frame: Int, time: Timestamp?), _ text: String
  ) {
    guard !isSecondReading else { return }
    notices.append(Notice(code: code, frame: place.frame, time: place.time, text: text))
  }
}

/// Parts of sentences on packets from the air.
private enum AirText {
  static func count(_ number: Int, _ what: String) -> String {
    "\(number) \(what)\(number == 1 ? "" : "s")"
  }

  static func subject(_ packets: Int) -> String {
    "\(count(packets, "packet")) \(packets == 1 ? "has" : "have")"
  }
}
