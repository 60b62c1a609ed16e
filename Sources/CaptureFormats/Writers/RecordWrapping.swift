import WireBytes

/// How a record's packet is wrapped in a container with link types (formats.md 7).
///
/// The one place where type byte, direction and monitor header are put back in front of a packet.
public enum RecordWrapping {
  /// What HCI packets without a monitor's header are wrapped in.
  public enum HCI: Sendable {
    /// Link type 187: the type byte alone.
    case plain
    /// Link type 201: the direction in front of it.
    case withDirection
  }

  /// The link type that carries a record; nil where none does.
  public static func link(of record: RecordHeader, hci: HCI) -> UInt16? {
    if isFromMonitor(record) { return 254 }
    if h4Type(record.content) != nil { return hci == .plain ? 187 : 201 }
    return switch record.content {
    case .linkLayer251: 251
    case .linkLayer256: 256
    case .nordic272: 272
    case .nordic157: 157
    case .command, .event, .acl, .sco, .iso, .monitorNote, .other: nil
    }
  }

  /// What stands in front of the packet in that link type.
  public static func front(of record: RecordHeader, hci: HCI, adapter: Int) -> [UInt8] {
    if isFromMonitor(record) {
      return [
        UInt8(truncatingIfNeeded: adapter >> 8), UInt8(truncatingIfNeeded: adapter),
        UInt8(record.monitorOpcode >> 8), UInt8(truncatingIfNeeded: record.monitorOpcode),
      ]
    }
    guard let type = h4Type(record.content) else { return [] }
    return switch hci {
    case .plain: [type]
    case .withDirection: [0, 0, 0, record.direction == .received ? 1 : 0, type]
    }
  }

  /// Whether a record came from a Linux monitor.
  public static func isFromMonitor(_ record: RecordHeader) -> Bool {
    record.content == .monitorNote || record.monitorOpcode != 0
  }

  /// The H4 type byte (Core Specification Vol 4 Part A 2).
  public static func h4Type(_ content: RecordContent) -> UInt8? {
    switch content {
    case .command: 1
    case .acl: 2
    case .sco: 3
    case .event: 4
    case .iso: 5
    case .linkLayer251, .linkLayer256, .nordic272, .nordic157, .monitorNote, .other: nil
    }
  }
}
