/// How the packets of a container are wrapped (formats.md 2 and 7).
public enum LinkType: Sendable, Hashable, BitwiseCopyable {
  /// HCI packets whose kind is in the record's flags (btsnoop datalink 1001).
  case hciUnencapsulated
  /// HCI packets behind their H4 type byte (btsnoop datalink 1002, link type 187).
  case hciH4
  /// H4 behind a direction of 32 bits, most significant byte first (link type 201).
  case hciH4WithDirection
  /// Linux monitor packets (btsnoop datalink 2001, link type 254).
  case linuxMonitor
  /// Link-layer packets (link type 251).
  case linkLayer
  /// Link-layer packets behind a radio header (link type 256).
  case linkLayerWithRadioHeader
  /// Packets of Nordic's sniffer (link type 272).
  case nordic
  /// Packets of Nordic's sniffer under a user link type (157).
  case nordicUser
  /// Packets behind a PPI header, which says how they are wrapped (link type 192).
  case ppi
  /// USB transfers of Linux's usbmon, with a header of 48 bytes (link type 189).
  case usbmon
  /// The same with a header of 64 bytes (link type 220).
  case usbmonPadded
  /// USB transfers of USBPcap on Windows (link type 249).
  case usbpcap
  /// HCI packets of Apple's PacketLogger.
  case packetLogger
  /// HCI packets of Android's btsnooz, whose kind is in the record's type.
  case btsnooz
  /// Any other link type of pcap and pcapng, by its number.
  case other(UInt32)

  /// The link type that pcap and pcapng number so.
  public init(number: UInt32) {
    self =
      switch number {
      case 187: .hciH4
      case 201: .hciH4WithDirection
      case 254: .linuxMonitor
      case 251: .linkLayer
      case 256: .linkLayerWithRadioHeader
      case 272: .nordic
      case 157: .nordicUser
      case 192: .ppi
      case 189: .usbmon
      case 220: .usbmonPadded
      case 249: .usbpcap
      default: .other(number)
      }
  }

  /// Whether records of this link type are read.
  public var isReadable: Bool {
    if case .other = self { false } else { true }
  }

  /// Whether packets are USB transfers, of which only those of Bluetooth adapters are read.
  var isUSB: Bool { self == .usbmon || self == .usbmonPadded || self == .usbpcap }

  /// How the packets behind a PPI header are wrapped; the first user link type stands for
  /// link-layer packets there, as Ubertooth writes it (formats.md 7).
  static func behindPPI(_ number: UInt32) -> LinkType {
    number == 147 ? .linkLayer : LinkType(number: number)
  }
}

extension LinkType: CustomStringConvertible {
  /// Number and name, as the manuals of tcpdump and Wireshark spell them.
  public var description: String {
    switch self {
    case .hciUnencapsulated: "datalink 1001 (HCI, unencapsulated)"
    case .hciH4: "HCI UART (H4)"
    case .hciH4WithDirection: "linktype 201 (HCI H4 with direction)"
    case .linuxMonitor: "Linux Bluetooth monitor"
    case .linkLayer: "linktype 251 (Bluetooth LE link layer)"
    case .linkLayerWithRadioHeader: "linktype 256 (Bluetooth LE link layer with radio header)"
    case .nordic: "linktype 272 (Nordic BLE sniffer)"
    case .nordicUser: "linktype 157 (user-defined, taken for the Nordic BLE sniffer)"
    case .ppi: "linktype 192 (PPI)"
    case .usbmon: "linktype 189 (USB, Linux usbmon)"
    case .usbmonPadded: "linktype 220 (USB, Linux usbmon with padding)"
    case .usbpcap: "linktype 249 (USBPcap)"
    case .packetLogger: "Apple PacketLogger"
    case .btsnooz: "Android btsnooz"
    case .other(let number): "linktype \(number) (\(Self.name(number)))"
    }
  }

  /// The reason for refusing a capture that has only this link type, with advice where there is any.
  var refusal: String {
    guard case .other(let number) = self else { return description }
    return switch number {
    case 186, 266:
      "\(self): the Bluetooth packets are wrapped in USB transfers of a kind that is not read here; "
        + "record the adapter itself (bluetoothN or bluetooth-monitor with tcpdump or Wireshark, "
        + "btmon -w on Linux; the btsnoop log on Android; PacketLogger on macOS)"
    case 255:
      "\(self): classic Bluetooth from the air, no Bluetooth LE"
    case 161, 147...162:
      "\(self): a private link type; export the capture with link type 251 or 256"
    default:
      "\(self): not a Bluetooth capture"
    }
  }

  /// Names of the link types that people send by mistake (tcpdump.org, link-layer header types).
  private static func name(_ number: UInt32) -> String {
    switch number {
    case 0: "BSD loopback"
    case 1: "Ethernet"
    case 101: "raw IP"
    case 105: "IEEE 802.11"
    case 113: "Linux cooked"
    case 127: "IEEE 802.11 with radiotap"
    case 147...162: "user-defined"
    case 186: "USB"
    case 195: "IEEE 802.15.4"
    case 255: "Bluetooth BR/EDR baseband"
    case 266: "USB, Darwin"
    case 276: "Linux cooked v2"
    default: "not known here"
    }
  }
}
