import WireBytes

/// What a PDU's payload looks like that should start an L2CAP packet (Vol 3 Part A, 3.1).
///
/// Noise and cipher text name a channel of LE now and then, but hardly one together with the length
/// that the PDU has: of random bytes one PDU in hundreds of millions does.
enum L2CAPFit: Equatable {
  /// A whole packet, behind which `trailer` bytes of a message integrity code are left.
  case whole(trailer: Int)
  /// The first part of a longer packet on a channel of LE; `missing` bytes are to come.
  case part(missing: Int, isLikely: Bool)
  /// Too short for the header of a packet.
  case short
  /// On a channel of LE, with more bytes than the packet has.
  case overrun
  /// On a channel that LE does not have.
  case none

  /// ATT has no longer packets than these at the MTU of 517 that hosts agree on.
  private static let usualLimit = 521

  /// Looks at the payload of a start, of which `length` bytes were sent.
  init(_ payload: RawSpan, length: Int) {
    var reader = ByteReader(payload, layer: .l2cap)
    do throws(DecodeError) {
      let size = Int(try reader.le16()) + 4
      let channel = try reader.le16()
      guard (0x0004...0x0006).contains(channel) || (0x0020...0x007F).contains(channel) else {
        self = .none
        return
      }
      switch length {
      case size: self = .whole(trailer: 0)
      case size + 4: self = .whole(trailer: 4)
      case ..<size:
        let isLikely =
          channel == 4 && size <= L2CAPFit.usualLimit && L2CAPFit.isATT(reader.peek())
        self = .part(missing: size - length, isLikely: isLikely)
      default: self = .overrun
      }
    } catch {
      self = .short
    }
  }

  /// Whether a byte is an opcode of ATT (Vol 3 Part F, 3.4.8); a fragment may end before it.
  private static func isATT(_ opcode: UInt8?) -> Bool {
    guard let opcode else { return true }
    return switch opcode {
    case 0x01...0x13, 0x16...0x19, 0x1B, 0x1D, 0x1E, 0x20, 0x21, 0x23, 0x52, 0xD2: true
    default: false
    }
  }
}
