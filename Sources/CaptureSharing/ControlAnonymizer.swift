import WireBytes

/// Writes HCI commands, events and notes of a monitor anew with pseudonyms, as long as they were
/// (Core Specification Vol 4 Part E, 7).
///
/// What is not known to tell nothing of anybody is blanked.
struct ControlAnonymizer {
  let messages: MessageAnonymizer
  private let advertising: AdvertisingAnonymizer
  private var pseudonyms: Pseudonyms { messages.pseudonyms }
  /// Bytes that the last structure lacks of data that come in parts, by advertiser and set.
  private var missing: [[UInt8]: Int] = [:]

  init(_ messages: MessageAnonymizer) {
    self.messages = messages
    advertising = AdvertisingAnonymizer(messages)
  }

  /// What a part of a packet's parameters is.
  private enum Part {
    case address(Int)
    /// A secret, or what was drawn at random for one.
    case key(Int, Int)
    case resolvingKey(Int)
    case name(Int, Int)
    case data(Int, length: Int)
    case blank(Int)
  }

  // MARK: - Commands

  private static let plainCommands: Set<UInt16> = [
    0x2001, 0x0C01, 0x0C63, 0x200B, 0x2013, 0x2020, 0x2022, 0x2041, 0x2042, 0x2039, 0x2032,
    0x2016, 0x2031, 0x0C33, 0x0C24, 0x0C6D, 0x204D, 0x2024,
  ]

  private static let commandParts: [UInt16: [Part]] = {
    var parts: [UInt16: [Part]] = [
      0x040B: [.address(0), .key(6, 16)], 0x040D: [.address(0), .blank(7)],
      0x0430: [.address(0), .key(6, 32)], 0x0C11: [.blank(0)], 0x0C12: [.address(0)],
      0x0C13: [.name(0, 248)], 0x0C52: [.blank(1)], 0x2005: [.address(0)],
      0x2006: [.address(7)], 0x2008: [.data(1, length: 0)], 0x2009: [.data(1, length: 0)],
      0x200D: [.address(6)], 0x2011: [.address(1)], 0x2012: [.address(1)],
      0x2017: [.key(0, 16), .key(16, 16)], 0x2019: [.key(2, 8), .key(10, 2), .key(12, 16)],
      0x201A: [.key(2, 16)], 0x2026: [.key(0, 64)],
      0x2027: [.address(1), .resolvingKey(7), .resolvingKey(23)], 0x2028: [.address(1)],
      0x202B: [.address(1)], 0x202C: [.address(1)], 0x204E: [.address(1)],
      0x2035: [.address(1)], 0x2036: [.address(12)], 0x2037: [.data(4, length: 3)],
      0x2038: [.data(4, length: 3)], 0x203F: [.data(3, length: 2)], 0x2043: [.address(3)],
      0x2044: [.address(3)], 0x2047: [.address(1)], 0x2048: [.address(1)],
    ]
    for opcode: UInt16 in [
      0x0405, 0x0408, 0x0409, 0x040A, 0x040C, 0x040E, 0x0419, 0x041A, 0x042B, 0x042C, 0x042D,
      0x042E, 0x042F, 0x0433, 0x0434, 0x0C0D,
    ] {
      parts[opcode] = [.address(0)]
    }
    return parts
  }()

  mutating func command(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count > 3 else { return bytes }
    let opcode = UInt16(bytes[1]) << 8 | UInt16(bytes[0])
    let parameters = Array(bytes[3...])
    if let parts = ControlAnonymizer.commandParts[opcode] {
      return bytes[..<3] + replace(parameters, parts)
    }
    // Vendors' own commands say anything.
    if opcode >> 10 == 0x3F { return bytes[..<3] + zeros(parameters.count) }
    if parameters.count < 6 || ControlAnonymizer.plainCommands.contains(opcode) { return bytes }
    return bytes[..<5] + zeros(parameters.count - 2)
  }

  // MARK: - Events

  private static let plainEvents: Set<UInt8> = [
    0x01, 0x05, 0x06, 0x08, 0x0B, 0x0C, 0x0D, 0x0F, 0x10, 0x11, 0x13, 0x14, 0x19, 0x1A, 0x1B,
    0x1C, 0x1D, 0x20, 0x21, 0x23, 0x2D, 0x2E, 0x30, 0x38, 0x39, 0x57, 0x59,
  ]

