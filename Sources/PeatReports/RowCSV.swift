import BluetoothProtocols
import PeatDissection
import PeatProtocol
import PeatReplay
package import PeatTimeline
package import WireBytes

/// Rows of the timeline as CSV (cli.md, "The CSV timeline").
extension OutputText {
  private static let carriageColumns = [
    "file", "frame", "time", "elapsed", "adapter", "connection", "local", "peer", "role",
    "direction", "opcode", "handle", "characteristic", "resolved_by",
  ]
  private static let effectColumns = ["changed", "mesh_total", "findings", "payload"]

  /// All columns of the timeline.
  static var columns: [String] { carriageColumns + MessageCSV.columns + effectColumns }

  /// Appends the header row.
  package mutating func appendCSVHeader() {
    append(raw: OutputText.columns.joined(separator: ","))
    append("\n")
  }

  /// Appends one row and its line end.
  package mutating func append(csv row: TimelineRow) {
    append(carriage: row)
    append(",")
    MessageCSV.append(row.message, byteCount: row.value.length, to: &self)
    append(",")
    append(json: row.effect.isChanged)
    append(",")
    append(decimal: row.effect.meshTotal)
    append(",")
    append(raw: row.findings.map(\.code.rawValue).joined(separator: ";"))
    append(",")
    if !row.value.payload.isEmpty { append("0x") }
    append(hex: row.value.payload)
    append("\n")
  }

  /// The columns from `file` to `resolved_by`.
  private mutating func append(carriage row: TimelineRow) {
    let value = row.value
    append(csvField: row.file)
    append(",")
    append(decimal: value.frame)
    append(",")
    if let time = value.time { append(utc: time) }
    append(",")
    if let elapsed = row.elapsed {
      append(seconds: elapsed, decimals: value.time?.isNanosecondPrecise == true ? 9 : 6)
    }
    append(",")
    append(decimal: value.link.adapter)
    append(",")
    if value.advertisement == nil { append(decimal: value.link.connection) }
    append(",")
    append(raw: value.link.local?.description ?? "")
    append(",")
    append(raw: value.link.peer?.description ?? "")
    append(",")
    append(raw: value.link.role?.rawValue ?? "")
    append(",")
    append(raw: value.direction.rawValue)
    append(",")
    append(raw: value.opcode.rawValue)
    append(",")
    if value.advertisement == nil { append(decimal: value.handle) }
    append(",")
    append(raw: value.characteristic?.description ?? "")
    append(",")
    append(raw: value.resolution?.rawValue ?? "")
  }
}
