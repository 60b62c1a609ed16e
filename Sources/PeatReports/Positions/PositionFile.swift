package import PeatProtocol
package import WireBytes

/// Positions for maps, as GeoJSON (RFC 7946) or KML 2.2 (OGC 07-147r2).
package struct PositionFile {
  /// Which of the two.
  package enum Form: String, Sendable { case geojson, kml }

  /// Where a node was, and from what that is known.
  package struct Fix {
    package var node: NodeID
    package var callsign: String?
    package var location: Location
    package var time: Timestamp?
    package var battery: UInt8?
    /// The message that told it; nil for a state.
    package var file: String?
    package var frame: Int?

    package init(
      node: NodeID, callsign: String?, location: Location, time: Timestamp?, battery: UInt8?,
      file: String? = nil, frame: Int? = nil
    ) {
      self.node = node
      self.callsign = callsign
      self.location = location
      self.time = time
      self.battery = battery
      self.file = file
      self.frame = frame
    }
  }

  private let form: Form
  private var isFirst = true

  package init(_ form: Form) { self.form = form }

  /// Appends what stands before the positions.
  package func begin(to text: inout OutputText) {
    switch form {
    case .geojson: text.append("{\"type\":\"FeatureCollection\",\"features\":[")
    case .kml:
      text.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
      text.append("<kml xmlns=\"http://www.opengis.net/kml/2.2\"><Document>\n")
    }
  }

  /// Appends what stands behind them.
  package func end(to text: inout OutputText) {
    switch form {
    case .geojson: text.append("\n]}\n")
    case .kml: text.append("</Document></kml>\n")
    }
  }

  /// Appends a position.
  package mutating func append(_ fix: Fix, to text: inout OutputText) {
    // A number that is none has no place in either.
    guard fix.location.latitude.isFinite, fix.location.longitude.isFinite,
      fix.location.altitude?.isFinite ?? true, fix.location.accuracy?.isFinite ?? true
    else { return }
    switch form {
    case .geojson: appendFeature(fix, to: &text)
    case .kml: appendPlacemark(fix, to: &text)
    }
    isFirst = false
  }

  private func appendFeature(_ fix: Fix, to text: inout OutputText) {
    text.append(raw: isFirst ? "\n" : ",\n")
    text.append("{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[")
    append(fix.location, to: &text)
    text.append("]},\"properties\":{\"node\":")
    text.append(json: fix.node)
    text.field("callsign", fix.callsign)
    text.field("time", fix.time)
    text.field("battery", fix.battery)
    if let accuracy = fix.location.accuracy {
      text.append(key: "accuracy")
      text.append(float: accuracy)
    }
    text.field("file", fix.file)
    text.field("frame", fix.frame)
    text.append("}}")
  }

  private func append(_ location: Location, to text: inout OutputText) {
    text.append(float: location.longitude)
    text.append(",")
    text.append(float: location.latitude)
    if let altitude = location.altitude {
      text.append(",")
      text.append(float: altitude)
    }
  }

  private func appendPlacemark(_ fix: Fix, to text: inout OutputText) {
    let name = fix.callsign.flatMap { $0.isEmpty ? nil : $0 } ?? "\(fix.node)"
    text.append(raw: "<Placemark><name>\(PositionFile.escaped(name))</name>")
    if let time = fix.time {
      text.append("<TimeStamp><when>")
      text.append(utc: time)
      text.append("</when></TimeStamp>")
    }
    text.append("<ExtendedData>")
    var data: [(String, String)] = [("node", "\(fix.node)")]
    if let battery = fix.battery { data.append(("battery", "\(battery)")) }
    if let accuracy = fix.location.accuracy { data.append(("accuracy", "\(accuracy)")) }
    if let file = fix.file { data.append(("file", file)) }
    if let frame = fix.frame { data.append(("frame", "\(frame)")) }
    for (key, value) in data {
      text.append(
        raw: "<Data name=\"\(key)\"><value>\(PositionFile.escaped(value))</value></Data>")
    }
    text.append("</ExtendedData><Point>")
    if fix.location.altitude != nil { text.append("<altitudeMode>absolute</altitudeMode>") }
    text.append("<coordinates>")
    append(fix.location, to: &text)
    text.append("</coordinates></Point></Placemark>\n")
  }

  /// Text of XML, without markup and without what acts on a screen.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in OutputText.neutral(text).unicodeScalars {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }
}