  private static let eventParts: [UInt8: [Part]] = [
    0x02: [.blank(1)], 0x03: [.address(3)], 0x04: [.address(0)],
    0x07: [.address(1), .name(7, 248)], 0x12: [.address(1)], 0x15: [.blank(1)],
    0x16: [.address(0)], 0x17: [.address(0)], 0x18: [.address(0), .key(6, 16)],
    0x22: [.blank(1)], 0x2C: [.address(3)], 0x2F: [.address(1), .blank(15)], 0x31: [.address(0)],
    0x32: [.address(0)], 0x33: [.address(0), .blank(6)], 0x34: [.address(0)],
    0x35: [.address(0)], 0x36: [.address(1)], 0x3B: [.address(0), .blank(6)],
    0x3D: [.address(0)],
  ]

  private static let lowEnergyParts: [UInt8: [Part]] = [
    0x01: [.address(6)], 0x0A: [.address(6), .address(12), .address(18)],
    0x29: [.address(6), .address(12), .address(18)], 0x05: [.key(3, 8), .key(11, 2)],
    0x08: [.key(2, 64)], 0x09: [.key(2, 32)], 0x0E: [.address(6)], 0x0F: [.blank(5)],
    0x13: [.address(3)], 0x0B: [.blank(1)],
  ]

  private static let plainLowEnergy: Set<UInt8> = [
    0x03, 0x04, 0x06, 0x07, 0x0C, 0x10, 0x11, 0x12, 0x14, 0x19, 0x1A, 0x20, 0x23,
  ]

  private static let plainAnswers: Set<UInt16> = [
    0x1001, 0x1002, 0x1003, 0x1004, 0x1005, 0x2002, 0x2003, 0x2060, 0x201C, 0x202F, 0x203A,
    0x204A, 0x204B, 0x2023, 0x1405,
  ]

  mutating func event(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count > 2 else { return bytes }
    let head = Array(bytes[..<2])
    let parameters = Array(bytes[2...])
    switch bytes[0] {
    case 0x0E: return head + answer(parameters)
    case 0x3E: return head + lowEnergy(parameters)
    case 0xFF:
      // A note of this tool's node on what it serves.
      let isNote = parameters.starts(with: Array("peat-inspect".utf8))
      return isNote ? bytes : head + zeros(parameters.count)
    default: break
    }
    if let parts = ControlAnonymizer.eventParts[bytes[0]] {
      return head + replace(parameters, parts)
    }
    let isPlain = parameters.count < 6 || ControlAnonymizer.plainEvents.contains(bytes[0])
    return isPlain ? bytes : head + zeros(parameters.count)
  }

  /// Command Complete: credits, opcode, and what the command gives back.
  private mutating func answer(_ parameters: [UInt8]) -> [UInt8] {
    guard parameters.count > 4 else { return parameters }
    let opcode = UInt16(parameters[2]) << 8 | UInt16(parameters[1])
    switch opcode {
    case 0x1009, 0x202B, 0x202C: return replace(parameters, [.address(4)])
    case 0x0C14: return replace(parameters, [.name(4, 248)])
    case 0x2017, 0x2018: return replace(parameters, [.key(4, parameters.count - 4)])
    default:
      if parameters.count < 10 || ControlAnonymizer.plainAnswers.contains(opcode) {
        // Short answers hold no more than a status and a handle.
        return opcode >> 10 == 0x3F ? parameters[..<4] + zeros(parameters.count - 4) : parameters
      }
      return parameters[..<4] + zeros(parameters.count - 4)
    }
  }

  private mutating func lowEnergy(_ parameters: [UInt8]) -> [UInt8] {
    switch parameters[0] {
    case 0x02: return reports(parameters, isExtended: false)
    case 0x0D: return reports(parameters, isExtended: true)
    case let code:
      if let parts = ControlAnonymizer.lowEnergyParts[code] { return replace(parameters, parts) }
      let isPlain = parameters.count < 7 || ControlAnonymizer.plainLowEnergy.contains(code)
      return isPlain ? parameters : [code] + zeros(parameters.count - 1)
    }
  }

