import BluetoothMesh
import MeshSecurity
import WireBytes

extension MeshDecoder {
  /// A value of a proxy's or a provisioning characteristic.
  mutating func takeProxy(
    _ bytes: [UInt8], _ channel: MeshChannel, _ place: MeshPlace
  ) -> Step {
    let pdu: ProxyPDU
    do throws(DecodeError) {
      var reader = ByteReader(bytes.rawBytes, layer: .mesh)
      pdu = try ProxyPDU(&reader)
    } catch {
      var message = MeshMessage(.proxy, channel, place, bytes)
      message.malformed = "\(error)"
      message.add(.malformed, "no proxy PDU: \(error)")
      return .message(message)
    }
    let key = LinkKey(file: place.file, link: place.link)
    guard proxies[key] != nil || proxies.count < MeshDecoder.linkLimit else { return .nothing }
    var link = proxies[key] ?? ProxyLink(place)
    let (step, frames) = link.take(pdu, channel, place)
    proxies[key] = link
    switch step {
    case .waiting: return .nothing
    case .outOfOrder:
      tell(
        .sarOrder, "a part of a proxy message came where it may not: what was held is lost",
        at: place)
      // A value that begins a message stands for itself.
      return pdu.part == .whole ? takeWhole(pdu.kind, pdu.data, channel, place) : .nothing
    case .abandoned:
      tell(
        .sarTimeout, "the parts of a proxy message took longer than 20 s, or grew too long",
        at: place)
      return .nothing
    case .message(let kind, let whole):
      var place = place
      place.frames = frames
      return takeWhole(kind, whole, channel, place)
    }
  }

  private mutating func takeWhole(
    _ kind: ProxyPDU.Kind, _ bytes: [UInt8], _ channel: MeshChannel, _ place: MeshPlace
  ) -> Step {
    let isFromClient = channel == .proxy(isFromClient: true)
    if case .proxy = channel {
      proxies[LinkKey(file: place.file, link: place.link)]?.count(isFromClient: isFromClient)
    }
    switch (kind, channel) {
    case (.network, .proxy): return takeNetwork(bytes, .network, channel, place)
    case (.beacon, .proxy): return takeBeacon(bytes, channel, place)
    case (.configuration, .proxy): return takeNetwork(bytes, .proxy, channel, place)
    case (.provisioning, .provisioning(let isFromClient)):
      return takeProvisioning(bytes, channel, place, isFromProvisioner: isFromClient)
    default:
      var message = MeshMessage(.proxy, channel, place, bytes)
      message.malformed = "a message of another service"
      message.add(.malformed, "a proxy message of a kind that this characteristic does not carry")
      return .message(message)
    }
  }

  /// A beacon, in an advertisement or from a proxy.
  mutating func takeBeacon(
    _ bytes: [UInt8], _ channel: MeshChannel, _ place: MeshPlace
  ) -> Step {
    if let number = copies.again(bytes, channel, place, number: count) {
      return .again(number, MeshSighting(place: place))
    }
    var message = MeshMessage(.beacon, channel, place, bytes)
    let beacon: MeshBeacon
    do throws(DecodeError) {
      var reader = ByteReader(bytes.rawBytes, layer: .mesh)
      beacon = try MeshBeacon(&reader)
    } catch {
      message.malformed = "\(error)"
      message.add(.malformed, "no beacon: \(error)")
      return .message(message)
    }
    switch beacon {
    case .unprovisioned(let device):
      message.fields = unprovisioned(device)
      overview.heard(unprovisioned: device.uuid)
      return .message(message)
    case .secure(let secure):
      message.fields = [
        MeshField("form", "secure_network"), MeshField("flags", secure.state.flags),
        MeshField("network_id", Hexadecimal.string(secure.networkID)),
        MeshField("iv_index", secure.state.ivIndex),
      ]
      message.ivIndex = secure.state.ivIndex
    case .private: message.fields = [MeshField("form", "private")]
    }
    guard let heard = try? opener.hear(beacon) else { return .message(message) }
    if let state = heard.state {
      message.ivIndex = state.ivIndex
      if case .private = beacon {
        message.fields += [MeshField("flags", state.flags), MeshField("iv_index", state.ivIndex)]
      }
      message.fields += [
        MeshField("key_refresh", .flag(state.isRefreshingKeys)),
        MeshField("iv_update", .flag(state.isUpdatingIV)),
      ]
    }
    message.fields.append(
      MeshField("authentic", .list(heard.keys.map { .text($0.description) })))
    message.netKey = heard.keys.first
    judge(beacon, heard, &message, place)
    return .message(message)
  }

  private func unprovisioned(_ device: UnprovisionedBeacon) -> [MeshField] {
    var fields = [
      MeshField("form", "unprovisioned"), MeshField("uuid", Hexadecimal.string(device.uuid)),
      MeshField("oob", AccessFields.hex(device.outOfBand)),
    ]
    if let hash = device.uriHash {
      fields.append(MeshField("uri_hash", Hexadecimal.upper(UInt64(hash), width: 8)))
    }
    if let name = names.node(uuid: device.uuid)?.name { fields.append(MeshField("node", name)) }
    return fields
  }

