import WireBytes

/// An address of a mesh (Mesh Protocol 1.1, 3.4.2).
public struct MeshAddress: Sendable, Hashable, Comparable, BitwiseCopyable {
  /// What an address stands for.
  public enum Kind: Sendable, Equatable, BitwiseCopyable {
    case unassigned, unicast, virtual, group, reserved
    /// A group of fixed meaning: proxies, friends, relays, all nodes, or all directed ones.
    case fixedGroup
  }

  /// The number.
  public let rawValue: UInt16

  /// Makes an address of its number.
  public init(_ rawValue: UInt16) { self.rawValue = rawValue }

  /// What it stands for.
  public var kind: Kind {
    switch rawValue {
    case 0: .unassigned
    case 0x0001...0x7FFF: .unicast
    case 0x8000...0xBFFF: .virtual
    case 0xC000...0xFEFF: .group
    case 0xFFFB...0xFFFF: .fixedGroup
    default: .reserved
    }
  }

  /// The name of a group of fixed meaning.
  public var groupName: String? {
    switch rawValue {
    case 0xFFFB: "all directed nodes"
    case 0xFFFC: "all proxies"
    case 0xFFFD: "all friends"
    case 0xFFFE: "all relays"
    case 0xFFFF: "all nodes"
    default: nil
    }
  }

  /// By number.
  public static func < (one: MeshAddress, other: MeshAddress) -> Bool {
    one.rawValue < other.rawValue
  }
}

extension MeshAddress: CustomStringConvertible {
  /// Four hexadecimal digits, as every tool of the mesh writes them.
  public var description: String { Hexadecimal.upper(UInt64(rawValue), width: 4) }
}
