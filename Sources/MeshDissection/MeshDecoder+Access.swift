import BluetoothMesh
import MeshSecurity
import WireBytes

extension MeshDecoder {
  /// An access message in words, and where it stands in its exchange.
  mutating func fillAccess(
    _ message: inout MeshMessage, _ access: AccessMessage, _ reading: MeshReading,
    _ unsealed: UnsealedPDU
  ) {
    let database = unsealed.network.database
    message.opcode = MeshDecoder.hex(access.opcode)
    message.name = access.name
    message.parameters = Hexadecimal.string(access.parameters)
    if access.company == nil, access.name == nil {
      message.add(
        .unknownOpcode, "opcode \(MeshDecoder.hex(access.opcode)) is not known; nodes ignore it")
    }
    if let company = access.company {
      message.fields.append(MeshField("company", AccessFields.hex(company)))
    } else if let parts = AccessLayouts.parts(of: access.opcode) {
      let names = names
      let fields = AccessFields(access.parameters, parts) { names.name($0, database) }
      if let fields {
        message.fields += fields.fields
        hide(fields, in: &message)
        learn(access, fields, unsealed, &message)
        refuse(fields, access, &message)
      } else {
        message.add(
          .badLength,
          "\(access.name ?? "the message") does not have \(access.parameters.count) bytes of "
            + "parameters; nodes ignore it")
        if access.opcode <= 1 || access.opcode == 0x8040 || access.opcode == 0x8045 {
          // Of a message that should hold a key nothing is shown.
          message.parameters = String(repeating: "x", count: access.parameters.count * 2)
        }
      }
    }
    noteFeatures(access, unsealed, message)
    noteBinding(access, unsealed, &message)
    exchange(access, reading, unsealed, &message)
  }

  /// Keys are not shown, whoever asks.
  private func hide(_ fields: AccessFields, in message: inout MeshMessage) {
    guard let secret = fields.secret, let text = message.parameters else { return }
    let digits = Array(text)
    let (start, end) = (min(digits.count, secret.lowerBound * 2), secret.upperBound * 2)
    message.parameters =
      String(digits[..<start]) + String(repeating: "x", count: min(digits.count, end) - start)
      + String(digits[min(digits.count, end)...])
  }

  /// Keys and labels that a message gives to a node open what is said with them later.
  private mutating func learn(
    _ access: AccessMessage, _ fields: AccessFields, _ unsealed: UnsealedPDU,
    _ message: inout MeshMessage
  ) {
    let database = unsealed.network.database
    if let bytes = fields.label, let label = (try? VirtualLabel(bytes)).flatMap({ $0 }) {
      _ = opener.learn { keys in
        keys.learn(label: label)
        return true
      }
    }
    guard let key = fields.key, let net = fields.netKeyIndex else { return }
    let isNew: Bool
    switch access.opcode {
    case 0x00, 0x01:
      guard let app = fields.appKeyIndex else { return }
      isNew = opener.learn { keys in
        keys.learn(appKey: key, index: app, boundTo: net, database: database)
      }
    case 0x8040, 0x8045:
      isNew = opener.learn { keys in keys.learn(netKey: key, index: net, database: database) }
      if isNew, let known = opener.ivIndex(of: unsealed.network.id) {
        opener.note(ivIndex: known, of: database << 12 | Int(net & 0xFFF))
      }
    default: return
    }
    if isNew { trivialKeys = opener.keyring.trivialKeys }
    if isNew { message.fields.append(MeshField("learned", .flag(true))) }
  }

  private func refuse(
    _ fields: AccessFields, _ access: AccessMessage, _ message: inout MeshMessage
  ) {
    guard let status = fields.status, status != 0, AccessExchange.isConfiguration(access.opcode)
    else { return }
    message.add(
      .configRefused, "\(access.name ?? "the answer") refuses: \(StatusWords.text(status))")
  }

