import BluetoothProtocols
import WireBytes

/// The order of a discovery: all services, the characteristics of each that is worth it until one has
/// something wanted, the descriptors of those to listen to (Core Specification Vol 3 Part G, 4.4 to
/// 4.7).
extension ATTClient {
  mutating func findServices(from start: UInt16) {
    send(
      .services(from: start),
      ATTEncoder.readByType(0x10, start: start, end: 0xFFFF, type: BluetoothUUID(0x2800)))
  }

  mutating func learnServices(_ size: Int, _ entries: inout ByteReader) {
    var last: UInt16 = 0
    while entries.remaining >= size, size == 6 || size == 20,
      let start = try? entries.le16(), let end = try? entries.le16(),
      let uuid = try? BluetoothUUID(&entries, size: size - 4)
    {
      guard start > last, end >= start else { break }
      last = end
      if search.rank(uuid) != nil, services.count < ATTClient.maximumServices {
        services.append(Service(start: start, end: end, uuid: uuid))
      }
    }
    // An answer that leads no further ends the search instead of repeating it for ever.
    if last == 0 || last == 0xFFFF { endServices() } else { findServices(from: last + 1) }
  }

  mutating func endServices() {
    // A server may have several services for the same thing; the order of equals stays.
    let ranked = services.enumerated().sorted {
      (search.rank($0.element.uuid) ?? .max, $0.offset)
        < (search.rank($1.element.uuid) ?? .max, $1.offset)
    }
    services = ranked.map(\.element)
    nextService(0)
  }

  mutating func nextService(_ index: Int) {
    guard index < services.count else {
      events.append(.notFound)
      return
    }
    findCharacteristics(of: index, from: services[index].start)
  }

  private mutating func findCharacteristics(of service: Int, from start: UInt16) {
    send(
      .characteristics(service: service, from: start),
      ATTEncoder.readByType(
        0x08, start: start, end: services[service].end, type: BluetoothUUID(0x2803)))
  }

  mutating func learnCharacteristics(_ service: Int, _ size: Int, _ entries: inout ByteReader) {
    let range = services[service]
    var last: UInt16 = 0
    while entries.remaining >= size, size == 7 || size == 21,
      let declaration = try? entries.le16(), let bits = try? entries.u8(),
      let handle = try? entries.le16(), let uuid = try? BluetoothUUID(&entries, size: size - 5)
    {
      guard declaration > last, declaration <= range.end else { break }
      last = declaration
      // The descriptors of a characteristic end where the next declaration stands.
      for index in candidates.indices where declaration > candidates[index].handle {
        candidates[index].end = min(candidates[index].end, declaration - 1)
      }
      let found = FoundCharacteristic(
        handle: handle, properties: CharacteristicProperties(rawValue: bits), uuid: uuid,
        use: search.use(uuid, range.uuid), end: range.end)
      if found.isUsable, candidates.count < ATTClient.maximumCandidates {
        candidates.append(found)
      }
    }
    if last == 0 || last >= range.end {
      endCharacteristics(of: service)
    } else {
      findCharacteristics(of: service, from: last + 1)
    }
  }

  mutating func endCharacteristics(of service: Int) {
    if candidates.isEmpty { nextService(service + 1) } else { listen(to: 0) }
  }

  /// Subscribes to the candidates from one on; they are ready after the last.
  mutating func listen(to index: Int) {
    guard let next = candidates.indices.first(where: { $0 >= index && candidates[$0].isListenedTo })
    else {
      found = candidates
      events.append(.ready(found))
      return
    }
    findDescriptors(of: next, from: candidates[next].handle)
  }

  private mutating func findDescriptors(of index: Int, from handle: UInt16) {
    guard handle < candidates[index].end else {
      listen(to: index + 1)
      return
    }
    send(
      .descriptors(candidate: index, from: handle + 1),
      ATTEncoder.fields(0x04, handle + 1, candidates[index].end))
  }

  mutating func learnDescriptors(
    of index: Int, _ from: UInt16, _ size: Int, _ entries: inout ByteReader
  ) {
    guard candidates.indices.contains(index) else { return }
    var last: UInt16 = 0
    while entries.remaining >= size + 2, let handle = try? entries.le16(),
      let uuid = try? BluetoothUUID(&entries, size: size)
    {
      guard handle > last, handle >= from else { break }
      last = handle
      if uuid == BluetoothUUID(0x2902), candidates[index].configuration == nil {
        candidates[index].configuration = handle
      }
    }
    if let configuration = candidates[index].configuration {
      let bits: UInt8 = candidates[index].properties.contains(.notify) ? 1 : 2
      send(
        .subscribe(candidate: index),
        ATTEncoder.value(0x12, handle: configuration, [bits, 0]))
    } else if last == 0 || last == 0xFFFF {
      listen(to: index + 1)
    } else {
      findDescriptors(of: index, from: last)
    }
  }
}
