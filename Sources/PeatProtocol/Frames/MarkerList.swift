public import WireBytes

/// Android's list of map markers: first byte 0xAC (protocol.md 7.7).
public struct MarkerList: WireValue {
  /// A place that someone marked.
  public struct Marker: Hashable, Sendable {
    /// Identity of the marker, at most 36 bytes.
    public var uid: String
    /// What kind of marker, at most 12 bytes.
    public var type: String
    /// Degrees north.
    public var latitude: Float
    /// Degrees east.
    public var longitude: Float
    /// Metres.
    public var height: Float
    /// Who marked it, at most 16 bytes.
    public var callsign: String
    /// Unix milliseconds.
    public var time: UInt64

    /// Makes a marker.
    public init(
      uid: String, type: String, latitude: Float, longitude: Float, height: Float,
      callsign: String, time: UInt64
    ) {
      self.uid = uid
      self.type = type
      self.latitude = latitude
      self.longitude = longitude
      self.height = height
      self.callsign = callsign
      self.time = time
    }
  }

  /// The first byte.
  public static let marker: UInt8 = 0xAC
  /// Bytes in front of the markers.
  public static let headerSize = 7

  /// The node that sends the list.
  public var node: NodeID
  /// The markers that could be read.
  public var markers: [Marker]
  /// Markers that the list announces.
  public var announcedCount: UInt16
  /// Why the list ended before its announced count; nil when it did not.
  public var stop: FormatFault?

  /// Makes a list.
  public init(node: NodeID, markers: [Marker]) {
    self.node = node
    self.markers = markers
    announcedCount = UInt16(truncatingIfNeeded: markers.count)
  }

  /// Reads a list; a bad or cut marker ends it and those before are kept.
  ///
  /// - Throws: ``FormatFault`` for another first byte and for fewer than 7 bytes.
  public init(decoding reader: inout ByteReader) throws(FormatFault) {
    try reader.require(MarkerList.headerSize, "marker list")
    let start = reader.offset
    guard try reader.u8("marker") == MarkerList.marker else {
      throw FormatFault(reason: "first byte is not 0xAC", offset: start)
    }
    node = try reader.node("node id")
    announcedCount = try reader.le16("marker count")
    markers = []
    for _ in 0..<announcedCount where stop == nil {
      do throws(FormatFault) {
        markers.append(try Marker(decoding: &reader))
      } catch { stop = error }
    }
  }

  /// Appends the list.
  public func encode(into writer: inout ByteWriter) {
    writer.u8(MarkerList.marker)
    writer.le32(node.rawValue)
    writer.le16(UInt16(truncatingIfNeeded: markers.count))
    for marker in markers { marker.encode(into: &writer) }
  }
}

extension MarkerList.Marker {
  init(decoding reader: inout ByteReader) throws(FormatFault) {
    uid = try reader.text(atMost: 36, "marker uid")
    type = try reader.text(atMost: 12, "marker type")
    latitude = try reader.leFloat("latitude")
    longitude = try reader.leFloat("longitude")
    height = try reader.leFloat("height")
    callsign = try reader.text(atMost: 16, "marker callsign")
    time = try reader.le64("marker time")
  }

  func encode(into writer: inout ByteWriter) {
    writer.text(uid, atMost: 36)
    writer.text(type, atMost: 12)
    writer.leFloat(latitude)
    writer.leFloat(longitude)
    writer.leFloat(height)
    writer.text(callsign, atMost: 16)
    writer.le64(time)
  }
}

/// Texts behind a length byte, as Android's own frames hold them.
extension ByteReader {
  /// Reads a text of at most `limit` bytes; what is not UTF-8 is replaced, as Kotlin does.
  mutating func text(atMost limit: Int, _ field: StaticString) throws(FormatFault) -> String {
    let start = offset
    let length = Int(try u8(field))
    guard length <= limit else {
      throw FormatFault(reason: "\(field) of \(length) bytes is above \(limit)", offset: start)
    }
    return String(decoding: try array(length, field), as: UTF8.self)
  }
}

extension ByteWriter {
  /// Appends a length byte and the text, cut to `limit` bytes at a character's border.
  mutating func text(_ text: String, atMost limit: Int) {
    var kept: [UInt8] = []
    for scalar in text.unicodeScalars {
      let encoded = String(scalar).utf8
      guard kept.count + encoded.count <= limit else { break }
      kept.append(contentsOf: encoded)
    }
    u8(UInt8(truncatingIfNeeded: kept.count))
    append(kept)
  }
}
