package import BluetoothProtocols
import WireBytes

extension Host {
  /// Takes a packet of the controller.
  package mutating func receive(_ packet: HCIPacket, now: UInt64) {
    self.now = now
    guard phase != .failed, phase != .idle else { return }
    switch packet.type {
    case .event: receiveEvent(packet.bytes)
    case .acl: receiveData(packet.bytes)
    case .command, .synchronous, .isochronous: break
    }
    settle(now)
  }

  private mutating func receiveEvent(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes.rawBytes, layer: .hci)
    do throws(DecodeError) {
      switch try ControllerEvent(&reader) {
      case .commandComplete(let credits, let opcode, let result):
        let result = [UInt8](result)
        completed(
          opcode, credits: credits, status: result.first ?? 0, result: Array(result.dropFirst()))
      case .commandStatus(let status, let credits, let opcode):
        completed(opcode, credits: credits, status: status, result: [])
      case .connectionComplete(let status, let connection): opened(status, connection)
      case .disconnectionComplete(let status, let handle, let reason):
        if status == 0 {
          closed(handle, reason: reason)
        } else {
          links[handle]?.isClosing = false
        }
      case .completedPackets(var entries):
        while let handle = try? entries.le16(), let count = try? entries.le16() {
          giveBack(handle & 0x0FFF, Int(count))
        }
      case .advertising(var reports):
        while let report = try reports.next() { heard(report) }
      case .longTermKeyRequest(let handle, let random, let diversifier):
        answerKeyRequest(handle, isOfPairing: random == 0 && diversifier == 0)
      case .encryptionChanged(let status, let handle, let isOn):
        encryptionChanged(handle, isOn: status == 0 && isOn)
      case .remoteFeatures(let status, let handle, let features):
        if status == 0 { improve(handle, features: features & localFeatures) }
      case .dataLengthChanged(let handle, let sent, let received):
        links[handle]?.dataLength = (sent, received)
      case .phyUpdated(let status, let handle, let sent, let received):
        if status == 0 { links[handle]?.phy = (sent, received) }
      case .connectionParameterRequest(let handle, let wanted):
        answer(handle, wanted)
      case .advertisingSetTerminated: isAdvertising = false
      case .hardwareError(let code):
        fail(.hardware(code))
      case .other: break
      }
    } catch {
      events.append(.refused("malformed HCI event: \(error)"))
    }
  }

  private mutating func completed(
    _ opcode: HCIOpcode, credits: UInt8, status: UInt8, result: [UInt8]
  ) {
    guard let entry = commands.answered(opcode, credits: credits) else { return }
    conclude(entry, status: status, result: result)
  }

  /// Goes on without the answer to a command where that can be done; else the controller is of no
  /// use.
  mutating func missAnswer(to entry: CommandQueue.Entry) {
    guard entry.opcode.isDispensable else {
      return fail(
        .silent(entry.opcode, seconds: CommandQueue.timeout(of: entry.opcode) / 1_000))
    }
    commands.giveUp()
    if entry.opcode == .leRand || entry.opcode == .leEncrypt {
      hasEncryption = false
    } else {
      unanswered.insert(entry.opcode)
    }
    events.append(
      .refused("the controller does not answer command \(entry.opcode.text): done without"))
    // 01: unknown HCI command.
    conclude(entry, status: 0x01, result: [])
  }

  private mutating func conclude(
    _ entry: CommandQueue.Entry, status: UInt8, result: [UInt8]
  ) {
    let opcode = entry.opcode
    if phase == .starting {
      advanceStartup(opcode, status: status, result: result)
    } else if opcode == .leRand || opcode == .leEncrypt {
      computed(status == 0 ? result : nil)
    } else if opcode.isRadio {
      radioAnswered(entry, status: status)
    } else if opcode == .disconnect, status != 0, entry.parameters.count >= 2 {
      // The link is gone already, or will go by itself.
      let handle = UInt16(entry.parameters[0]) | UInt16(entry.parameters[1]) << 8
      if status == 0x02 { closed(handle, reason: 0x16) }
    }
  }

  private mutating func heard(_ report: borrowing AdvertisingReport) {
    guard report.status == .complete else { return }
    events.append(
      .heard(
        Advertisement(
          address: report.address, addressType: report.addressType, rssi: report.rssi,
          isConnectable: report.isConnectable, isScanResponse: report.isScanResponse,
          data: [UInt8](report.data))))
  }

  private mutating func opened(_ status: UInt8, _ opened: ConnectionOpened) {
    let isCentral = opened.isCentral ?? true
    let attempt = isCentral ? connecting : nil
    if isCentral {
      connecting = nil
    } else {
      // A connection ends advertising (Core Specification Vol 4 Part E, 7.8.9).
      isAdvertising = false
    }
    guard status == 0 else {
      if let attempt {
        noteFull(status: status)
        events.append(.connectionFailed(peer: attempt.address, status: status))
      }
      return
    }
    if links[opened.handle] != nil { closed(opened.handle, reason: 0x1F) }
    links[opened.handle] = HostLink(
      handle: opened.handle, isCentral: isCentral, peer: opened.peer, peerType: opened.peerType,
      serial: nextSerial, own: (address, ownAddressType),
      server: ATTServer(ownMTU: configuration.mtu))
    events.append(
      .connected(
        link: opened.handle, isCentral: isCentral, peer: opened.peer, type: opened.peerType))
    nextSerial += 1
    // Both ends may ask; the central's word is enough.
    if isCentral, localFeatures & (LinkFeature.dataLength | LinkFeature.phy2M) != 0 {
      send(.leReadRemoteFeatures, le(opened.handle))
    }
    if links.count > configuration.maximumLinks {
      events.append(.refused("one link too many, to \(opened.peer)"))
      close(opened.handle, reason: 0x14)
    }
  }

  /// Uses what both ends of a link can do: longer packets, and the faster PHY.
  private mutating func improve(_ handle: UInt16, features: UInt64) {
    guard links[handle] != nil else { return }
    if features & LinkFeature.dataLength != 0 {
      send(.leSetDataLength, le(handle) + le(251) + le(2120))
    }
    // Both directions, 2M, no option.
    if features & LinkFeature.phy2M != 0 { send(.leSetPHY, le(handle) + [0, 2, 2] + le(0)) }
  }

  private mutating func closed(_ handle: UInt16, reason: UInt8) {
    guard let link = links.removeValue(forKey: handle) else { return }
    retryAdvertising = now
    // What the controller held for the link is free again (Vol 4 Part E, 4.1.1).
    aclCredits = min(aclTotal, aclCredits + link.inFlight)
    events.append(.disconnected(link: handle, peer: link.peer, reason: reason))
  }

  private mutating func giveBack(_ handle: UInt16, _ count: Int) {
    guard let link = links[handle] else { return }
    let returned = min(count, link.inFlight)
    links[handle]?.inFlight -= returned
    aclCredits = min(aclTotal, aclCredits + returned)
  }

  /// Answers a peripheral's or central's wish for other connection parameters at the link layer.
  private mutating func answer(_ handle: UInt16, _ wanted: ConnectionParameters) {
    if wanted.isValid {
      var writer = ByteWriter()
      writer.le16(handle)
      wanted.encode(into: &writer)
      writer.le32(0)
      send(.leConnectionParameterReply, writer.bytes)
    } else {
      // 3B: unacceptable connection parameters.
      send(.leConnectionParameterNegativeReply, le(handle) + [0x3B])
    }
  }
}

/// Features of Vol 6 Part B, 4.6.
enum LinkFeature {
  static let dataLength: UInt64 = 1 << 5
  static let phy2M: UInt64 = 1 << 8
  static let extendedAdvertising: UInt64 = 1 << 12
}
