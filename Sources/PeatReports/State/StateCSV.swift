import BluetoothProtocols
import PeatDissection
import PeatProtocol
import PeatReplay
package import PeatTimeline
package import WireBytes

/// The state records as CSV: one row a scope, with the values of the NDJSON (cli.md, "State
/// records").
package enum StateCSV {
  private static let columns = [
    "scope", "node", "version", "total", "counter", "emergency_source", "emergency_time", "acked",
    "pending", "callsign", "battery", "latitude", "longitude", "last_heard", "age", "address",
    "name", "platform", "mesh", "links",
  ]

  /// Appends the header and all rows; `all` includes devices that are not of Peat.
  package static func append(_ view: MeshView, all: Bool, to text: inout OutputText) {
    text.append(raw: columns.joined(separator: ","))
    text.append("\n")
    text.append("mesh,,,")
    text.append(decimal: view.state.total)
    text.append(",")
    MessageCSV.append(view.state.counter, to: &text)
    text.append(",")
    MessageCSV.append(view.state.emergency, to: &text)
    text.append(",,,,,,,,,,,\n")
    for node in view.state.nodes.keys.sorted() {
      if let state = view.state.nodes[node] { append(node, state, view, to: &text) }
    }
    for reading in view.advertisers where all || reading.isPeat { append(reading, to: &text) }
  }

  private static func append(
    _ node: NodeID, _ state: NodeState, _ view: MeshView, to text: inout OutputText
  ) {
    text.append("node,")
    text.append(csvID: node)
    text.append(raw: ",\(state.newest.version),")
    text.append(decimal: state.document.counter.total)
    text.append(",")
    MessageCSV.append(state.document.counter, to: &text)
    text.append(",")
    MessageCSV.append(state.document.emergency, to: &text)
    text.append(",")
    append(state.peripheral, to: &text)
    text.append(",")
    text.append(utc: state.lastHeard)
    text.append(",")
    if let time = view.time, let age = view.state.age(of: state, at: time) {
      text.append(
        seconds: age,
        decimals: time.isNanosecondPrecise ? 9 : 6)
    }
    text.append(",")
    let sighting = view.sightings[node]
    if let address = sighting?.address {
      text.append(raw: address.description)
      text.append(",")
      text.append(csvField: view.name(at: address) ?? "")
    } else {
      text.append(",")
    }
    let links = (sighting?.links ?? []).map(String.init).joined(separator: ";")
    text.append(raw: ",\(sighting?.platform?.rawValue ?? ""),,\(links)\n")
  }

  private static func append(_ peripheral: Peripheral?, to text: inout OutputText) {
    text.append(csvField: peripheral?.callsign.text ?? "")
    text.append(",")
    if let peripheral { text.append(number: peripheral.health.battery) }
    text.append(",")
    MessageCSV.append(peripheral?.location?.latitude, to: &text)
    text.append(",")
    MessageCSV.append(peripheral?.location?.longitude, to: &text)
  }

  private static func append(_ reading: AdvertiserReading, to text: inout OutputText) {
    text.append("advertiser,")
    if let node = reading.node { text.append(csvID: node) }
    text.append(",,,,,,,,,,,,,,")
    text.append(raw: "\(reading.advertiser.address.description),")
    text.append(csvField: reading.advertiser.name ?? "")
    text.append(",,")
    text.append(csvField: reading.mesh ?? "")
    text.append(",\n")
  }
}
