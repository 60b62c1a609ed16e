import BluetoothProtocols
import PeatDissection
import PeatProtocol
import PeatReplay
package import PeatTimeline
package import WireBytes

/// Rows of the timeline as CSV (cli.md, "The CSV timeline").
extension OutputText {
  /// Appends the header row.
  package mutating func appendCSVHeader() {
    append(
      """
      file,frame,time,elapsed,adapter,connection,local,peer,role,direction,opcode,handle,\
      characteristic,resolved_by,kind,node,version,bytes,total,counter,peripheral_id,parent,\
      peripheral_type,callsign,battery,activity,alerts,heart_rate,event,event_time,latitude,\
      longitude,altitude,accuracy,emergency_source,emergency_time,acked,pending,changed,\
      mesh_total,findings,payload\n
      """)
  }

  /// Appends one row and its line end.
  package mutating func append(csv row: TimelineRow) {
    append(carriage: row)
    append(",")
    append(raw: row.message.kind.rawValue)
    append(",")
    if let node = row.message.node { append(upperHex: node.rawValue) }
    append(",")
    let decoded = row.document
    if let decoded { append(decimal: decoded.document.version) }
    append(",")
    append(decimal: row.value.length)
    append(",")
    if let decoded { append(decimal: decoded.document.counter.total) }
    append(",")
    append(counter: decoded?.document.counter)
    append(",")
    append(peripheral: decoded.flatMap { $0.kotlin ?? $0.document.peripheral })
    append(",")
    append(emergency: decoded?.document.emergency)
    append(",")
    if row.effect.isChanged { append("true") } else { append("false") }
    append(",")
    append(decimal: row.effect.meshTotal)
    append(",")
    append(list: row.findings.map(\.code.rawValue))
    append(",")
    append(hex: row.value.payload)
    append("\n")
  }

  /// The columns from `file` to `resolved_by`.
  private mutating func append(carriage row: TimelineRow) {
    let value = row.value
    append(csv: row.file)
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
    append(decimal: value.link.connection)
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
    append(decimal: value.handle)
    append(",")
    append(raw: value.characteristic?.description ?? "")
    append(",")
    append(raw: value.resolution?.rawValue ?? "")
  }

  private mutating func append(counter: GCounter?) {
    guard let counter else { return }
    for (index, entry) in counter.entries.enumerated() {
      if index > 0 { append(";") }
      append(upperHex: entry.node.rawValue)
      append("=")
      append(decimal: entry.count)
    }
  }

  /// The columns from `peripheral_id` to `accuracy`.
  private mutating func append(peripheral: Peripheral?) {
    guard let peripheral else {
      append(",,,,,,,,,,,,,")
      return
    }
    append(upperHex: peripheral.id.rawValue)
    append(",")
    if peripheral.parent.rawValue != 0 { append(upperHex: peripheral.parent.rawValue) }
    append(",")
    append(raw: peripheral.type.name)
    append(",")
    append(csv: peripheral.callsign.text)
    append(",")
    append(decimal: peripheral.health.battery)
    append(",")
    append(raw: peripheral.health.activity.name)
    append(",")
    append(list: peripheral.health.alerts.names)
    append(",")
    if peripheral.health.heartRate != 0 { append(decimal: peripheral.health.heartRate) }
    append(",")
    append(raw: peripheral.event?.type.name ?? "")
    append(",")
    if let event = peripheral.event { append(decimal: event.time) }
    append(",")
    append(number: peripheral.location?.latitude)
    append(",")
    append(number: peripheral.location?.longitude)
    append(",")
    append(number: peripheral.location?.altitude)
    append(",")
    append(number: peripheral.location?.accuracy)
  }

  /// The columns from `emergency_source` to `pending`.
  private mutating func append(emergency: EmergencyEvent?) {
    guard let emergency else {
      append(",,,")
      return
    }
    append(upperHex: emergency.source.rawValue)
    append(",")
    append(decimal: emergency.time)
    append(",")
    append(list: emergency.acked.map(\.description))
    append(",")
    append(list: emergency.pending.map(\.description))
  }

  private mutating func append(list: [String]) {
    for (index, element) in list.enumerated() {
      if index > 0 { append(";") }
      append(raw: element)
    }
  }

  private mutating func append(number: Float?) {
    if let number { append(float: number) }
  }
}
