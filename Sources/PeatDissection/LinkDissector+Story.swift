import BluetoothProtocols
import WireBytes

/// What happens to connections besides their values: told as events, and kept with their facts.
extension LinkDissector {
  mutating func tell(_ kind: LinkEvent.Kind, of slot: Int? = nil) {
    guard options.tellsLinkEvents else { return }
    let link = slot.map { connections[$0].link }
    // Connections of BR/EDR are none of ours.
    if let link, link.id < 1 { return }
    story.add(LinkEvent(kind: kind, frame: frame, time: time, link: link))
  }

  /// How a connection ended by a reason of the controller.
  ///
  /// 0x16 says that this host asked for it; 0x13 to 0x15 say that the peer did.
  func end(_ reason: UInt8, of slot: Int) -> Disconnection {
    let ender: Disconnection.Ender? =
      switch reason {
      case 0x13, 0x14, 0x15: .peer
      case 0x16: .local
      case 0x08, 0x22, 0x28, 0x3D, 0x3E, 0x3F: nil
      default: connections[slot].isEndingByLocal ? .local : nil
      }
    return .reason(reason, by: ender)
  }

  /// How a link on the air ended: the reason that its sender gave.
  static func end(onAir reason: UInt8, by side: Side) -> Disconnection {
    .reason(reason, by: side == .local ? .local : .peer)
  }

  mutating func noteEncryption(_ slot: Int, isOn: Bool) {
    connections[slot].isEncrypted = isOn
    tell(.encrypted(isOn), of: slot)
  }

  mutating func notePace(_ slot: Int, _ pace: ConnectionPace) {
    facts.change(connections[slot].link.id) { $0.pace = pace }
    tell(.parameters(pace), of: slot)
  }

  mutating func notePHY(_ slot: Int, _ phy: LinkPHY) {
    facts.change(connections[slot].link.id) { $0.phy = phy }
    tell(.phy(phy), of: slot)
  }

  mutating func noteMTU(_ slot: Int, _ mtu: Int) {
    facts.change(connections[slot].link.id) { $0.mtu = mtu }
    tell(.mtu(mtu), of: slot)
  }

  mutating func noteSignal(_ slot: Int, _ rssi: Int) {
    facts.change(connections[slot].link.id) { facts in
      if facts.signal == nil { facts.signal = SignalRange(rssi) } else { facts.signal?.add(rssi) }
    }
  }

  /// A packet of a connection: after a long silence that is told.
  mutating func notePacket(_ slot: Int) {
    guard let time else { return }
    if let last = connections[slot].lastPacket {
      let (gap, overflow) = time.nanoseconds.subtractingReportingOverflow(last.nanoseconds)
      if !overflow, gap > LinkStory.silence { tell(.silent(gap), of: slot) }
    }
    connections[slot].lastPacket = time
  }

  /// The facts of all connections, with what is known of their addresses by now.
  var linkFacts: [LinkFacts] {
    facts.all.map { facts in
      guard let peer = facts.link.peer else { return facts }
      let identity = addresses.identity(of: peer)
      guard identity != peer else { return facts }
      var facts = facts
      facts.identity = identity
      return facts
    }
  }

  /// A server's table: what the connection's own discovery told over what is known otherwise.
  private func table(_ slot: Int, _ server: Side) -> AttributeTable {
    var table = connections[slot].tables[server.rawValue].latest
    if let other = knowledge.table(of: identity(slot, server), hash: table.databaseHash) {
      let own = table
      table = other
      table.merge(own)
    }
    return table
  }

  func knownCharacteristics(_ slot: Int) -> [KnownCharacteristic] {
    [Side.peer, .local].flatMap { side in
      let table = table(slot, side)
      return table.characteristics.map {
        KnownCharacteristic(
          handle: $0.handle, uuid: $0.uuid, service: table.service(containing: $0.handle)?.uuid,
          isLocalServer: side == .local)
      }
    }
  }

  /// The uses of a connection's handles with their names, the peer's server first.
  func namedUses(_ slot: Int) -> [HandleUse] {
    let tables = [table(slot, .local), table(slot, .peer)]
    return connections[slot].uses.uses.map { key, use in
      var use = use
      let table = tables[key.server.rawValue]
      use.uuid = table.characteristic(at: key.handle)?.uuid
      use.service = table.service(containing: key.handle)?.uuid
      use.isDescriptor = use.uuid == nil && table.isKnownOther(key.handle)
      return use
    }.sorted { ($0.isLocalServer ? 1 : 0, $0.handle) < ($1.isLocalServer ? 1 : 0, $1.handle) }
  }
}
