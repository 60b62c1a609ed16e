import BluetoothProtocols

extension ATTServer {
  mutating func prepare(
    _ handle: UInt16, _ offset: Int, _ part: [UInt8], _ database: AttributeDatabase
  ) throws(Refusal) -> [UInt8] {
    guard let attribute = database[handle] else {
      throw Refusal(code: .invalidHandle, handle: handle)
    }
    guard case .value(let properties) = attribute.kind, properties.contains(.write) else {
      throw Refusal(code: .writeNotPermitted, handle: handle)
    }
    guard prepared.count < ATTServer.maximumPrepared,
      preparedBytes + part.count <= ATTServer.maximumPreparedBytes
    else { throw Refusal(code: .prepareQueueFull, handle: handle) }
    prepared.append(Prepared(handle: handle, offset: offset, part: part))
    preparedBytes += part.count
    return ATTEncoder.prepareWrite(
      0x17, handle: handle, offset: UInt16(truncatingIfNeeded: offset), part)
  }

  /// Joins the prepared parts of each value and hands them over, or forgets them. The queue is
  /// empty afterwards, also where a part does not fit (Core Specification Vol 3 Part F, 3.4.6.3).
  mutating func execute(isWrite: Bool) throws(Refusal) {
    let parts = prepared
    prepared = []
    preparedBytes = 0
    guard isWrite else { return }
    var values: [(handle: UInt16, value: [UInt8])] = []
    for part in parts {
      if values.last?.handle != part.handle { values.append((part.handle, [])) }
      let last = values.count - 1
      // A document replaces the one before: parts begin at 0, not in the value of before.
      guard part.offset <= values[last].value.count else {
        throw Refusal(code: .invalidOffset, handle: part.handle)
      }
      guard part.offset + part.part.count <= AttributeDatabase.maximumValueLength else {
        throw Refusal(code: .invalidValueLength, handle: part.handle)
      }
      values[last].value = values[last].value.prefix(part.offset) + part.part
    }
    for (handle, value) in values {
      events.append(.written(handle: handle, value: value, isLong: true))
    }
  }
}
