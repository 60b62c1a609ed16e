import PeatProtocol

/// The fields of sibling characteristics, chunks, peat-lite frames and beacons
/// (protocol.md 1.5, 5, 7.6).
extension DumpWalk {
  mutating func nodeInfo() {
    node("node", bigEndian: true)
    number(1, "protocol version")
    level()
    capabilities(mask: 0xFFFF)
    battery()
  }

  mutating func syncState() {
    let names = ["idle", "syncing", "complete", "error"]
    number(1, "state") { "\($0) \($0 < 4 ? names[Int($0)] : "read as idle")" }
    number(1, "progress") { "\($0)%" }
    number(2, "pending documents", bigEndian: true)
    number(4, "last sync", bigEndian: true) { DumpWalk.spell(time: $0 * 1000) }
  }

  mutating func command() {
    number(1, "command") { value in
      switch value {
      case 0x01: "1 start_sync"
      case 0x02: "2 stop_sync"
      case 0x03: "3 refresh_info"
      case 0x10: "16 set_hierarchy"
      case 0xFE: "254 ping"
      case 0xFF: "255 reset"
      default: "\(value) read as ping"
      }
    }
    rest("payload")
  }

  mutating func status() {
    flags(
      "flags",
      [
        "connected", "syncing", "pending_data", "low_battery", "bit_4", "bit_5", "bit_6",
        "error",
      ])
    number(1, "children")
    number(1, "parent RSSI") {
      let value = Int8(truncatingIfNeeded: $0)
      return value == 127 ? "127 none" : "\(value) dBm"
    }
    number(2, "uptime", bigEndian: true) { "\($0) minutes" }
  }

  mutating func chunk() {
    number(4, "message id")
    number(2, "chunk index")
    number(2, "total chunks")
    rest("payload")
  }

  mutating func lite() {
    text(4, "magic")
    number(1, "version")
    number(1, "type")
    flags("flags", size: 2, ["lifetime"])
    node("node")
    number(4, "sequence")
    rest("payload")
  }

  mutating func beacon(_ form: BeaconMessage.Form) {
    switch form {
    case .encrypted:
      number(1, "version")
      opaque(4, "nonce")
      opaque(8, "mesh and node", "encrypted")
      opaque(4, "tag")
      capabilities(mask: 0xFFFF)
      level()
      battery()
    case .full, .compact:
      number(2, "version, capabilities", bigEndian: true) {
        "version \($0 >> 12), " + DumpWalk.spell(capabilities: $0 & 0x0FFF)
      }
      node("node", bigEndian: true)
      level()
      if form == .full {
        number(3, "geohash", bigEndian: true) {
          let digits = String($0, radix: 16)
          return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
        }
      }
      battery()
      number(2, "sequence", bigEndian: true)
      if form == .full { opaque(3, "reserved") }
    }
  }

  private mutating func level() {
    number(1, "hierarchy") {
      "\($0) \(HierarchyLevel(clamping: UInt8(truncatingIfNeeded: $0)).name)"
    }
  }

  private mutating func battery() { number(1, "battery") { $0 == 255 ? "255 unknown" : "\($0)%" } }

  private mutating func capabilities(mask: UInt64) {
    number(2, "capabilities", bigEndian: true) { DumpWalk.spell(capabilities: $0 & mask) }
  }

  private static func spell(capabilities value: UInt64) -> String {
    let names = Capabilities(rawValue: UInt16(truncatingIfNeeded: value)).recordNames
    return names.isEmpty ? "\(value)" : "\(value): \(names.joined(separator: ", "))"
  }
}