  private mutating func judge(
    _ beacon: MeshBeacon, _ heard: MeshOpener.HeardBeacon, _ message: inout MeshMessage,
    _ place: MeshPlace
  ) {
    if heard.networks.isEmpty {
      if case .secure(let secure) = beacon,
        opener.keyring.networks.contains(where: { $0.key.networkID == secure.networkID })
      {
        message.add(
          .beaconForged, "a beacon of a known network whose authentication is wrong")
      } else {
        message.unopened = "no-key"
      }
      return
    }
    guard let state = heard.state else { return }
    if let higher = heard.higherIndex {
      message.add(
        .ivBackwards, "the beacon says IV index \(state.ivIndex), an earlier one said \(higher)")
    }
    for network in heard.networks {
      if state.isRefreshingKeys { refreshed.insert(network.id) }
      let name = "net:\(network.index)"
      let meshName = names.mesh(network.database)
      overview.network(
        network.id, { MeshNetworkState(name: name, meshName: meshName) },
        {
          if $0.beacons.last?.state != state || $0.beacons.last?.key != network.name.description {
            $0.beacons.append((place, state, network.name.description))
          }
        })
    }
    if let network = heard.networks.first {
      message.meshName = names.count > 1 ? names.mesh(network.database) : nil
    }
  }

  /// Service data of a device that waits for provisioning, of a proxy, or of one that looks for a
  /// proxy (7.1.2.2.1, 7.2.2.2 and 6.9).
  mutating func takeServiceData(
    _ bytes: [UInt8], _ uuid: UInt16, _ channel: MeshChannel, _ place: MeshPlace
  ) -> Step {
    if uuid == 0x1859 {
      // Behind the type stands a network PDU to nobody, sealed as a proxy's configuration.
      guard bytes.first == 0 else { return .nothing }
      let step = takeNetwork(Array(bytes.dropFirst()), .proxy, channel, place)
      guard case .message(var message) = step, message.netKey != nil else { return step }
      message.layer = .proxy
      message.name = "Solicitation"
      message.malformed = nil
      message.findings.removeAll { $0.code == .malformed }
      return .message(message)
    }
    if let number = copies.again(bytes, channel, place, number: count) {
      return .again(number, MeshSighting(place: place))
    }
    var message = MeshMessage(.beacon, channel, place, bytes)
    do throws(DecodeError) {
      var reader = ByteReader(bytes.rawBytes, layer: .mesh)
      if uuid == 0x1827 {
        let device = try UnprovisionedBeacon(&reader)
        message.fields = unprovisioned(device)
        overview.heard(unprovisioned: device.uuid)
      } else {
        message.fields = identify(try ProxyIdentity(&reader), &message)
      }
    } catch {
      message.malformed = "\(error)"
      message.add(.malformed, "no service data of a mesh: \(error)")
    }
    return .message(message)
  }

  private func identify(_ identity: ProxyIdentity, _ message: inout MeshMessage) -> [MeshField] {
    var fields: [MeshField]
    switch identity {
    case .network(let id):
      fields = [
        MeshField("form", "network_id"), MeshField("network_id", Hexadecimal.string(id)),
      ]
    case .node: fields = [MeshField("form", "node_identity")]
    case .privateNetwork: fields = [MeshField("form", "private_network_identity")]
    case .privateNode: fields = [MeshField("form", "private_node_identity")]
    }
    for network in opener.keyring.networks {
      let nodes = names.nodes(network.database)
      if (try? network.key.matches(identity, node: nil)) == true {
        message.netKey = network.name
        break
      }
      guard
        let node = nodes.first(where: {
          (try? network.key.matches(identity, node: $0.address)) == true
        })
      else { continue }
      message.netKey = network.name
      message.source = node.address
      message.sourceName = node.name
      break
    }
    return fields
  }

