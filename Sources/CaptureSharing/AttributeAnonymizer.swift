import BluetoothProtocols

/// Writes units of the attribute protocol anew: discovery stays, messages become those that stand
/// for them, and other values are blanked (Core Specification Vol 3 Part F, 3.4).
final class AttributeAnonymizer {
  /// What one connection told so far.
  struct Connection {
    /// A request that waits for its answer: its opcode, and the handle or type it asks for.
    struct Request {
      var opcode: UInt8
      var handle: UInt16
      var type: [UInt8]
    }

    /// By channel and sender.
    var requests: [Int: Request] = [:]
    /// Types of values by the server's side and handle, as discovery told them.
    var types: [Int: [UInt8]] = [:]
    /// Parts of long writes and what stands for them, as the answers repeat them.
    var prepared: [[UInt8]: [UInt8]] = [:]
  }

  private let pseudonyms: Pseudonyms
  private let plans: ValuePlans
  private let keepsForeign: Bool
  /// Types on any earlier connection, for devices that know each other.
  private var knownTypes: [Int: [UInt8]] = [:]

  init(_ pseudonyms: Pseudonyms, plans: ValuePlans, keepsForeign: Bool) {
    self.pseudonyms = pseudonyms
    self.plans = plans
    self.keepsForeign = keepsForeign
  }

  /// The unit that stands for one, as far as it was captured.
  func unit(
    _ bytes: [UInt8], channel: UInt16, sender: Int, frame: Int, _ connection: inout Connection
  ) -> [UInt8] {
    guard let opcode = bytes.first else { return [] }
    let key = Int(channel == 4 ? 0 : 1) << 1 | sender
    let server = sender
    func handle(_ place: Int) -> UInt16 {
      bytes.count >= place + 2 ? UInt16(bytes[place + 1]) << 8 | UInt16(bytes[place]) : 0
    }
    switch opcode {
    case 0x0A, 0x0C:
      connection.requests[key] = Connection.Request(
        opcode: opcode, handle: handle(1), type: [])
      return bytes
    case 0x08, 0x10:
      connection.requests[key] = Connection.Request(
        opcode: opcode, handle: 0, type: Array(bytes.dropFirst(5)))
      return bytes
    case 0x0B, 0x0D, 0x0F:
      let request = connection.requests[key ^ 1] ?? connection.requests[key]
      let value = Array(bytes[1...])
      let type = request.flatMap { valueType(of: $0.handle, server, connection) }
      return [opcode] + self.value(value, frame, handle: nil, type: type)
    case 0x09:
      let request = connection.requests[key ^ 1] ?? connection.requests[key]
      return entries(bytes, request?.type ?? [], server, frame, &connection)
    case 0x12, 0x52, 0xD2, 0x1B, 0x1D:
      guard bytes.count >= 3 else { return bytes }
      let isFromServer = opcode == 0x1B || opcode == 0x1D
      let type = valueType(
        of: handle(1), isFromServer ? sender : 1 - sender, connection)
      let value = Array(bytes[3...])
      if opcode == 0xD2, value.count >= 12 {
        let signed = Array(value.dropLast(12))
        return bytes[..<3] + self.value(signed, frame, handle: handle(1), type: type)
          + pseudonyms.bytes(Array(value.suffix(12)), "signature")
      }
      return bytes[..<3] + self.value(value, frame, handle: handle(1), type: type)
    case 0x16, 0x17:
      guard bytes.count >= 5 else { return bytes }
      return bytes[..<5] + prepared(bytes, frame, handle: handle(1), &connection)
    case 0x23: return [opcode] + several(Array(bytes[1...]), frame)
    case 0x21: return [opcode] + several(Array(bytes[1...]), frame, hasHandles: false)
    case 0x01...0x07, 0x0E, 0x11, 0x13, 0x18, 0x19, 0x1E, 0x20: return bytes
    default: return [opcode] + [UInt8](repeating: 0, count: bytes.count - 1)
    }
  }

  private func valueType(of handle: UInt16, _ server: Int, _ connection: Connection) -> [UInt8]? {
    let key = Int(handle) << 1 | server
    return connection.types[key] ?? knownTypes[key]
  }

