import BluetoothProtocols
import CaptureFormats
import SystemIO
import WireBytes

/// A capture of a node's own HCI packets, written as they pass.
struct RecordingFile: ~Copyable {
  enum Format: Sendable, Equatable {
    case btsnoop, pcapng

    /// The format that a name's ending asks for.
    init?(path: String) {
      if path.hasSuffix(".btsnoop") {
        self = .btsnoop
      } else if path.hasSuffix(".pcapng") {
        self = .pcapng
      } else {
        return nil
      }
    }
  }

  private let sink: OutputSink
  private var btsnoop: BTSnoopWriter?
  private var pcapng: PcapngWriter?

  /// Begins a file.
  init(path: String, format: Format) throws(Errno) {
    sink = OutputSink(try FileDescriptor.open(writing: path), mode: .blocks)
    switch format {
    case .btsnoop: btsnoop = BTSnoopWriter(datalink: 1002)
    case .pcapng:
      var writer = PcapngWriter(application: "peat-inspect")
      // 201: H4 with direction.
      writer.interface(linkType: 201, isNanosecond: false)
      pcapng = writer
    }
  }

  /// Appends a packet.
  mutating func append(_ packet: HCIPacket, isReceived: Bool, time: Timestamp) {
    // Bit 0: received; bit 1: command or event (formats.md 2).
    let isControl = packet.type == .command || packet.type == .event
    btsnoop?.append(
      packet.framed, flags: (isReceived ? 1 : 0) | (isControl ? 2 : 0), time: time)
    pcapng?.append(
      [0, 0, 0, isReceived ? 1 : 0] + packet.framed, time: time,
      direction: isReceived ? .received : .sent)
  }

  /// Hands over what was appended, so that the file can be read while it grows.
  mutating func flush() throws(Errno) {
    if let bytes = btsnoop?.drain(), !bytes.isEmpty { try sink.append(bytes) }
    if let bytes = pcapng?.drain(), !bytes.isEmpty { try sink.append(bytes) }
    try sink.flush()
  }
}
