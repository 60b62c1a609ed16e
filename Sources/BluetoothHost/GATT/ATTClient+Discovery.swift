import BluetoothProtocols
import WireBytes

/// The order of a discovery: all services, the characteristics of each that is worth it, the
/// descriptors of the first that is wanted (Core Specification Vol 3 Part G, 4.4 to 4.7).
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
      if search.isService(uuid), services.count < ATTClient.maximumServices {
        services.append(Service(start: start, end: end, uuid: uuid))
      }
    }
    // An answer that leads no further ends the search instead of repeating it for ever.
    if last == 0 || last == 0xFFFF { nextService(0) } else { findServices(from: last + 1) }
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
      if let known = candidate, declaration > known.handle {
        candidate?.end = min(known.end, declaration - 1)
      } else if candidate == nil, search.isWanted(uuid, range.uuid) {
        candidate = FoundCharacteristic(
          handle: handle, properties: CharacteristicProperties(rawValue: bits), uuid: uuid,
          end: range.end)
      }
    }
    if last == 0 || last >= range.end {
      endCharacteristics(of: service)
    } else {
      findCharacteristics(of: service, from: last + 1)
    }
  }

  mutating func endCharacteristics(of service: Int) {
    guard let candidate else {
      nextService(service + 1)
      return
    }
    findDescriptors(from: candidate.handle)
  }

  private mutating func findDescriptors(from handle: UInt16) {
    guard let candidate, handle < candidate.end,
      !candidate.properties.isDisjoint(with: [.notify, .indicate])
    else {
      finish()
      return
    }
    send(
      .descriptors(from: handle + 1), ATTEncoder.fields(0x04, handle + 1, candidate.end))
  }

  mutating func learnDescriptors(_ from: UInt16, _ size: Int, _ entries: inout ByteReader) {
    var last: UInt16 = 0
    while entries.remaining >= size + 2, let handle = try? entries.le16(),
      let uuid = try? BluetoothUUID(&entries, size: size)
    {
      guard handle > last, handle >= from else { break }
      last = handle
      if uuid == BluetoothUUID(0x2902), candidate?.configuration == nil {
        candidate?.configuration = handle
      }
    }
    if let candidate, let configuration = candidate.configuration {
      let bits: UInt8 = candidate.properties.contains(.notify) ? 1 : 2
      send(.subscribe, ATTEncoder.value(0x12, handle: configuration, [bits, 0]))
    } else if last == 0 || last == 0xFFFF {
      finish()
    } else {
      findDescriptors(from: last)
    }
  }

  mutating func finish() {
    guard let candidate else { return }
    found = candidate
    events.append(.ready(candidate))
  }
}
