import PeatDissection

/// How long a value takes on the air at least, by the arithmetic of LE 1M (Core Specification
/// Vol 6, Part B, 2.4 and 4.1): nothing in an HCI capture tells how often packets were repeated,
/// so this is an estimate.
enum AirTime {
  /// Preamble, access address, header and CRC.
  private static let overhead = 10
  private static let microsecondsPerByte = 8
  /// Between two packets.
  private static let interFrameSpace = 150

  /// Microseconds for a value with its ATT, L2CAP and link layer headers and its answer.
  static func microseconds(of value: CapturedValue) -> Int {
    let body = value.length
    return switch value.opcode {
    case .writeCommand, .notification, .multipleNotification: packets(body + 3, value.mtu)
    case .signedWriteCommand: packets(body + 15, value.mtu)
    case .writeRequest, .indication: packets(body + 3, value.mtu) + packets(1, value.mtu)
    case .readResponse, .readByTypeResponse, .readMultiple, .readMultipleVariable:
      packets(3, value.mtu) + packets(body + 1, value.mtu)
    case .readBlob:
      parts(body, value.mtu - 1) * (packets(5, value.mtu) + packets(value.mtu, value.mtu))
    case .executeWrite:
      parts(body, value.mtu - 5) * 2 * packets(value.mtu, value.mtu) + packets(2, value.mtu)
        + packets(1, value.mtu)
    // On three channels, with the advertiser's address in front.
    case .advertisement: 3 * (overhead + 6 + body) * microsecondsPerByte
    }
  }

  /// Microseconds for one ATT PDU in as many packets as it needs, each answered by an empty one.
  /// Hosts that agree on a large MTU use the data length extension.
  private static func packets(_ length: Int, _ mtu: Int) -> Int {
    let room = mtu > 23 ? 251 : 27
    let whole = length + 4
    let count = parts(whole, room)
    return (whole + count * overhead + count * overhead) * microsecondsPerByte
      + count * 2 * interFrameSpace
  }

  private static func parts(_ length: Int, _ room: Int) -> Int {
    max(1, (length + max(1, room) - 1) / max(1, room))
  }
}
