import PeatProtocol
import PeatTestSupport
import Testing

@Suite struct DiscoveryVectorTests {
  @Test("beacons encode and decode as the reference does")
  func beacon() throws {
    try checkVectors("beacon") { vector in
      var differences = Differences()
      let input = vector.input
      let expect = vector.expect
      switch vector.kind {
      case "beacon_encode":
        var beacon = Beacon(
          node: input["node_id"].node ?? NodeID(rawValue: 0),
          capabilities: Capabilities(rawValue: input["capabilities"].uint16 ?? 0))
        beacon.level = HierarchyLevel(clamping: input["hierarchy_level"].uint8 ?? 0)
        beacon.setGeohash(input["geohash"].uint32 ?? 0)
        beacon.setBattery(input["battery_percent"].uint8 ?? 0)
        beacon.sequence = input["seq_num"].uint16 ?? 0
        compare(beacon, expect, &differences)
      case "beacon_default":
        let node = input["node_id"].node ?? NodeID(rawValue: 0)
        switch input["constructor"].string {
        case "new":
          compare(Beacon(node: node), expect, &differences)
        case "peat_lite":
          compare(Beacon(node: node, capabilities: .liteNode), expect, &differences)
        case "new, then seq_num 65535 incremented":
          var beacon = Beacon(node: node)
          beacon.sequence = 65535
          beacon.incrementSequence()
          compare(beacon, expect, &differences)
        default: differences.note("constructor is not handled")
        }
      case "beacon_decode":
        let bytes = vector.hex ?? []
        compare("full", try? Beacon(bytes: bytes), expect["full"], &differences)
        compare("compact", try? Beacon(compact: bytes), expect["compact"], &differences)
      default: return unknownKind(vector)
      }
      return differences.messages
    }
  }

  private func compare(
    _ name: String, _ beacon: Beacon?, _ expect: JSON, _ differences: inout Differences
  ) {
    guard let beacon, !expect.isNull else {
      differences.expect(name + " refused", beacon == nil, expect.isNull)
      return
    }
    compare(beacon, expect, &differences)
  }

  private func compare(_ beacon: Beacon, _ expect: JSON, _ differences: inout Differences) {
    differences.bytes("full", beacon.encoded, expect["full"])
    differences.bytes("compact", beacon.encodedCompact, expect["compact"])
    differences.expect("version", beacon.version, expect["version"].uint8)
    differences.expect("node", beacon.node, expect["node_id"].node)
    differences.expect("capabilities", beacon.capabilities.rawValue, expect["capabilities"].uint16)
    differences.expect("level", beacon.level.rawValue, expect["hierarchy_level"].uint8)
    differences.expect("geohash", beacon.geohash, expect["geohash"].uint32)
    differences.expect("battery", beacon.battery, expect["battery_percent"].uint8)
    differences.expect("sequence", beacon.sequence, expect["seq_num"].uint16)
    differences.expect(
      "can relay", beacon.capabilities.contains(.canRelay), expect["can_relay"].bool)
    differences.expect(
      "coded PHY", beacon.capabilities.contains(.codedPHY), expect["coded_phy"].bool)
    differences.expect("lite", beacon.capabilities.contains(.liteNode), expect["is_lite"].bool)
  }

  @Test("characteristic values and node ids are read as the reference reads them")
  func characteristics() throws {
    try checkVectors("gatt_characteristics") { vector in
      var differences = Differences()
      let expect = vector.expect["decoded"]
      let bytes = vector.hex ?? []
      func refused<T>(_ value: T?) -> Bool {
        if value == nil || expect.isNull {
          differences.expect("refused", value == nil, expect.isNull)
          return true
        }
        return false
      }
      switch vector.kind {
      case "uuids":
        let names: [(String, CharacteristicRole)] = [
          ("node_info", .nodeInfo), ("sync_state", .syncState), ("sync_data", .document),
          ("command", .command), ("status", .status),
        ]
        for (name, role) in names {
          let identifier = role.identifier(in: .library)
          differences.expect(name, identifier?.description, vector.expect[name].string)
          differences.expect(
            name + " role",
            identifier.flatMap {
              CharacteristicRole.of(characteristic: $0, service: ServiceIdentifiers.library)
            }, role)
        }
        differences.expect(
          "service", ServiceIdentifiers.library.description, vector.expect["service"].string)
        differences.expect(
          "16-bit service", ServiceIdentifiers.libraryAlias, vector.expect["service_16bit"].uint16)
      case "node_info":
        let value = try? NodeInfo(bytes: bytes)
        if let value, !refused(value) {
          differences.expect("node", value.node, expect["node_id"].node)
          differences.expect("version", value.protocolVersion, expect["protocol_version"].uint8)
          differences.expect("level", value.level.rawValue, expect["hierarchy_level"].uint8)
          differences.expect(
            "capabilities", value.capabilities.rawValue, expect["capabilities"].uint16)
          differences.expect("battery", value.battery, expect["battery_percent"].uint8)
          differences.bytes("reencoded", value.encoded, expect["reencoded"])
        } else {
          _ = refused(value)
        }
      case "sync_state":
        let value = try? SyncStateValue(bytes: bytes)
        if let value, !refused(value) {
          differences.expect("phase", value.phase.rawValue, expect["state"].uint8)
          differences.expect("progress", value.progress, expect["progress"].uint8)
          differences.expect("pending", value.pendingDocuments, expect["pending_docs"].uint16)
          differences.expect("last sync", value.lastSync, expect["last_sync"].uint32)
          differences.bytes("reencoded", value.encoded, expect["reencoded"])
        } else {
          _ = refused(value)
        }
      case "status":
        let value = try? StatusValue(bytes: bytes)
        if let value, !refused(value) {
          differences.expect("flags", value.flags.rawValue, expect["flags"].uint8)
          differences.expect("children", value.childCount, expect["child_count"].uint8)
          differences.expect("RSSI", Int(value.parentRSSI), expect["parent_rssi"].int)
          differences.expect("uptime", value.uptimeMinutes, expect["uptime_minutes"].uint16)
          differences.bytes("reencoded", value.encoded, expect["reencoded"])
        } else {
          _ = refused(value)
        }
      case "command":
        let value = try? CommandValue(bytes: bytes)
        if let value, !refused(value) {
          differences.expect("kind", value.kind.rawValue, expect["type"].uint8)
          differences.bytes("payload", value.payload, expect["payload"])
          differences.bytes("reencoded", value.encoded, expect["reencoded"])
        } else {
          _ = refused(value)
        }
      case "node_id_parse":
        let node = NodeID(referenceText: vector.input["text"].string ?? "")
        differences.expect("node", node, vector.expect["node_id"].node)
        differences.expect("display", node?.description, vector.expect["display"].string)
      case "node_id_from_mac":
        let node = NodeID(deviceAddressText: vector.input["text"].string ?? "")
        differences.expect("node", node, vector.expect["node_id"].node)
      default: return unknownKind(vector)
      }
      return differences.messages
    }
  }

