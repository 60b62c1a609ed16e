/// What an attribute opcode byte says by itself (Core Specification Vol 3 Part F, 3.3.1).
public enum ATTOpcode {
  /// Whether the PDU is a request, which its bearer answers before it takes the next one.
  @inlinable @inline(__always)
  public static func isRequest(_ opcode: UInt8) -> Bool {
    switch opcode {
    case 0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x20: true
    default: false
    }
  }
}
