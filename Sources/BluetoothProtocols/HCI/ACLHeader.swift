public import WireBytes

/// The four bytes in front of ACL data (Core Specification Vol 4 Part E, 5.4.2).
public struct ACLHeader: Sendable, Equatable, BitwiseCopyable {
  /// The packet boundary flag, bits 12 and 13.
  public enum Boundary: UInt8, Sendable, BitwiseCopyable {
    /// 00: a start; from a host on LE, but some logs carry it in both directions.
    case firstNonFlushable = 0
    /// 01: more of the packet that was started.
    case continuing = 1
    /// 10: a start; from a controller.
    case firstFlushable = 2
    /// 11: a whole packet; not used on LE.
    case complete = 3
  }

  /// The connection handle, 12 bits.
  public var handle: UInt16
  /// The packet boundary flag.
  public var boundary: Boundary
  /// Bytes of data that follow, by the header's own word.
  public var length: Int

  /// Whether controllers use the handle for their own logs, and connections seldom or never.
  ///
  /// Connection handles end at 0x0EFF; vendors send logs at the end of that range (0x0EDC, 0x0EDD,
  /// 0x0EFD) and behind it.
  public var isVendorHandle: Bool { handle >= 0x0ED0 }

  /// Reads the header.
  @inlinable @inline(__always)
  public init(_ reader: inout ByteReader) throws(DecodeError) {
    let word = try reader.le16()
    handle = word & 0x0FFF
    boundary =
      switch word >> 12 & 3 {
      case 0: .firstNonFlushable
      case 1: .continuing
      case 2: .firstFlushable
      default: .complete
      }
    length = Int(try reader.le16())
  }
}