  private mutating func noteFeatures(
    _ access: AccessMessage, _ unsealed: UnsealedPDU, _ message: MeshMessage
  ) {
    let key = nodeKey(unsealed.pdu.header.source, unsealed.network.database)
    func value(_ name: String) -> String? {
      message.fields.first { $0.name == name }?.value.words
    }
    switch access.opcode {
    case 0x02:
      if let features = value("features") {
        overview.node(key, message.place) { $0.features = features }
      }
    case 0x8028:
      if let relay = value("relay") { overview.node(key, message.place) { $0.relay = relay } }
    default: break
    }
  }

  /// An application key that no model of the element is bound to reaches nobody there.
  private func noteBinding(
    _ access: AccessMessage, _ unsealed: UnsealedPDU, _ message: inout MeshMessage
  ) {
    guard case .app(let index)? = message.appKey?.use,
      let node = names.node(unsealed.pdu.destination, unsealed.network.database),
      let element = node.elements.first(where: { $0.address == unsealed.pdu.destination }),
      element.models.contains(where: { !$0.bound.isEmpty }),
      !element.models.contains(where: { $0.bound.contains(index) })
    else { return }
    message.add(
      .notBound,
      "no model of \(called(unsealed.pdu.destination, unsealed.network.database)) is bound to "
        + "app:\(index), by the database")
  }

  private mutating func exchange(
    _ access: AccessMessage, _ reading: MeshReading, _ unsealed: UnsealedPDU,
    _ message: inout MeshMessage
  ) {
    let header = unsealed.pdu.header
    if let answer = AccessExchange.answer(to: access.opcode) {
      message.transaction = exchanges.request(
        PendingRequest(
          number: 0, opcode: access.opcode, answer: answer,
          name: access.name ?? MeshDecoder.hex(access.opcode), source: header.source,
          destination: unsealed.pdu.destination, parameters: access.parameters,
          database: unsealed.network.database,
          place: message.place, channel: message.channel, sequence: reading.messageSequence,
          lastSegment: reading.segment?.last, ttl: header.ttl, lowestTTL: header.ttl))
      return
    }
    guard
      let request = exchanges.answer(
        access.opcode, from: header.source, to: unsealed.pdu.destination, access.parameters,
        database: unsealed.network.database)
    else { return }
    message.transaction = request.number
    overview.answered += 1
  }

  // MARK: - Proxy configuration

  mutating func fillProxy(
    _ message: inout MeshMessage, _ configuration: ProxyConfiguration, _ unsealed: UnsealedPDU
  ) {
    let database = unsealed.network.database
    let bytes = unsealed.pdu.transport
    message.opcode = Hexadecimal.string(bytes.prefix(1))
    message.parameters = Hexadecimal.string(bytes.dropFirst())
    func texts(_ addresses: [MeshAddress]) -> MeshValue {
      .list(addresses.map { .text(called($0, database)) })
    }
    switch configuration {
    case .setFilter(let kind):
      message.name = "SetFilterType"
      message.fields.append(MeshField("filter", ProxyLink.words(kind)))
    case .add(let addresses):
      message.name = "AddAddressesToFilter"
      message.fields.append(MeshField("addresses", texts(addresses)))
    case .remove(let addresses):
      message.name = "RemoveAddressesFromFilter"
      message.fields.append(MeshField("addresses", texts(addresses)))
    case .status(let kind, let size):
      message.name = "FilterStatus"
      message.fields += [
        MeshField("filter", ProxyLink.words(kind)), MeshField("size", size),
      ]
    case .other(let opcode, _):
      let names = [4: "DirectedProxyControl", 5: "DirectedProxyCapabilitiesStatus"]
      message.name = names[Int(opcode)]
    }
    let key = LinkKey(file: message.place.file, link: message.place.link)
    guard message.channel.isLink, var link = proxies[key] else { return }
    let isFromClient = message.channel == .proxy(isFromClient: true)
    let own = link.clients.union(isFromClient ? [unsealed.pdu.header.source] : [])
    let before = own.filter { link.passes($0) }
    if let finding = link.configure(configuration) { message.findings.append(finding) }
    proxies[key] = link
    guard isFromClient else { return }
    for address in own.sorted() where before.contains(address) && !link.passes(address) {
      let waiting = exchanges.waiting(for: address, database)
      message.add(
        .filterDrops,
        "from here on the proxy keeps what is sent to \(called(address, database)) back, until it "
          + "sends again"
          + (waiting.isEmpty
            ? ""
            : "; answers to \(waiting.map(\.name).joined(separator: ", ")) are still to come"))
    }
  }

