import BluetoothProtocols
import PeatDissection
import PeatProtocol
import PeatReplay
package import PeatTimeline
package import WireBytes

/// The state records of cli.md: the mesh, its nodes, its advertisers.
extension OutputText {
  /// Appends all records of a view; `all` includes devices that are not of Peat.
  package mutating func append(records view: MeshView, all: Bool) {
    append(mesh: view)
    for node in view.state.nodes.keys.sorted() {
      if let state = view.state.nodes[node] { append(node: node, state, view) }
    }
    for reading in view.advertisers where all || reading.isPeat { append(record: reading) }
  }

  private mutating func append(mesh view: MeshView) {
    let decimals = view.time?.isNanosecondPrecise == true ? 9 : 6
    append("{\"schema\":1,\"scope\":\"mesh\"")
    append(time: view.time, key: "time")
    if let elapsed = view.elapsed {
      append(",\"elapsed\":")
      append(seconds: elapsed, decimals: decimals)
    }
    append(",\"counter\":")
    append(json: view.state.counter)
    append(",\"total\":")
    append(decimal: view.state.total)
    if let emergency = view.state.emergency {
      append(",\"emergency\":")
      append(json: emergency)
    }
    append(",\"nodes\":")
    append(decimal: view.state.nodes.count)
    append(",\"messages\":")
    append(decimal: view.state.messages)
    append("}\n")
  }

  private mutating func append(node: NodeID, _ state: NodeState, _ view: MeshView) {
    append("{\"schema\":1,\"scope\":\"node\",\"node\":")
    append(json: node)
    append(",\"version\":")
    append(decimal: state.newest.version)
    append(",\"counter\":")
    append(json: state.document.counter)
    append(",\"total\":")
    append(decimal: state.document.counter.total)
    if let emergency = state.document.emergency {
      append(",\"emergency\":")
      append(json: emergency)
    }
    if let peripheral = state.peripheral {
      append(",\"peripheral\":")
      append(json: peripheral)
    }
    append(time: state.lastHeard, key: "last_heard")
    if let time = view.time, let age = view.state.age(of: state, at: time) {
      append(",\"age\":")
      append(
        seconds: age,
        decimals: time.isNanosecondPrecise ? 9 : 6)
    }
    let sighting = view.sightings[node]
    if let address = sighting?.address {
      append(",\"address\":\"")
      append(raw: address.description)
      append("\"")
      if let name = view.name(at: address) {
        append(",\"name\":")
        append(jsonString: name)
      }
    }
    if let platform = sighting?.platform {
      append(",\"platform\":\"")
      append(raw: platform.rawValue)
      append("\"")
    }
    append(",\"links\":[")
    for (index, link) in (sighting?.links ?? []).enumerated() {
      if index > 0 { append(",") }
      append(decimal: link)
    }
    append("]}\n")
  }

  private mutating func append(time: Timestamp?, key: StaticString) {
    guard let time else { return }
    append(",\"")
    append(key)
    append("\":\"")
    append(utc: time)
    append("\"")
  }

  private mutating func append(record reading: AdvertiserReading) {
    let advertiser = reading.advertiser
    append("{\"schema\":1,\"scope\":\"advertiser\",\"address\":\"")
    append(raw: advertiser.address.description)
    append("\",\"address_type\":\"")
    append(raw: advertiser.addressType.name)
    append("\",\"peat\":")
    append(json: reading.isPeat)
    if let name = advertiser.name {
      append(",\"name\":")
      append(jsonString: name)
    }
    if let node = reading.node {
      append(",\"node\":")
      append(json: node)
    }
    if let mesh = reading.mesh {
      append(",\"mesh\":")
      append(jsonString: mesh)
    }
    if let last = advertiser.lastRSSI, let low = advertiser.minimumRSSI,
      let high = advertiser.maximumRSSI
    {
      append(",\"rssi\":{\"last\":")
      append(decimal: last)
      append(",\"min\":")
      append(decimal: low)
      append(",\"max\":")
      append(decimal: high)
      append("}")
    }
    append(",\"reports\":")
    append(decimal: advertiser.reports)
    if case .beacon(let beacon)? = reading.beacon?.body {
      append(",\"beacon\":")
      append(json: beacon)
      if let key = reading.beacon?.decryptedWith {
        append(",\"decrypted_with\":")
        append(jsonString: key)
      }
      if let reason = reading.beacon?.unopened {
        append(",\"unopened\":\"")
        append(raw: reason.rawValue)
        append("\"")
      }
    }
    append("}\n")
  }
}