  /// Advertising reports, one whole report after the other.
  private mutating func reports(_ parameters: [UInt8], isExtended: Bool) -> [UInt8] {
    var result = zeros(parameters.count)
    guard parameters.count >= 2 else { return parameters }
    result.replaceSubrange(0..<2, with: parameters[..<2])
    var place = 2
    let fixed = isExtended ? 24 : 9
    let address = isExtended ? 3 : 2
    while place + fixed <= parameters.count {
      let length = Int(parameters[place + fixed - 1])
      var head = Array(parameters[place..<place + fixed])
      let key = Array(head[address..<address + 6]) + (isExtended ? [head[11]] : [])
      head.replaceSubrange(
        address..<address + 6, with: pseudonyms.addressBytes(Array(head[address..<address + 6])))
      if isExtended {
        head.replaceSubrange(17..<23, with: pseudonyms.addressBytes(Array(head[17..<23])))
      }
      result.replaceSubrange(place..<place + fixed, with: head)
      place += fixed
      let end = min(place + length, parameters.count)
      let skipped = isExtended ? missing[key] ?? 0 : 0
      let (data, left) = advertising.data(Array(parameters[place..<end]), skipping: skipped)
      result.replaceSubrange(place..<end, with: data)
      let isPartial = isExtended && head[0] >> 5 & 3 == 1
      if missing.count > 1024 { missing = [:] }
      missing[key] = isPartial && left > 0 ? left : nil
      place = end
      if !isExtended, place < parameters.count {
        result[place] = parameters[place]
        place += 1
      }
    }
    return result
  }

  // MARK: - Notes of a monitor

  func note(_ bytes: [UInt8], opcode: UInt16) -> [UInt8] {
    switch opcode {
    case 0 where bytes.count >= 8:
      let name = Array(bytes[8...])
      let isUsual = name.starts(with: Array("hci".utf8))
      return bytes[..<2] + pseudonyms.addressBytes(Array(bytes[2..<8]))
        + (isUsual ? name : pseudonyms.text(name))
    case 10 where bytes.count >= 6:
      return pseudonyms.addressBytes(Array(bytes[..<6])) + bytes[6...]
    case 1, 8, 9: return bytes
    default: return zeros(bytes.count)
    }
  }

  // MARK: - Parts

  private func replace(_ parameters: [UInt8], _ parts: [Part]) -> [UInt8] {
    var result = parameters
    for part in parts {
      switch part {
      case .address(let start):
        set(&result, start, 6) { pseudonyms.addressBytes($0) }
      case .key(let start, let count):
        set(&result, start, count) { pseudonyms.bytes($0, "key") }
      case .resolvingKey(let start):
        set(&result, start, 16) { wireKey($0) }
      case .name(let start, let count):
        set(&result, start, min(count, parameters.count - start)) { bytes in
          let length = bytes.firstIndex(of: 0) ?? bytes.count
          return pseudonyms.deviceName(Array(bytes[..<length]))
            + [UInt8](repeating: 0, count: bytes.count - length)
        }
      case .data(let start, let lengthPlace):
        guard lengthPlace < parameters.count, start <= parameters.count else { continue }
        let end = min(start + Int(parameters[lengthPlace]), parameters.count)
        let (data, _) = advertising.data(Array(parameters[start..<max(start, end)]))
        result.replaceSubrange(start..<max(start, end), with: data)
        for place in max(start, end)..<parameters.count { result[place] = 0 }
      case .blank(let start):
        for place in parameters.indices.dropFirst(start) { result[place] = 0 }
      }
    }
    return result
  }

  /// Changes `count` bytes, or blanks what is there of them.
  private func set(
    _ bytes: inout [UInt8], _ start: Int, _ count: Int, _ change: ([UInt8]) -> [UInt8]
  ) {
    guard start < bytes.count, count > 0 else { return }
    guard start + count <= bytes.count else {
      for place in start..<bytes.count { bytes[place] = 0 }
      return
    }
    bytes.replaceSubrange(start..<start + count, with: change(Array(bytes[start..<start + count])))
  }

  /// An identity resolving key as it is on the wire, least significant byte first.
  private func wireKey(_ bytes: [UInt8]) -> [UInt8] {
    if bytes.allSatisfy({ $0 == 0 }) { return bytes }
    return pseudonyms.resolvingKey(bytes.reversed()).reversed()
  }

  private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: max(0, count)) }
}
