extension Peripheral {
  /// Reads the body in `start..<end`; nil and a note of why where the reference drops the section.
  static func read(
    _ bytes: borrowing DocumentBytes, _ start: Int, _ end: Int, lengthOffset: Int,
    log: inout [Dropped]
  ) -> Peripheral? {
    let size = end &- start
    let hasEvent = size >= 26 && bytes.u8(start &+ 25) != 0
    let needed = hasEvent ? 43 : 34
    if size < needed {
      drop(
        bytes, start, end, at: lengthOffset, "peripheral needs \(needed) bytes, \(size) present",
        raw: UInt64(max(0, size)), log: &log)
      return nil
    }
    let id = bytes.node(start)
    if id.rawValue == 0 {
      drop(bytes, start, end, at: start, "peripheral id is 0", raw: 0, log: &log)
      return nil
    }
    let callsign = Callsign(low: bytes.le64(start &+ 9), high: bytes.le32(start &+ 17))
    guard callsign.isValid else {
      drop(bytes, start, end, at: start + 9, "callsign is not UTF-8", raw: nil, log: &log)
      return nil
    }
    let health = readHealth(bytes, start &+ 21)
    if let fault = health.fault {
      drop(
        bytes, start, end, at: start + 21 + fault.offset, fault.reason, raw: UInt64(fault.raw),
        log: &log)
      return nil
    }
    let behindEvent = start &+ (hasEvent ? 35 : 26)
    let time = bytes.le64(behindEvent)
    if time != 0 && time < Document.earliestTime {
      drop(
        bytes, start, end, at: behindEvent, "peripheral time \(time) is before 2020", raw: time,
        log: &log)
      return nil
    }

    // From here on the section is kept; parts of it may still go.
    var type = PeripheralType(rawValue: bytes.u8(start &+ 8))
    if !type.isKnown {
      log.append(
        Dropped(
          .peripheral, .clamp, at: start + 8,
          "peripheral type \(type.rawValue) is unknown, read as unknown",
          raw: UInt64(type.rawValue)))
      type = .unknown
    }
    let event = hasEvent ? PeripheralEvent.read(bytes, start &+ 26, log: &log) : nil
    var location: Location?
    var behind = behindEvent &+ 9
    if behindEvent &+ 8 < end && bytes.u8(behindEvent &+ 8) != 0 {
      if let found = Location.read(bytes, behind, end, log: &log) {
        location = found.location
        behind &+= found.size
      } else {
        behind = end
      }
    }
    if behind < end {
      log.append(
        Dropped(
          .peripheral, .skip, at: behind,
          "\(end - behind) bytes behind the peripheral's last field"))
    }
    return Peripheral(
      id: id, parent: bytes.node(start &+ 4), type: type, callsign: callsign, health: health,
      event: event, location: location, time: time)
  }

  @inline(__always)
  private static func readHealth(_ bytes: borrowing DocumentBytes, _ offset: Int) -> Health {
    Health(
      battery: bytes.u8(offset), activity: Activity(rawValue: bytes.u8(offset &+ 1)),
      alerts: Alerts(rawValue: bytes.u8(offset &+ 2)), heartRate: bytes.u8(offset &+ 3))
  }

  private static func drop(
    _ bytes: borrowing DocumentBytes, _ start: Int, _ end: Int, at offset: Int, _ reason: String,
    raw: UInt64?, log: inout [Dropped]
  ) {
    log.append(
      Dropped(
        .peripheral, .drop, at: offset, reason, raw: raw, content: content(bytes, start, end)))
  }

  /// Reads what is there of a peripheral, in range or not, under the names of a sound one.
  static func content(
    _ bytes: borrowing DocumentBytes, _ start: Int, _ end: Int
  ) -> [ContentField] {
    var fields: [ContentField] = []
    let size = end - start
    guard size >= 4 else { return fields }
    fields.append(ContentField("id", .node(bytes.node(start))))
    guard size >= 8 else { return fields }
    let parent = bytes.node(start + 4)
    if parent.rawValue != 0 { fields.append(ContentField("parent", .node(parent))) }
    guard size >= 9 else { return fields }
    fields.append(
      ContentField("type", .text(PeripheralType(rawValue: bytes.u8(start + 8)).name)))
    guard size >= 21 else { return fields }
    let callsign = Callsign(low: bytes.le64(start + 9), high: bytes.le32(start + 17))
    fields.append(ContentField("callsign", .text(callsign.text)))
    guard size >= 25 else { return fields }
    fields.append(ContentField("health", .fields(content(readHealth(bytes, start + 21)))))
    guard size >= 26 else { return fields }
    var offset = start + 26
    if bytes.u8(start + 25) != 0 {
      guard size >= 35 else { return fields }
      let type = EventType(rawValue: bytes.u8(offset))
      fields.append(
        ContentField("event", .fields(PeripheralEvent.content(type, bytes.le64(offset + 1)))))
      offset += PeripheralEvent.encodedSize
    }
    guard offset + 8 <= end else { return fields }
    fields.append(ContentField("time", .integer(bytes.le64(offset))))
    guard offset + 9 <= end, bytes.u8(offset + 8) != 0 else { return fields }
    let location = Location.content(bytes, offset + 9, end)
    if !location.isEmpty { fields.append(ContentField("location", .fields(location))) }
    return fields
  }

  private static func content(_ health: Health) -> [ContentField] {
    var fields = [
      ContentField("battery", .integer(UInt64(health.battery))),
      ContentField("activity", .text(health.activity.name)),
      ContentField("alerts", .list(health.alerts.names.map { .text($0) })),
    ]
    if health.heartRate != 0 {
      fields.append(ContentField("heart_rate", .integer(UInt64(health.heartRate))))
    }
    return fields
  }
}
