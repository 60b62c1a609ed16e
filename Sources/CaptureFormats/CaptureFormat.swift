/// A container that captures come in (formats.md 1).
public enum CaptureFormat: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  case btsnoop, pcap, pcapng, packetLogger, hcidump, btsnooz, bugReport, h4
}

extension CaptureFormat: CustomStringConvertible {
  /// The container's usual name.
  public var description: String {
    switch self {
    case .btsnoop: "btsnoop"
    case .pcap: "pcap"
    case .pcapng: "pcapng"
    case .packetLogger: "Apple PacketLogger"
    case .hcidump: "BlueZ hcidump"
    case .btsnooz: "Android btsnooz"
    case .bugReport: "Android bug report with btsnooz"
    case .h4: "H4 stream without a container"
    }
  }
}

/// Byte order of a container's own fields.
enum ByteOrder: UInt8, Sendable, BitwiseCopyable {
  case little, big
}