  // MARK: - Control messages

  mutating func fillControl(
    _ message: inout MeshMessage, _ opcode: UInt8, _ parameters: [UInt8], _ unsealed: UnsealedPDU
  ) {
    message.opcode = Hexadecimal.string([opcode])
    message.name = ControlOpcode.name(of: opcode)
    message.parameters = Hexadecimal.string(parameters)
    let ends = (unsealed.pdu.header.source, unsealed.pdu.destination)
    do throws(DecodeError) {
      var reader = ByteReader(parameters.rawBytes, layer: .mesh)
      switch opcode {
      case 0x01: message.fields.append(MeshField("fsn", try reader.u8() & 1))
      case 0x02:
        let state = try BeaconState(&reader)
        message.fields += [
          MeshField("key_refresh", .flag(state.isRefreshingKeys)),
          MeshField("iv_update", .flag(state.isUpdatingIV)),
          MeshField("iv_index", state.ivIndex), MeshField("more_data", try reader.u8()),
        ]
        opener.note(ivIndex: state.ivIndex, of: unsealed.network.id)
      case 0x03:
        let criteria = try reader.u8()
        message.fields += [
          MeshField("criteria", Hexadecimal.string([criteria])),
          MeshField("receive_delay_ms", try reader.u8()),
        ]
        let timeout = UInt32(try reader.u8()) << 16 | UInt32(try reader.be16())
        message.fields += [
          MeshField("poll_timeout_ms", UInt64(timeout) * 100),
          MeshField(
            "previous", called(MeshAddress(try reader.be16()), unsealed.network.database)),
          MeshField("elements", try reader.u8()),
        ]
        let counter = try reader.be16()
        message.fields.append(MeshField("lpn_counter", counter))
        if friendRequests.count < 1024 { friendRequests[ends.0] = counter }
      case 0x04:
        message.fields += [
          MeshField("receive_window_ms", try reader.u8()), MeshField("queue", try reader.u8()),
          MeshField("subscription_list", try reader.u8()),
          MeshField("rssi", Int8(bitPattern: try reader.u8())),
        ]
        let counter = try reader.be16()
        message.fields.append(MeshField("friend_counter", counter))
        if let asked = friendRequests[ends.1] {
          for network in opener.keyring.networks where network.id == unsealed.network.id {
            opener.befriend(
              Friendship(lowPower: ends.1, friend: ends.0), lowPowerCounter: asked,
              friendCounter: counter, on: network)
          }
        }
      case 0x05, 0x06:
        message.fields += [
          MeshField("lpn", called(MeshAddress(try reader.be16()), unsealed.network.database)),
          MeshField("counter", try reader.be16()),
        ]
      case 0x07, 0x08:
        message.fields.append(MeshField("transaction_number", try reader.u8()))
        var addresses: [MeshValue] = []
        while reader.remaining >= 2 {
          let address = MeshAddress(try reader.be16())
          addresses.append(.text(called(address, unsealed.network.database)))
        }
        message.fields.append(MeshField("addresses", .list(addresses)))
      case 0x09: message.fields.append(MeshField("transaction_number", try reader.u8()))
      case 0x0A:
        let first = try reader.u8() & 0x7F
        let features = try reader.be16()
        message.fields += [
          MeshField("init_ttl", first),
          MeshField(
            "features", Hexadecimal.string([UInt8(features >> 8), UInt8(features & 0xFF)])),
          MeshField("hops", Int(first) - Int(unsealed.pdu.header.ttl) + 1),
        ]
        overview.node(nodeKey(ends.0, unsealed.network.database), message.place) {
          $0.features = FeatureWords.text(features)
        }
      default: break
      }
    } catch {
      message.add(.badLength, "\(message.name ?? "the control message") is too short")
    }
  }
}
