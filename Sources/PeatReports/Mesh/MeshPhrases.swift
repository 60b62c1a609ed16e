import BluetoothMesh
import MeshDissection

/// Messages of a mesh in words, for a line of the timeline.
enum MeshPhrases {
  /// Who speaks to whom.
  static func ends(_ message: MeshMessage) -> String {
    guard let source = message.source else { return message.channel.name }
    let from = message.sourceName.map { "\($0) \(source)" } ?? "\(source)"
    guard let destination = message.destination else { return from }
    let to = message.destinationName.map { "\($0) \(destination)" } ?? "\(destination)"
    return "\(from) > \(to)"
  }

  /// What a message is.
  static func what(_ message: MeshMessage) -> String {
    if let name = message.name { return name }
    if let malformed = message.malformed { return "\(message.layer.rawValue): \(malformed)" }
    if let reason = message.unopened {
      return "not opened: \(String(reason.map { $0 == "-" ? " " : $0 }))"
    }
    if let segments = message.segments {
      return "segment \(segments.index) of 0 to \(segments.last)"
    }
    if let opcode = message.opcode { return "opcode \(opcode)" }
    return message.layer.rawValue
  }

  private static let parts: Set<String> = [
    "link", "transaction", "gpc", "last_segment", "total", "fcs", "data", "fcs_ok", "segment",
  ]

  /// Its fields in words; without any, its parameters.
  static func details(_ message: MeshMessage) -> String {
    if message.fields.isEmpty, let parameters = message.parameters, !parameters.isEmpty {
      return parameters
    }
    // Of a provisioning PDU what it says, and not the parts it came in.
    let fields = message.fields.filter {
      message.layer != .pbADV || message.name == nil || !parts.contains($0.name)
    }
    return fields.map { field in
      let name = String(field.name.map { $0 == "_" ? " " : $0 })
      return "\(name) \(field.value.words)"
    }.joined(separator: ", ")
  }
}
