public import WireBytes

/// The 8 bytes of the nRF examples' sensor characteristic `f47a0010` (protocol.md 1.1).
public struct SensorReading: WireValue, Hashable, BitwiseCopyable {
  /// Tenths of a degree Celsius.
  public var temperature: Int16
  /// Relative humidity in percent.
  public var humidity: UInt8
  /// Hectopascal.
  public var pressure: UInt16
  /// Percent.
  public var battery: UInt8

  /// Makes a reading from its parts.
  public init(temperature: Int16, humidity: UInt8, pressure: UInt16, battery: UInt8) {
    self.temperature = temperature
    self.humidity = humidity
    self.pressure = pressure
    self.battery = battery
  }

  /// Reads the fields in their wire order; bytes behind them are left unread.
  ///
  /// - Throws: ``FormatFault`` where a field is cut.
  public init(decoding reader: inout ByteReader) throws(FormatFault) {
    try reader.require(8, "sensor reading")
    temperature = Int16(bitPattern: try reader.le16("temperature"))
    humidity = try reader.u8("humidity")
    pressure = try reader.le16("pressure")
    battery = try reader.u8("battery")
    try reader.skip(2, "padding")
  }

  /// Appends the fields in their wire order.
  public func encode(into writer: inout ByteWriter) {
    writer.le16(UInt16(bitPattern: temperature))
    writer.u8(humidity)
    writer.le16(pressure)
    writer.u8(battery)
    writer.le16(0)
  }
}

/// The 8 bytes of the nRF examples' position characteristic `f47a0011` (protocol.md 1.1).
public struct SensorPosition: WireValue, Hashable, BitwiseCopyable {
  /// Degrees north.
  public var latitude: Float
  /// Degrees east.
  public var longitude: Float

  /// Makes a position from its parts.
  public init(latitude: Float, longitude: Float) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Reads the fields in their wire order; bytes behind them are left unread.
  ///
  /// - Throws: ``FormatFault`` where a field is cut.
  public init(decoding reader: inout ByteReader) throws(FormatFault) {
    latitude = try reader.leFloat("latitude")
    longitude = try reader.leFloat("longitude")
  }

  /// Appends the fields in their wire order.
  public func encode(into writer: inout ByteWriter) {
    writer.leFloat(latitude)
    writer.leFloat(longitude)
  }
}

/// The 16 bytes of the nRF examples' emergency characteristic `f47a0012` (protocol.md 1.1).
public struct SensorEmergency: WireValue, Hashable, BitwiseCopyable {
  /// Whether an emergency is on.
  public var isActive: Bool
  /// Milliseconds since the board started.
  public var timestamp: UInt64
  /// Acknowledgements seen.
  public var acknowledgementCount: UInt32

  /// Makes a value from its parts.
  public init(isActive: Bool, timestamp: UInt64, acknowledgementCount: UInt32) {
    self.isActive = isActive
    self.timestamp = timestamp
    self.acknowledgementCount = acknowledgementCount
  }

  /// Reads the fields in their wire order; bytes behind them are left unread.
  ///
  /// - Throws: ``FormatFault`` where a field is cut.
  public init(decoding reader: inout ByteReader) throws(FormatFault) {
    try reader.require(16, "sensor emergency")
    isActive = try reader.u8("active flag") != 0
    timestamp = try reader.le64("timestamp")
    acknowledgementCount = try reader.le32("acknowledgement count")
    try reader.skip(3, "padding")
  }

  /// Appends the fields in their wire order.
  public func encode(into writer: inout ByteWriter) {
    writer.u8(isActive ? 1 : 0)
    writer.le64(timestamp)
    writer.le32(acknowledgementCount)
    writer.append([0, 0, 0])
  }
}
