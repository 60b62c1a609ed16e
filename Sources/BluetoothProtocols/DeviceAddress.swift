import WireBytes

/// What a device address is (Core Specification Vol 4 Part E, 7.7.65.1, Peer_Address_Type).
public enum AddressType: UInt8, Sendable, BitwiseCopyable {
  case `public` = 0
  case random = 1
  case publicIdentity = 2
  case randomIdentity = 3

  /// `public` or `random`: an identity address is one of the two as well.
  public var name: String {
    switch self {
    case .public, .publicIdentity: "public"
    case .random, .randomIdentity: "random"
    }
  }
}

/// A 48-bit device address; the first printed byte is the most significant one.
public struct DeviceAddress: Sendable, Hashable, BitwiseCopyable {
  /// The address as a number below 2^48.
  public var value: UInt64

  /// Makes an address of the low 48 bits of `value`.
  @inlinable
  public init(value: UInt64) { self.value = value & 0xFFFF_FFFF_FFFF }

  /// Parses `E9:5A:4C:9B:26:9D`, in either case.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 6, parts.allSatisfy({ $0.utf8.count == 2 }) else { return nil }
    var value: UInt64 = 0
    for part in parts {
      guard let bytes = Hexadecimal.bytes(part), let byte = bytes.first else { return nil }
      value = value << 8 | UInt64(byte)
    }
    self.init(value: value)
  }

  /// Whether the two top bits say resolvable private (01), for an address of random type.
  public var isResolvablePrivate: Bool { value >> 46 == 1 }
}

extension DeviceAddress: CustomStringConvertible {
  /// Six upper-case bytes with colons between.
  public var description: String {
    var text = OutputText(capacity: 17)
    for index in 0..<6 {
      if index > 0 { text.append(":") }
      let byte = UInt8(truncatingIfNeeded: value >> UInt64(40 - index * 8))
      text.append(ascii: upper(byte >> 4))
      text.append(ascii: upper(byte & 15))
    }
    return String(decoding: text.slice, as: UTF8.self)
  }

  private func upper(_ nibble: UInt8) -> UInt8 { nibble < 10 ? nibble + 0x30 : nibble + 0x37 }
}
