import PeatProtocol

/// The fields of a delta document in either dialect (protocol.md 7.3).
extension DumpWalk {
  mutating func delta(isKotlin: Bool) {
    marker()
    let flags = bytes.count > 1 ? bytes[1] : 0
    self.flags("flags", ["vector_clock", "response"])
    node("origin")
    time("time")
    if flags & 1 != 0 && !isKotlin { clock() }
    let claimed = number(2, "operations")
    var index = 0
    while index < claimed && remaining > 0 && !isCut {
      operation(index, isKotlin: isKotlin)
      index += 1
    }
    rest("unused")
  }

  private mutating func clock() {
    let claimed = number(4, "clock entries")
    var index = 0
    while index < claimed && remaining > 0 && !isCut {
      node("clock[\(index)] node")
      number(8, "clock[\(index)] value")
      index += 1
    }
  }

  private mutating func operation(_ index: Int, isKotlin: Bool) {
    let byte = bytes[offset]
    let name = DumpWalk.name(ofOperation: byte, isKotlin: isKotlin)
    number(1, "op[\(index)]") { "0x\(String($0, radix: 16)) \(name)" }
    switch byte {
    case 0x01:
      number(1, "counter id")
      node("counter node")
      number(8, "amount")
      time("time")
    case 0x02:
      time("time")
      let length = Int(number(2, "peripheral length"))
      part(length) { $0.peripheral(isKotlin: isKotlin) }
    case 0x03:
      node("emergency source")
      time("emergency time")
      let peers = number(1, "known peers")
      var peer = 0
      while peer < peers && !isCut {
        node("peer[\(peer)]")
        peer += 1
      }
    case 0x04:
      node("acknowledging node")
      time("emergency time")
    case 0x05: time("emergency time")
    case 0x10...0x13 where isKotlin: kotlinField(byte)
    case 0x10...0x1F:
      number(1, "op code")
      node("source")
      time("time")
      opaque(Int(number(2, "payload length")), "payload")
    default: if !isKotlin { rest("not decoded") }
    }
  }

  private mutating func kotlinField(_ byte: UInt8) {
    switch byte {
    case 0x10:
      float("latitude")
      float("longitude")
      float("altitude")
    case 0x11:
      number(1, "battery") { "\($0)%" }
      number(1, "heart rate")
      number(1, "activity") { "\($0) \(Activity(rawValue: UInt8(truncatingIfNeeded: $0)).name)" }
      alerts()
    case 0x12: text(Int(number(1, "callsign length")), "callsign")
    default: event()
    }
  }

  /// Walks the next `length` bytes by themselves.
  mutating func part(_ length: Int, _ body: (inout DumpWalk) -> Void) {
    guard !isCut else { return }
    let whole = end
    end = min(whole, offset + length)
    body(&self)
    if !isCut { rest("unused") }
    isCut = false
    offset = end
    end = whole
  }

  private static func name(ofOperation byte: UInt8, isKotlin: Bool) -> String {
    switch byte {
    case 0x01: "counter"
    case 0x02: "peripheral"
    case 0x03: "set_emergency"
    case 0x04: "ack"
    case 0x05: "clear"
    case 0x10 where isKotlin: "location"
    case 0x11 where isKotlin: "health"
    case 0x12 where isKotlin: "callsign"
    case 0x13 where isKotlin: "event"
    case 0x10...0x1F: "app 0xc\(String(byte & 15, radix: 16))"
    default: "unknown"
    }
  }
}
