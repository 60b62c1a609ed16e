import BluetoothProtocols
import PeatDissection
import PeatReplay
package import PeatTimeline
package import WireBytes

/// Rows of the timeline as the NDJSON record of cli.md: fixed order of keys, absent for unknown.
extension OutputText {
  /// Changes only when a key changes its meaning.
  package static let schemaVersion = 1

  /// Appends one record and its line end.
  package mutating func append(record row: TimelineRow) {
    append("{\"schema\":")
    append(decimal: OutputText.schemaVersion)
    if let identity = row.value.identity {
      append(",\"id\":\"")
      append(hex128: identity)
      append("\"")
    }
    append(",\"file\":")
    append(jsonString: row.file)
    append(",\"frame\":")
    append(decimal: row.value.frame)
    if let time = row.value.time {
      append(",\"time\":\"")
      append(utc: time)
      append("\"")
    }
    if let elapsed = row.elapsed {
      append(",\"elapsed\":")
      append(seconds: elapsed, decimals: row.value.time?.isNanosecondPrecise == true ? 9 : 6)
    }
    append(seenIn: row)
    if row.value.advertisement == nil {
      append(link: row.value.link)
    } else {
      append(advertiser: row.value.link)
    }
    append(",\"direction\":\"")
    append(raw: row.value.direction.rawValue)
    append("\"")
    if row.value.isDirectionGuessed { append(",\"direction_guessed\":true") }
    if row.value.advertisement == nil {
      append(att: row.value)
    } else {
      append(",\"att\":{\"opcode\":\"advertisement\",\"frames\":[")
      append(decimal: row.value.frame)
      append("]}")
    }
    append(",\"bytes\":")
    append(decimal: row.value.length)
    if row.value.isCutByCapture {
      append(",\"captured\":")
      append(decimal: row.value.payload.count)
    }
    if let cut = row.cutBy {
      append(",\"cut_by\":\"")
      append(raw: cut.rawValue)
      append("\"")
    }
    append(",\"payload\":")
    append(jsonHex: row.value.payload)
    append(",")
    append(messageFields: row.message)
    if !row.receivers.isEmpty {
      append(",\"receivers\":")
      append(json: row.receivers)
    }
    append(",\"effect\":")
    append(json: row.effect)
    append(findings: row.findings)
    append("}\n")
  }

  /// Appends where the value was seen, where that is more than one place.
  private mutating func append(seenIn row: TimelineRow) {
    guard row.value.seenIn.count > 1 else { return }
    append(",\"seen_in\":[")
    for (index, sighting) in row.value.seenIn.enumerated() {
      if index > 0 { append(",") }
      append("{\"file\":")
      append(jsonString: sighting.file.isEmpty ? row.file : sighting.file)
      append(",\"frame\":")
      append(decimal: sighting.frame)
      if let time = sighting.time {
        append(",\"time\":\"")
        append(utc: time)
        append("\"")
      }
      append(",\"adapter\":")
      append(decimal: sighting.adapter)
      append("}")
    }
    append("]")
  }

  mutating func append(link: Link) {
    append(",\"link\":{\"id\":")
    append(decimal: link.id)
    append(",\"adapter\":")
    append(decimal: link.adapter)
    append(",\"connection\":")
    append(decimal: link.connection)
    append(addresses: link)
    if let role = link.role {
      append(",\"role\":\"")
      append(raw: role.rawValue)
      append("\"")
    }
    append("}")
  }

  /// A beacon has no connection: only who sent it is known.
  mutating func append(advertiser link: Link) {
    append(",\"link\":{\"adapter\":")
    append(decimal: link.adapter)
    append(addresses: link)
    append("}")
  }

  private mutating func append(addresses link: Link) {
    if let local = link.local {
      append(",\"local\":\"")
      append(raw: local.description)
      append("\"")
    }
    if let peer = link.peer {
      append(",\"peer\":\"")
      append(raw: peer.description)
      append("\"")
    }
    if let type = link.peerType {
      append(",\"peer_type\":\"")
      append(raw: type.name)
      append("\"")
    }
  }

  mutating func append(att value: CapturedValue) {
    append(",\"att\":{\"opcode\":\"")
    append(raw: value.opcode.rawValue)
    append("\",\"handle\":")
    append(decimal: value.handle)
    if let uuid = value.characteristic {
      append(",\"characteristic\":\"")
      append(raw: uuid.description)
      append("\"")
    }
    if let uuid = value.service {
      append(",\"service\":\"")
      append(raw: uuid.description)
      append("\"")
    }
    if let resolution = value.resolution {
      append(",\"resolved_by\":\"")
      append(raw: resolution.rawValue)
      append("\"")
    }
    append(",\"mtu\":")
    append(decimal: value.mtu)
    if let channel = value.channel {
      append(",\"channel\":")
      append(decimal: channel)
    }
    if let outcome = value.outcome {
      append(",\"outcome\":\"")
      append(raw: outcome.name)
      append("\"")
      if case .refused(let code) = outcome {
        append(",\"error\":")
        append(decimal: code)
      }
    }
    append(",\"frames\":[")
    for (index, frame) in value.frames.enumerated() {
      if index > 0 { append(",") }
      append(decimal: frame)
    }
    append("]}")
  }

  /// Appends `findings` with the comma in front.
  package mutating func append(findings: [Finding]) {
    append(",\"findings\":[")
    for (index, finding) in findings.enumerated() {
      if index > 0 { append(",") }
      append("{\"code\":\"")
      append(raw: finding.code.rawValue)
      append("\",\"severity\":\"")
      append(raw: finding.severity.rawValue)
      append("\",\"message\":")
      append(jsonString: finding.message)
      append("}")
    }
    append("]")
  }
}