  @Test("rotating addresses are followed as the reference follows them")
  func addressRotation() throws {
    try checkVectors("address_rotation") { vector in
      switch vector.kind {
      case "device_pattern": return pattern(vector)
      case "address_rotation": return rotation(vector)
      default: return unknownKind(vector)
      }
    }
  }

  private func pattern(_ vector: Vector) -> [String] {
    var differences = Differences()
    let name = vector.input["name"].string ?? ""
    let pattern = DevicePattern(name)
    // The reference knows three kinds; the others here are unknown to it.
    let known: [DevicePattern: String] = [.wearTAK: "WearTak", .wearOS: "WearOs", .peat: "Peat"]
    differences.expect("pattern", known[pattern] ?? "Unknown", vector.expect["pattern"].string)
    differences.expect("rotates", pattern.rotatesAddress, vector.expect["rotates"].bool)
    differences.expect("WearTAK", pattern.rotatesAddress, vector.expect["is_weartak"].bool)
    differences.expect(
      "normalized", DevicePattern.normalized(name), vector.expect["normalized"].string)
    return differences.messages
  }

  private func rotation(_ vector: Vector) -> [String] {
    var differences = Differences()
    var table = AddressRotation()
    let expected = vector.expect["steps"].array ?? []
    for (index, step) in (vector.input["steps"].array ?? []).enumerated() {
      let expect = expected.indices.contains(index) ? expected[index] : .null
      let name = step["name"].string ?? ""
      let address = step["address"].string ?? ""
      let node = step["node_id"].node ?? NodeID(rawValue: 0)
      switch step["do"].string {
      case "register": table.register(node: node, name: name, address: address)
      case "update_name": table.updateName(node: node, name: name)
      case "remove": table.remove(node: node)
      case "update_address":
        differences.expect(
          "step \(index)", table.updateAddress(name: name, address: address),
          expect["return"].bool)
      case "discovered":
        let found = table.discovered(name: name, address: address)
        let answer = expect["return"]
        differences.expect("step \(index) node", found?.node, answer["node_id"].node)
        differences.expect(
          "step \(index) changed", found?.addressChanged, answer["address_changed"].bool)
        differences.expect(
          "step \(index) address", found?.currentAddress, answer["current_address"].string)
        differences.expect(
          "step \(index) previous", found?.previousAddress, answer["previous_address"].string)
      default: differences.note("step \(index) is not handled")
      }
      for pair in expect["address_of"].array ?? [] {
        let key = pair[0].node ?? NodeID(rawValue: 0)
        differences.expect(
          "step \(index) address of \(key)", table.address(of: key), pair[1].string)
      }
      for pair in expect["name_of"].array ?? [] {
        let key = pair[0].node ?? NodeID(rawValue: 0)
        differences.expect("step \(index) name of \(key)", table.name(of: key), pair[1].string)
      }
      for pair in expect["by_address"].array ?? [] {
        let key = pair[0].string ?? ""
        differences.expect("step \(index) node at \(key)", table.node(at: key), pair[1].node)
      }
      for pair in expect["by_name"].array ?? [] {
        let key = pair[0].string ?? ""
        differences.expect("step \(index) node named \(key)", table.node(named: key), pair[1].node)
      }
      differences.expect(
        "step \(index) counts",
        [table.counts.names, table.counts.nodes, table.counts.addresses],
        (expect["stats"].array ?? []).map { $0.int ?? -1 })
    }
    return differences.messages
  }
}