  /// A PDU of generic provisioning in an advertisement.
  mutating func takeAdvertised(
    _ bytes: [UInt8], _ channel: MeshChannel, _ place: MeshPlace
  ) -> Step {
    if let number = copies.again(bytes, channel, place, number: count) {
      return .again(number, MeshSighting(place: place))
    }
    var message = MeshMessage(.pbADV, channel, place, bytes)
    let pdu: GenericProvisioningPDU
    do throws(DecodeError) {
      var reader = ByteReader(bytes.rawBytes, layer: .mesh)
      pdu = try GenericProvisioningPDU(&reader)
    } catch {
      message.malformed = "\(error)"
      message.add(.malformed, "no PDU of generic provisioning: \(error)")
      return .message(message)
    }
    message.fields = [
      MeshField("link", Hexadecimal.string(bytes.prefix(4))),
      MeshField("transaction", pdu.transaction),
    ]
    let key = LinkKey(file: "", link: 0, advertised: pdu.link)
    guard provisionings[key] != nil || provisionings.count < MeshDecoder.linkLimit else {
      return .message(message)
    }
    var link = provisionings[key] ?? ProvisioningLink(place, bearer: "pb-adv")
    switch pdu.content {
    case .start(let last, let length, let check, let data):
      message.fields += [
        MeshField("gpc", "start"), MeshField("last_segment", last), MeshField("total", length),
        MeshField("fcs", check), MeshField("data", Hexadecimal.string(data)),
      ]
    case .continuation(let index, let data):
      message.fields += [
        MeshField("gpc", "continuation"), MeshField("segment", index),
        MeshField("data", Hexadecimal.string(data)),
      ]
    case .acknowledgment: message.fields.append(MeshField("gpc", "ack"))
    case .open(let uuid):
      message.fields += [
        MeshField("gpc", "open"), MeshField("data", Hexadecimal.string(uuid)),
      ]
      if let name = names.node(uuid: uuid)?.name { message.fields.append(MeshField("node", name)) }
      link.story.uuid = uuid
    case .openAcknowledgment:
      message.fields += [MeshField("gpc", "link_ack"), MeshField("data", "")]
    case .close(let reason):
      message.fields += [
        MeshField("gpc", "close"), MeshField("data", Hexadecimal.string([reason])),
        MeshField("reason", ProvisioningWords.close(reason)),
      ]
      if link.story.outcome == .open {
        link.story.outcome = .closed(ProvisioningWords.close(reason))
        if reason != 0 || link.story.lastPDU != nil {
          message.add(
            .provisioningStopped,
            "the link was closed (\(ProvisioningWords.close(reason))) after "
              + "\(link.story.lastPDU ?? "it was opened"), before provisioning was complete")
        }
      }
    }
    let step = link.transactions.take(pdu)
    provisionings[key] = link
    switch step {
    case .waiting:
      // One that comes again, of a transaction that is whole.
      if case .start(0, let length, let check, let data) = pdu.content {
        message.fields.append(
          MeshField(
            "fcs_ok",
            .flag(data.count == Int(length) && CheckSequence.value(of: data) == check)))
      }
    case .damaged:
      message.fields.append(MeshField("fcs_ok", .flag(false)))
      message.add(.malformed, "the check of the transaction is wrong: it must be sent again")
    case .whole(let whole):
      message.fields.append(MeshField("fcs_ok", .flag(true)))
      fill(&message, with: whole, place, key, isFromProvisioner: pdu.transaction < 0x80)
    }
    return .message(message)
  }

  /// A provisioning PDU over GATT.
  private mutating func takeProvisioning(
    _ bytes: [UInt8], _ channel: MeshChannel, _ place: MeshPlace, isFromProvisioner: Bool
  ) -> Step {
    var message = MeshMessage(.provisioning, channel, place, bytes)
    let key = LinkKey(file: place.file, link: place.link)
    if provisionings[key] == nil {
      guard provisionings.count < MeshDecoder.linkLimit else { return .message(message) }
      provisionings[key] = ProvisioningLink(place, bearer: "pb-gatt")
    }
    fill(&message, with: bytes, place, key, isFromProvisioner: isFromProvisioner)
    return .message(message)
  }

  /// Reads a provisioning PDU into a message, and takes in what it gives.
  private mutating func fill(
    _ message: inout MeshMessage, with bytes: [UInt8], _ place: MeshPlace, _ key: LinkKey,
    isFromProvisioner: Bool
  ) {
    guard var link = provisionings[key] else { return }
    defer { provisionings[key] = link }
    do throws(DecodeError) {
      let step = try link.take(
        bytes, place, isFromProvisioner: isFromProvisioner, privateKeys: privateKeys)
      message.opcode = step.opcode
      message.name = step.name
      message.parameters = step.parameters
      message.fields += step.fields
      message.findings += step.findings
      if let opened = step.opened { learn(opened, &message) }
      if step.name == "Data", step.opened == nil { message.unopened = "no-private-key" }
    } catch {
      message.malformed = "\(error)"
      message.add(.malformed, "no provisioning PDU: \(error)")
    }
  }

  private mutating func learn(
    _ opened: ProvisioningLink.Opened, _ message: inout MeshMessage
  ) {
    let database = opener.keyring.database(of: opened.netKey) ?? 0
    let index = opened.data.keyIndex
    _ = opener.learn { keys in
      keys.learn(netKey: opened.netKey, index: index, database: database)
    }
    _ = opener.learn { keys in
      keys.learn(
        deviceKey: opened.deviceKey, of: opened.data.address, elements: opened.elements,
        database: database)
    }
    opener.note(ivIndex: opened.data.state.ivIndex, of: database << 12 | Int(index & 0xFFF))
    message.destination = opened.data.address
    message.destinationName = names.name(opened.data.address, database)
  }

  /// Ends a provisioning for the overview.
  mutating func close(_ story: ProvisioningStory) {
    if story.outcome == .open, let last = story.lastPDU {
      tell(
        .provisioningStopped, "provisioning stopped after \(last); nothing of it follows",
        at: story.last)
    }
    if overview.provisionings.count < MeshDecoder.linkLimit { overview.provisionings.append(story) }
  }
}
