import BluetoothProtocols

extension Host {
  mutating func receiveAttribute(_ handle: UInt16, _ pdu: [UInt8]) {
    guard let opcode = pdu.first, let mtu = links[handle]?.mtu else { return }
    if isAnswer(opcode) {
      if links[handle]?.client != nil {
        links[handle]?.client?.take(pdu, mtu: mtu, now: now)
        drainClient(handle)
      } else if opcode == 0x1D {
        sendFrame(handle, channel: L2CAPChannel.attribute, [0x1E])
      }
      return
    }
    guard var server = links[handle]?.server else { return }
    let answer = server.answer(pdu, mtu: mtu, database: database)
    let news = server.takeEvents()
    links[handle]?.server = server
    if let answer { sendFrame(handle, channel: L2CAPChannel.attribute, answer) }
    for event in news {
      if case .mtuRequested(let client) = event {
        setMTU(handle, client)
      } else {
        events.append(.server(link: handle, event))
      }
    }
  }

  /// Whether a PDU is a server's: a response, notification or indication.
  private func isAnswer(_ opcode: UInt8) -> Bool {
    switch opcode {
    case 0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x1B, 0x1D,
      0x21, 0x23:
      true
    default: false
    }
  }

  private mutating func setMTU(_ handle: UInt16, _ other: UInt16) {
    // Both sides use the smaller of the two, 23 at least (Vol 3 Part F, 3.4.2).
    let mtu = max(23, min(Int(configuration.mtu), Int(other)))
    links[handle]?.mtu = mtu
    events.append(.mtuChanged(link: handle, mtu: mtu))
  }

  mutating func drainClient(_ handle: UInt16) {
    let output = links[handle]?.client?.takeOutput() ?? []
    let news = links[handle]?.client?.takeEvents() ?? []
    for pdu in output { sendFrame(handle, channel: L2CAPChannel.attribute, pdu) }
    for event in news {
      switch event {
      case .mtuAnswered(let server): setMTU(handle, server)
      case .encryptionNeeded: pair(handle)
      case .failed(let reason):
        events.append(.client(link: handle, event))
        events.append(.refused(reason))
        close(handle)
      default: events.append(.client(link: handle, event))
      }
    }
  }

  /// Begins to look for what is wanted on a link's server; nothing where that was done.
  package mutating func startClient(_ link: UInt16, now: UInt64) {
    guard links[link] != nil, links[link]?.client == nil else { return }
    self.now = now
    startSearch(link)
    settle(now)
  }

  mutating func startSearch(_ link: UInt16) {
    var client = ATTClient(search: configuration.search, ownMTU: configuration.mtu)
    client.start(now: now)
    links[link]?.client = client
    drainClient(link)
  }

  /// The PHYs of a link, 1 for LE 1M, 2 for LE 2M, 3 for LE Coded; and the longest payloads.
  package func radioParameters(
    of link: UInt16
  ) -> (phy: (sent: UInt8, received: UInt8), dataLength: (sent: UInt16, received: UInt16)) {
    (links[link]?.phy ?? (1, 1), links[link]?.dataLength ?? (27, 27))
  }

  /// Whether a link is encrypted.
  package func isEncrypted(_ link: UInt16) -> Bool { links[link]?.isEncrypted ?? false }

  /// The MTU of a link.
  package func mtu(of link: UInt16) -> Int { links[link]?.mtu ?? 23 }

  /// Whether the link's server tells nothing by itself, and has to be read.
  package func mustPoll(_ link: UInt16) -> Bool { links[link]?.client?.mustPoll ?? false }

  /// Whether the link's server has something to write to.
  package func hasSink(_ link: UInt16) -> Bool { links[link]?.client?.sink != nil }

  /// Whether a request can be made of the link's server now.
  package func canWrite(_ link: UInt16) -> Bool {
    guard let known = links[link], !known.isClosing, let client = known.client else {
      return false
    }
    return !client.found.isEmpty && client.isIdle && known.waitingBytes < HostLink.congestion
  }

  /// Writes to the link's server; false where it cannot be done now.
  package mutating func write(_ value: [UInt8], to link: UInt16, now: UInt64) -> Bool {
    guard canWrite(link), let mtu = links[link]?.mtu,
      links[link]?.client?.write(value, mtu: mtu, now: now) == true
    else { return false }
    drainClient(link)
    settle(now)
    return true
  }

  /// Reads the value of the link's server, that of one handle or the one that it is told by; false
  /// where it cannot be done now.
  package mutating func read(from link: UInt16, _ handle: UInt16? = nil, now: UInt64) -> Bool {
    guard canWrite(link), links[link]?.client?.read(handle, now: now) == true else { return false }
    drainClient(link)
    settle(now)
    return true
  }

  /// What a link's peer chose for the value with a handle: bit 0 notifications, bit 1 indications.
  package func subscription(of link: UInt16, to handle: UInt16) -> UInt16 {
    links[link]?.server.configuration(of: handle) ?? 0
  }

  /// Notifies a value; false where the peer did not subscribe, the value does not fit, or too
  /// much waits already.
  package mutating func notify(
    _ value: [UInt8], of handle: UInt16, to link: UInt16, now: UInt64
  ) -> Bool {
    guard let known = links[link], !known.isClosing, value.count <= known.mtu - 3,
      known.server.configuration(of: handle) & 1 == 1,
      known.waitingBytes < HostLink.congestion
    else { return false }
    sendFrame(
      link, channel: L2CAPChannel.attribute, ATTEncoder.value(0x1B, handle: handle, value))
    settle(now)
    return true
  }
}