  /// Read By Type: declarations name the handles of values; other types have values.
  private func entries(
    _ bytes: [UInt8], _ type: [UInt8], _ server: Int, _ frame: Int,
    _ connection: inout Connection
  ) -> [UInt8] {
    guard bytes.count >= 2, bytes[1] >= 2 else { return bytes }
    let size = Int(bytes[1])
    if type == [0x02, 0x28] { return bytes }
    if type == [0x03, 0x28] {
      for place in stride(from: 2, to: bytes.count, by: size) where place + size <= bytes.count {
        guard size == 7 || size == 21 else { break }
        let key = (Int(bytes[place + 3]) | Int(bytes[place + 4]) << 8) << 1 | server
        connection.types[key] = Array(bytes[place + 5..<place + size])
        if knownTypes.count < 65_536 { knownTypes[key] = connection.types[key] }
      }
      return bytes
    }
    var result = Array(bytes[..<2])
    for place in stride(from: 2, to: bytes.count, by: size) {
      let end = min(place + size, bytes.count)
      let head = min(place + 2, end)
      result += bytes[place..<head]
      let handle = head - place == 2 ? UInt16(bytes[place + 1]) << 8 | UInt16(bytes[place]) : nil
      result += value(Array(bytes[head..<end]), frame, handle: handle, type: type)
    }
    return result
  }

  /// A part of a long write; the answer repeats it.
  private func prepared(
    _ bytes: [UInt8], _ frame: Int, handle: UInt16, _ connection: inout Connection
  ) -> [UInt8] {
    let part = Array(bytes[5...])
    let offset = Int(bytes[4]) << 8 | Int(bytes[3])
    let key = Array(bytes[1...])
    if let new = plans.substitute(for: part, in: frame, handle: handle, offset: offset) {
      if connection.prepared.count > 1024 { connection.prepared = [:] }
      connection.prepared[key] = new
      return new
    }
    return connection.prepared[key] ?? foreign(part, type: nil)
  }

  /// Values behind their lengths, and behind their handles in a notification of several.
  private func several(_ bytes: [UInt8], _ frame: Int, hasHandles: Bool = true) -> [UInt8] {
    var result: [UInt8] = []
    var place = 0
    let head = hasHandles ? 4 : 2
    while place + head <= bytes.count {
      let length = Int(bytes[place + head - 2]) | Int(bytes[place + head - 1]) << 8
      let handle = hasHandles ? UInt16(bytes[place + 1]) << 8 | UInt16(bytes[place]) : nil
      let end = min(place + head + length, bytes.count)
      result += bytes[place..<place + head]
      result += value(Array(bytes[(place + head)..<end]), frame, handle: handle, type: nil)
      place = end
    }
    return result + [UInt8](repeating: 0, count: bytes.count - result.count)
  }

  private func value(
    _ bytes: [UInt8], _ frame: Int, handle: UInt16?, type: [UInt8]?
  ) -> [UInt8] {
    plans.substitute(for: bytes, in: frame, handle: handle, offset: nil)
      ?? foreign(bytes, type: type)
  }

  /// A value that is no message.
  private func foreign(_ bytes: [UInt8], type: [UInt8]?) -> [UInt8] {
    // What configures a client says nothing of anybody.
    if bytes.count == 2, bytes[0] <= 3, bytes[1] == 0 { return bytes }
    let blank = [UInt8](repeating: 0, count: bytes.count)
    guard let type, type.count == 2 else { return keepsForeign ? bytes : blank }
    let length = bytes.firstIndex(of: 0) ?? bytes.count
    let padding = [UInt8](repeating: 0, count: bytes.count - length)
    switch UInt16(type[1]) << 8 | UInt16(type[0]) {
    case 0x2A00: return pseudonyms.deviceName(Array(bytes[..<length])) + padding
    case 0x2A24...0x2A29: return pseudonyms.text(Array(bytes[..<length])) + padding
    case 0x2A23, 0x2A50: return blank
    case 0x2B2A: return pseudonyms.bytes(bytes, "database")
    case 0x2A01, 0x2A04, 0x2A05, 0x2AA6, 0x2B29, 0x2B3A, 0x2803: return bytes
    default: return keepsForeign ? bytes : blank
    }
  }
}
