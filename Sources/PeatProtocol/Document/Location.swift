public import WireBytes

/// A position on the Earth: 9 to 17 bytes (protocol.md 2.6).
public struct Location: Equatable, Sendable, BitwiseCopyable {
  /// Degrees north.
  public var latitude: Float
  /// Degrees east.
  public var longitude: Float
  /// Metres above the reference, if known.
  public var altitude: Float?
  /// Metres of uncertainty, if known.
  public var accuracy: Float?

  /// Makes a position from its parts.
  public init(
    latitude: Float, longitude: Float, altitude: Float? = nil, accuracy: Float? = nil
  ) {
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
    self.accuracy = accuracy
  }

  /// Bytes that `encode` appends.
  public var encodedSize: Int {
    9 + (altitude == nil ? 0 : 4) + (accuracy == nil ? 0 : 4)
  }

  /// Appends latitude, longitude, flags and what the flags announce.
  public func encode(into writer: inout ByteWriter) {
    writer.leFloat(latitude)
    writer.leFloat(longitude)
    writer.u8((altitude == nil ? 0 : 1) | (accuracy == nil ? 0 : 2))
    if let altitude { writer.leFloat(altitude) }
    if let accuracy { writer.leFloat(accuracy) }
  }

  /// Reads a location that lies in `start..<end`; nil and a note of why where it is refused.
  static func read(
    _ bytes: borrowing DocumentBytes, _ start: Int, _ end: Int, log: inout [Dropped]
  ) -> (location: Location, size: Int)? {
    guard end &- start >= 9 else {
      let reason = "location needs 9 bytes, \(max(0, end - start)) present"
      log.append(
        Dropped(.location, .drop, at: start, reason, content: content(bytes, start, end)))
      return nil
    }
    let flags = bytes.u8(start &+ 8)
    let size = 9 &+ (flags & 1 != 0 ? 4 : 0) &+ (flags & 2 != 0 ? 4 : 0)
    let latitude = bytes.float(start)
    let longitude = bytes.float(start &+ 4)
    var altitude: Float?
    var accuracy: Float?
    var fault: (Int, String)?
    if !(latitude >= -90 && latitude <= 90) {
      fault = (start, "latitude \(latitude) is outside -90 to 90")
    } else if !(longitude >= -180 && longitude <= 180) {
      fault = (start + 4, "longitude \(longitude) is outside -180 to 180")
    } else if size > end &- start {
      fault = (start + 8, "location needs \(size) bytes, \(end - start) present")
    } else {
      var offset = start &+ 9
      if flags & 1 != 0 {
        let value = bytes.float(offset)
        altitude = value
        if !(value >= -1000 && value <= 100_000) {
          fault = (offset, "altitude \(value) is outside -1000 to 100000")
        }
        offset &+= 4
      }
      if flags & 2 != 0 {
        let value = bytes.float(offset)
        accuracy = value
        if fault == nil && !(value >= 0 && value.isFinite) {
          fault = (offset, "accuracy \(value) is not a length")
        }
      }
    }
    if let fault {
      log.append(
        Dropped(.location, .drop, at: fault.0, fault.1, content: content(bytes, start, end)))
      return nil
    }
    return (
      Location(
        latitude: latitude, longitude: longitude, altitude: altitude, accuracy: accuracy), size
    )
  }

  /// Reads what is there of a location, in range or not.
  static func content(
    _ bytes: borrowing DocumentBytes, _ start: Int, _ end: Int
  ) -> [ContentField] {
    var fields: [ContentField] = []
    if end - start >= 4 { fields.append(ContentField("latitude", .float(bytes.float(start)))) }
    if end - start >= 8 {
      fields.append(ContentField("longitude", .float(bytes.float(start + 4))))
    }
    guard end - start >= 9 else { return fields }
    let flags = bytes.u8(start + 8)
    var offset = start + 9
    for (bit, name) in [(UInt8(1), "altitude"), (2, "accuracy")] where flags & bit != 0 {
      guard offset + 4 <= end else { break }
      fields.append(ContentField(name, .float(bytes.float(offset))))
      offset += 4
    }
    return fields
  }
}
