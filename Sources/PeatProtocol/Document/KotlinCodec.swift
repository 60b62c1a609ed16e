internal import WireBytes

/// The peripheral as Android's own codec writes it (protocol.md 9.3).
///
/// The frame is a document of version 1 that ends with its 0xAB section; health, location and
/// time stand elsewhere than in the reference's. Nothing is validated, as Android does not.
enum KotlinCodec {
  /// 2020 up to 2100 in milliseconds: what a real time lies in.
  private static let credibleTimes = Document.earliestTime..<4_102_444_800_000

  /// The peripheral that the sender meant; nil where the bytes are not of this codec.
  static func peripheral(_ bytes: borrowing DocumentBytes, counterEnd: Int) -> Peripheral? {
    guard bytes.le32(0) == 1, bytes.u8(counterEnd) == Document.Marker.peripheral else {
      return nil
    }
    let start = counterEnd &+ 4
    let length = Int(bytes.le16(counterEnd &+ 2))
    guard start &+ length == bytes.count else { return nil }
    let hasEvent = bytes.u8(start &+ 25) != 0
    let behindEvent = start &+ (hasEvent ? 35 : 26)
    let hasLocation = bytes.u8(behindEvent) != 0
    switch length {
    case 47, 56:
      // Never written by the reference.
      guard hasLocation, hasEvent == (length == 56) else { return nil }
    case 35, 44:
      // The reference's time stands one byte earlier than this codec's.
      guard hasEvent == (length == 44), !hasLocation,
        credibleTimes.contains(bytes.le64(behindEvent &+ 1)),
        !credibleTimes.contains(bytes.le64(behindEvent))
      else { return nil }
    default: return nil
    }
    return read(bytes, start)
  }

  /// Reads a peripheral body in Android's layout; nil where it is shorter than its flags ask.
  static func peripheral(body: RawSpan) -> Peripheral? {
    let bytes = DocumentBytes(body)
    let hasEvent = bytes.u8(25) != 0
    let hasLocation = bytes.u8(hasEvent ? 35 : 26) != 0
    guard bytes.count >= 35 + (hasEvent ? 9 : 0) + (hasLocation ? 12 : 0) else { return nil }
    return read(bytes, 0)
  }

  /// Reads a body whose length was checked.
  private static func read(_ bytes: borrowing DocumentBytes, _ start: Int) -> Peripheral {
    let hasEvent = bytes.u8(start &+ 25) != 0
    let behindEvent = start &+ (hasEvent ? 35 : 26)
    let hasLocation = bytes.u8(behindEvent) != 0
    let location = behindEvent &+ 1
    return Peripheral(
      id: bytes.node(start), parent: bytes.node(start &+ 4),
      type: PeripheralType(rawValue: bytes.u8(start &+ 8)),
      callsign: Callsign(low: bytes.le64(start &+ 9), high: bytes.le32(start &+ 17)),
      health: Health(
        battery: bytes.u8(start &+ 21), activity: Activity(rawValue: bytes.u8(start &+ 23)),
        alerts: Alerts(rawValue: bytes.u8(start &+ 24)), heartRate: bytes.u8(start &+ 22)),
      event: hasEvent
        ? PeripheralEvent(
          type: EventType(rawValue: bytes.u8(start &+ 26)), time: bytes.le64(start &+ 27))
        : nil,
      location: hasLocation
        ? Location(
          latitude: bytes.float(location), longitude: bytes.float(location &+ 4),
          altitude: bytes.float(location &+ 8)) : nil,
      time: bytes.le64(location &+ (hasLocation ? 12 : 0)))
  }

  /// What Android makes of a peripheral that the reference wrote; nil where its reading would run
  /// past the section's end.
  static func misreading(of peripheral: Peripheral) -> Peripheral? {
    // Where Android looks for a location, the reference has the lowest byte of its time.
    let needed =
      35 + (peripheral.event == nil ? 0 : PeripheralEvent.encodedSize)
      + (peripheral.time & 0xFF == 0 ? 0 : 12)
    guard peripheral.encodedSize >= needed else { return nil }
    var writer = ByteWriter(capacity: peripheral.encodedSize)
    peripheral.encode(into: &writer)
    // Bytes have no padding, so their raw view is wholly initialised.
    return unsafe self.peripheral(body: writer.bytes.span.bytes)
  }
}
