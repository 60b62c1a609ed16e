internal import PeatProtocol
internal import WireBytes

extension OutputText {
  mutating func append(json delta: DeltaReading) {
    switch delta.dialect {
    case .rust(let document):
      append("{\"origin\":")
      append(json: document.origin)
      append(",\"time\":")
      append(number: document.timestamp)
      append(",\"response\":")
      append(json: document.isResponse)
      if let clock = document.vectorClock {
        append(",\"clock\":")
        append(json: clock)
      }
      append(",\"dialect\":\"rust\",\"operations\":[")
      for (index, operation) in document.operations.enumerated() {
        if index > 0 { append(",") }
        append(json: operation)
      }
    case .kotlin(let document):
      append("{\"origin\":")
      append(json: document.origin)
      append(",\"time\":")
      append(number: document.timestamp)
      append(",\"response\":false,\"dialect\":\"kotlin\",\"operations\":[")
      for (index, operation) in document.operations.enumerated() {
        if index > 0 { append(",") }
        append(json: operation)
      }
    }
    append("]")
    if !delta.dropped.isEmpty {
      append(",\"dropped\":")
      append(json: delta.dropped)
    }
    if !delta.trailing.isEmpty {
      append(",\"trailing\":")
      append(jsonHex: delta.trailing)
    }
    append("}")
  }

  private mutating func append(json clock: VectorClock) {
    append("{")
    for (index, entry) in clock.values.sorted(by: { $0.key < $1.key }).enumerated() {
      if index > 0 { append(",") }
      append(json: entry.key)
      append(":")
      append(number: entry.value)
    }
    append("}")
  }

  private mutating func append(json operation: DeltaOperation) {
    switch operation {
    case .counter(let id, let node, let amount, let time):
      appendCounter(id, node, amount, time)
    case .peripheral(let time, let peripheral): appendPeripheral(time, peripheral)
    case .setEmergency(let source, let time, let peers): appendEmergency(source, time, peers)
    case .acknowledgeEmergency(let node, let time): appendAck(node, time)
    case .clearEmergency(let time): appendClear(time)
    case .app(let operation):
      append("{\"op\":\"app\",\"type\":")
      append(jsonHex: [operation.type.rawValue])
      append(",\"op_code\":")
      append(number: operation.code)
      append(",\"source\":")
      append(json: operation.source)
      append(",\"time\":")
      append(number: operation.timestamp)
      append(",\"payload\":")
      append(jsonHex: operation.payload)
      append("}")
    }
  }

  private mutating func append(json operation: KotlinDelta.Operation) {
    switch operation {
    case .counter(let id, let node, let amount, let time):
      appendCounter(id, node, amount, time)
    case .peripheral(let time, _): appendPeripheral(time, operation.peripheral)
    case .setEmergency(let source, let time, let peers): appendEmergency(source, time, peers)
    case .acknowledgeEmergency(let node, let time): appendAck(node, time)
    case .clearEmergency(let time): appendClear(time)
    case .location(let latitude, let longitude, let altitude):
      append("{\"op\":\"location\",\"latitude\":")
      append(json: latitude)
      append(",\"longitude\":")
      append(json: longitude)
      append(",\"altitude\":")
      append(json: altitude)
      append("}")
    case .health(let health):
      append("{\"op\":\"health\",\"battery\":")
      append(number: health.battery)
      append(",\"heart_rate\":")
      append(number: health.heartRate)
      append(",\"activity\":\"")
      append(raw: health.activity.name)
      append("\",\"alerts\":")
      append(json: health.alerts)
      append("}")
    case .callsign(let text):
      append("{\"op\":\"callsign\",\"callsign\":")
      append(jsonString: text)
      append("}")
    case .event(let type, let time):
      append("{\"op\":\"event\",\"type\":\"")
      append(raw: type.name)
      append("\",\"time\":")
      append(number: time)
      append("}")
    case .skipped(let byte):
      append("{\"op\":\"unknown_")
      append(number: byte)
      append("\"}")
    }
  }

  // MARK: Operations that both dialects have

  private mutating func appendCounter(
    _ id: UInt8, _ node: NodeID, _ amount: UInt64, _ time: UInt64
  ) {
    append("{\"op\":\"counter\",\"counter_id\":")
    append(number: id)
    append(",\"node\":")
    append(json: node)
    append(",\"amount\":")
    append(number: amount)
    append(",\"time\":")
    append(number: time)
    append("}")
  }

  private mutating func appendPeripheral(_ time: UInt64, _ peripheral: Peripheral?) {
    append("{\"op\":\"peripheral\",\"time\":")
    append(number: time)
    if let peripheral {
      append(",\"peripheral\":")
      append(json: peripheral)
    }
    append("}")
  }

  private mutating func appendEmergency(_ source: NodeID, _ time: UInt64, _ peers: [NodeID]) {
    append("{\"op\":\"set_emergency\",\"source\":")
    append(json: source)
    append(",\"time\":")
    append(number: time)
    append(",\"peers\":")
    append(json: peers)
    append("}")
  }

  private mutating func appendAck(_ node: NodeID, _ time: UInt64) {
    append("{\"op\":\"ack\",\"node\":")
    append(json: node)
    append(",\"emergency_time\":")
    append(number: time)
    append("}")
  }

  private mutating func appendClear(_ time: UInt64) {
    append("{\"op\":\"clear\",\"emergency_time\":")
    append(number: time)
    append("}")
  }
}
