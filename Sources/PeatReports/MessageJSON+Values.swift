package import PeatProtocol
internal import WireBytes

extension OutputText {
  mutating func append(json list: MarkerList) {
    append("{\"node\":")
    append(json: list.node)
    append(",\"count\":")
    append(number: list.announcedCount)
    append(",\"markers\":[")
    for (index, marker) in list.markers.enumerated() {
      if index > 0 { append(",") }
      append("{\"uid\":")
      append(jsonString: marker.uid)
      append(",\"type\":")
      append(jsonString: marker.type)
      append(",\"lat\":")
      append(json: marker.latitude)
      append(",\"lon\":")
      append(json: marker.longitude)
      append(",\"height\":")
      append(json: marker.height)
      append(",\"callsign\":")
      append(jsonString: marker.callsign)
      append(",\"time\":")
      append(number: marker.time)
      append("}")
    }
    append("]}")
  }

  mutating func append(json chat: ChatFrame) {
    append("{\"broadcast\":")
    append(json: chat.isBroadcast)
    append(",\"ack\":")
    append(json: chat.requiresAcknowledgement)
    append(",\"origin\":")
    append(json: chat.origin)
    append(",\"timestamp\":")
    append(number: chat.timestamp)
    append(",\"sender\":")
    append(jsonString: chat.sender)
    append(",\"text\":")
    append(jsonString: chat.text)
    if let node = chat.replyNode {
      append(",\"reply_node\":")
      append(json: node)
    }
    if let time = chat.replyTimestamp {
      append(",\"reply_timestamp\":")
      append(number: time)
    }
    append("}")
  }

  mutating func append(json value: NodeIDValue) {
    append("{\"node\":")
    append(json: value.node)
    append("}")
  }

  mutating func append(json info: NodeInfo) {
    append("{\"node\":")
    append(json: info.node)
    append(",\"protocol_version\":")
    append(number: info.protocolVersion)
    append(",\"hierarchy\":\"")
    append(raw: info.level.name)
    append("\",\"capabilities\":")
    append(json: info.capabilities)
    if info.battery != Beacon.unknownBattery {
      append(",\"battery\":")
      append(number: info.battery)
    }
    append("}")
  }

  mutating func append(json state: SyncStateValue) {
    append("{\"state\":\"")
    append(raw: state.phase.recordName)
    append("\",\"progress\":")
    append(number: state.progress)
    append(",\"pending_documents\":")
    append(number: state.pendingDocuments)
    append(",\"last_sync\":")
    append(number: state.lastSync)
    append("}")
  }

  mutating func append(json command: CommandValue) {
    append("{\"command\":\"")
    append(raw: command.kind.recordName)
    append("\",\"payload\":")
    append(jsonHex: command.payload)
    append("}")
  }

  mutating func append(json status: StatusValue) {
    append("{\"flags\":")
    append(jsonNames: status.flags.recordNames)
    append(",\"child_count\":")
    append(number: status.childCount)
    if status.parentRSSI != 127 {
      append(",\"parent_rssi\":")
      append(number: status.parentRSSI)
    }
    append(",\"uptime_minutes\":")
    append(number: status.uptimeMinutes)
    append("}")
  }

  mutating func append(json chunk: Chunk) {
    append("{\"message_id\":")
    append(number: chunk.messageID)
    append(",\"chunk_index\":")
    append(number: chunk.index)
    append(",\"total_chunks\":")
    append(number: chunk.total)
    append(",\"payload\":")
    append(jsonHex: chunk.payload)
    append("}")
  }

  mutating func append(json frame: LiteFrame) {
    append("{\"version\":")
    append(number: LiteFrame.version)
    append(",\"type\":\"")
    append(raw: frame.kind.recordName)
    append("\",\"flags\":")
    append(number: frame.flags)
    append(",\"node\":")
    append(json: frame.node)
    append(",\"sequence\":")
    append(number: frame.sequence)
    append(",\"payload\":")
    append(jsonHex: frame.payload)
    append("}")
  }

  mutating func append(json beacon: BeaconMessage) {
    append("{\"form\":\"")
    append(raw: beacon.form.rawValue)
    append("\",\"version\":")
    append(number: beacon.version)
    append(",\"capabilities\":")
    append(json: beacon.capabilities)
    append(",\"hierarchy\":\"")
    append(raw: beacon.level.name)
    append("\"")
    if let geohash = beacon.geohash {
      append(",\"geohash\":")
      append(
        jsonHex: [
          UInt8(truncatingIfNeeded: geohash >> 16), UInt8(truncatingIfNeeded: geohash >> 8),
          UInt8(truncatingIfNeeded: geohash),
        ])
    }
    if let battery = beacon.battery {
      append(",\"battery\":")
      append(number: battery)
    }
    if let sequence = beacon.sequence {
      append(",\"sequence\":")
      append(number: sequence)
    }
    append("}")
    guard beacon.rssi != nil || beacon.name != nil else { return }
    append(",\"advertising\":{")
    if let rssi = beacon.rssi {
      append("\"rssi\":")
      append(number: rssi)
      if beacon.name != nil { append(",") }
    }
    if let name = beacon.name {
      append("\"name\":")
      append(jsonString: name)
    }
    append("}")
  }

  private mutating func append(json capabilities: Capabilities) {
    append(jsonNames: capabilities.recordNames)
  }
}

extension Capabilities {
  /// The names in records, lowest bit first; bits without a name are `bit_N`.
  package var recordNames: [String] {
    let known = [
      "lite_node", "accelerometer", "temperature", "button", "led", "vibration", "display",
      "can_relay", "coded_phy", "gps",
    ]
    return (0..<16).filter { rawValue & (1 << $0) != 0 }.map {
      $0 < known.count ? known[$0] : "bit_\($0)"
    }
  }
}

extension LiteFrame.Kind {
  fileprivate var recordName: String {
    switch self {
    case .announce: "announce"
    case .heartbeat: "heartbeat"
    case .data: "data"
    case .query: "query"
    case .acknowledgement: "ack"
    case .leave: "leave"
    case .document: "document"
    case .update10: "ota_10"
    case .update11: "ota_11"
    case .update12: "ota_12"
    case .update13: "ota_13"
    case .update14: "ota_14"
    case .update15: "ota_15"
    case .update16: "ota_16"
    }
  }
}

extension SyncStateValue.Phase {
  fileprivate var recordName: String {
    switch self {
    case .idle: "idle"
    case .syncing: "syncing"
    case .complete: "complete"
    case .error: "error"
    }
  }
}

extension CommandValue.Kind {
  fileprivate var recordName: String {
    switch self {
    case .startSync: "start_sync"
    case .stopSync: "stop_sync"
    case .refreshInfo: "refresh_info"
    case .setHierarchy: "set_hierarchy"
    case .ping: "ping"
    case .reset: "reset"
    }
  }
}

extension StatusValue.Flags {
  fileprivate var recordNames: [String] {
    let known = [
      "connected", "syncing", "pending_data", "low_battery", "bit_4", "bit_5", "bit_6", "error",
    ]
    return (0..<8).filter { rawValue & (1 << $0) != 0 }.map { known[$0] }
  }
}
