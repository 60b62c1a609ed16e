import PeatProtocol

/// The fields of a plain document (protocol.md 2).
extension DumpWalk {
  mutating func document(isKotlin: Bool) {
    number(4, "version")
    node("node")
    let claimed = number(4, "counter entries")
    var index = 0
    while index < claimed && remaining > 0 && !isCut {
      node("counter[\(index)] node")
      number(8, "counter[\(index)] count")
      index += 1
    }
    while remaining > 0 && !isCut { section(isKotlin: isKotlin) }
  }

  private mutating func section(isKotlin: Bool) {
    let marker = bytes[offset]
    guard (0xAB...0xAD).contains(marker) else {
      rest("not decoded")
      return
    }
    let name = marker == 0xAB ? "peripheral" : marker == 0xAC ? "emergency" : "chat"
    number(1, "section") { "0x\(String($0, radix: 16)) \(name)" }
    number(1, "reserved")
    let length = Int(number(2, "section length"))
    guard !isCut else { return }
    let whole = end
    end = min(whole, offset + length)
    switch marker {
    case 0xAB: peripheral(isKotlin: isKotlin)
    case 0xAC: emergency()
    default: chat()
    }
    if !isCut { rest("unused") }
    // A section that ends too early says nothing about the next one.
    isCut = false
    offset = end
    end = whole
  }

  /// The body of a peripheral in the layout of one codec (protocol.md 2.3, 9.3).
  mutating func peripheral(isKotlin: Bool) {
    node("peripheral id")
    node("parent")
    number(1, "type") {
      "\($0) \(PeripheralType(rawValue: UInt8(truncatingIfNeeded: $0)).name)"
    }
    text(Callsign.encodedSize, "callsign")
    number(1, "battery") { "\($0)%" }
    if isKotlin { heartRate() }
    number(1, "activity") { "\($0) \(Activity(rawValue: UInt8(truncatingIfNeeded: $0)).name)" }
    alerts()
    if !isKotlin { heartRate() }
    if number(1, "has event", DumpWalk.yesNo) != 0 {
      event()
    }
    if isKotlin {
      let hasLocation = number(1, "has location", DumpWalk.yesNo) != 0
      if hasLocation { position() }
      time("time")
    } else {
      time("time")
      if remaining > 0, number(1, "has location", DumpWalk.yesNo) != 0 { location() }
    }
  }

  private mutating func heartRate() { number(1, "heart rate") { $0 == 0 ? "0 absent" : "\($0)" } }

  mutating func alerts() {
    flags(
      "alerts", ["man_down", "low_battery", "out_of_range", "custom_1"])
  }

  mutating func event() {
    number(1, "event") { "\($0) \(EventType(rawValue: UInt8(truncatingIfNeeded: $0)).name)" }
    time("event time")
  }

  private mutating func position() {
    float("latitude")
    float("longitude")
    float("altitude")
  }

  private mutating func location() {
    float("latitude")
    float("longitude")
    let flags = number(1, "location flags") {
      let names = ($0 & 1 != 0 ? ["altitude"] : []) + ($0 & 2 != 0 ? ["accuracy"] : [])
      return names.isEmpty ? "\($0)" : "\($0): \(names.joined(separator: ", "))"
    }
    if flags & 1 != 0 { float("altitude") }
    if flags & 2 != 0 { float("accuracy") }
  }

  private mutating func emergency() {
    node("emergency source")
    time("emergency time")
    let claimed = number(4, "ack entries")
    var index = 0
    while index < claimed && remaining > 0 && !isCut {
      node("ack[\(index)] node")
      number(1, "ack[\(index)] given", DumpWalk.yesNo)
      index += 1
    }
  }

  private mutating func chat() {
    let claimed = number(2, "chat messages")
    var index = 0
    while index < claimed && remaining > 0 && !isCut {
      node("chat[\(index)] origin")
      time("chat[\(index)] time")
      text(Int(number(1, "chat[\(index)] sender length")), "chat[\(index)] sender")
      text(Int(number(1, "chat[\(index)] text length")), "chat[\(index)] text")
      flags("chat[\(index)] flags", ["broadcast", "ack_wanted"])
      if remaining >= 12 {
        node("chat[\(index)] reply node")
        time("chat[\(index)] reply time")
      }
      index += 1
    }
  }

  static func yesNo(_ value: UInt64) -> String { value == 0 ? "0 no" : "\(value) yes" }
}
