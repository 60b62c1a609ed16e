import BluetoothProtocols
import WireBytes

extension ATTServer {
  private func check(_ start: UInt16, _ end: UInt16) throws(Refusal) {
    guard start > 0, start <= end else { throw Refusal(code: .invalidHandle, handle: start) }
  }

  func findInformation(
    _ start: UInt16, _ end: UInt16, mtu: Int, _ database: AttributeDatabase
  ) throws(Refusal) -> [UInt8] {
    try check(start, end)
    var answer: [UInt8] = []
    var size = 0
    for (handle, attribute) in database.attributes(from: start, to: end) {
      let uuid = attribute.type.encoded
      if size == 0 {
        size = uuid.count
        answer = [0x05, size == 2 ? 1 : 2]
      }
      guard uuid.count == size, answer.count + 2 + size <= mtu else { break }
      answer += le(handle) + uuid
    }
    if size == 0 { throw Refusal(code: .attributeNotFound, handle: start) }
    return answer
  }

  func findByTypeValue(
    _ start: UInt16, _ end: UInt16, _ type: BluetoothUUID, _ value: [UInt8], mtu: Int,
    _ database: AttributeDatabase
  ) throws(Refusal) -> [UInt8] {
    try check(start, end)
    var answer: [UInt8] = [0x07]
    for (handle, attribute) in database.attributes(from: start, to: end)
    where attribute.type == type && isReadable(attribute)
      && matches(attribute, type: type, value: value)
    {
      guard answer.count + 4 <= mtu else { break }
      answer += le(handle) + le(attribute.groupEnd)
    }
    if answer.count == 1 { throw Refusal(code: .attributeNotFound, handle: start) }
    return answer
  }

  /// Whether a value is the one looked for; a service may be named by 2 or by 16 bytes.
  private func matches(
    _ attribute: AttributeDatabase.Attribute, type: BluetoothUUID, value: [UInt8]
  ) -> Bool {
    if attribute.value == value { return true }
    guard type == AttributeDatabase.primaryService else { return false }
    var wanted = ByteReader(value.rawBytes, layer: .att)
    guard let uuid = try? BluetoothUUID(&wanted, size: value.count) else { return false }
    return uuid.encoded == attribute.value
  }

  func readByType(
    _ start: UInt16, _ end: UInt16, _ type: BluetoothUUID, mtu: Int,
    _ database: AttributeDatabase
  ) throws(Refusal) -> [UInt8] {
    try check(start, end)
    var answer: [UInt8] = []
    var size = 0
    for (handle, attribute) in database.attributes(from: start, to: end)
    where attribute.type == type {
      guard isReadable(attribute) else {
        if size == 0 { throw Refusal(code: .readNotPermitted, handle: handle) }
        break
      }
      let value = shown(attribute).prefix(min(mtu - 4, 253))
      if size == 0 {
        size = value.count + 2
        answer = [0x09, UInt8(size)]
      }
      guard value.count + 2 == size, answer.count + size <= mtu else { break }
      answer += le(handle) + value
    }
    if size == 0 { throw Refusal(code: .attributeNotFound, handle: start) }
    return answer
  }

  func readByGroupType(
    _ start: UInt16, _ end: UInt16, _ type: BluetoothUUID, mtu: Int,
    _ database: AttributeDatabase
  ) throws(Refusal) -> [UInt8] {
    try check(start, end)
    guard type == AttributeDatabase.primaryService || type == BluetoothUUID(0x2801) else {
      throw Refusal(code: .unsupportedGroupType, handle: start)
    }
    var answer: [UInt8] = []
    var size = 0
    for (handle, attribute) in database.attributes(from: start, to: end)
    where attribute.type == type {
      let value = attribute.value.prefix(min(mtu - 6, 251))
      if size == 0 {
        size = value.count + 4
        answer = [0x11, UInt8(size)]
      }
      guard value.count + 4 == size, answer.count + size <= mtu else { break }
      answer += le(handle) + le(attribute.groupEnd) + value
    }
    if size == 0 { throw Refusal(code: .attributeNotFound, handle: start) }
    return answer
  }

  func read(_ handle: UInt16, _ database: AttributeDatabase) throws(Refusal) -> [UInt8] {
    guard let attribute = database[handle] else {
      throw Refusal(code: .invalidHandle, handle: handle)
    }
    guard isReadable(attribute) else { throw Refusal(code: .readNotPermitted, handle: handle) }
    return shown(attribute)
  }

  mutating func readBlob(
    _ handle: UInt16, _ offset: Int, mtu: Int, _ database: AttributeDatabase
  ) throws(Refusal) -> [UInt8] {
    var value = try read(handle, database)
    if let snapshot, snapshot.handle == handle { value = snapshot.value }
    guard offset <= value.count else { throw Refusal(code: .invalidOffset, handle: handle) }
    return [0x0D] + value.dropFirst(offset).prefix(mtu - 1)
  }

  func readMultiple(
    _ handles: inout ByteReader, opcode: UInt8, mtu: Int, _ database: AttributeDatabase
  ) throws(Refusal) -> [UInt8] {
    var answer = [opcode]
    var count = 0
    while let handle = try? handles.le16() {
      let value = try read(handle, database)
      if opcode == 0x21 { answer += le(UInt16(clamping: value.count)) }
      answer += value
      count += 1
    }
    guard count >= 2, handles.isAtEnd else { throw Refusal(code: .invalidPDU) }
    return Array(answer.prefix(mtu))
  }

  private func isReadable(_ attribute: AttributeDatabase.Attribute) -> Bool {
    switch attribute.kind {
    case .declaration, .clientConfiguration: true
    case .value(let properties): properties.contains(.read)
    }
  }

  private func shown(_ attribute: AttributeDatabase.Attribute) -> [UInt8] {
    if case .clientConfiguration(let subject) = attribute.kind {
      return le(configuration(of: subject))
    }
    return attribute.value
  }

  private func le(_ value: UInt16) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
  }
}
