/// What an advertised name says about its node, as the reference's strictest parser reads it
/// (`MeshConfig::parse_device_name`, protocol.md 1.3).
public struct DeviceName: Hashable, Sendable {
  /// The mesh of `PEAT_<mesh>-<node>`, which may be empty; nil for `PEAT-<node>`.
  public var mesh: String?
  /// The node.
  public var node: NodeID

  /// Makes a name from its parts.
  public init(mesh: String?, node: NodeID) {
    self.mesh = mesh
    self.node = node
  }

  /// Reads `PEAT_<mesh>-<node>` up to the first `-`, or `PEAT-<node>`.
  ///
  /// The node is 1 to 8 digits of either case; anything else is not a Peat name.
  public init?(_ text: String) {
    guard let parts = DeviceName.split(text), let node = NodeID(baseSixteen: parts.node) else {
      return nil
    }
    self.init(mesh: parts.mesh.map(String.init), node: node)
  }

  /// Reads a name as the Kotlin parser does: an empty mesh fails, and the digits are those of a
  /// signed 64-bit number cut to 32 bits, so that more than 8 pass (protocol.md 1.3).
  public init?(kotlin text: String) {
    guard let parts = DeviceName.split(text), parts.mesh != "",
      let number = Int64(parts.node, radix: 16)
    else { return nil }
    self.init(
      mesh: parts.mesh.map(String.init),
      node: NodeID(rawValue: UInt32(truncatingIfNeeded: number)))
  }

  /// The node that the reference's peer table reads from a name: exactly 8 digits after the
  /// last `-`, whatever stands before (`PeerManager`, protocol.md 1.3).
  public static func trackedNode(_ text: String) -> NodeID? {
    guard let dash = text.utf8.lastIndex(of: 0x2D) else { return nil }
    let digits = text[text.utf8.index(after: dash)...]
    guard digits.utf8.count == 8 else { return nil }
    return NodeID(baseSixteen: digits)
  }

  /// Whether a node of mesh `own` takes a device that announces `announced` for one of its mesh:
  /// the same text, or no mesh at all (protocol.md 1.4).
  public static func matches(own: String, announced: String?) -> Bool {
    announced.map { $0 == own } ?? true
  }

  private static func split(_ text: String) -> (mesh: Substring?, node: Substring)? {
    if text.hasPrefix("PEAT_") {
      let rest = text.dropFirst(5)
      guard let dash = rest.utf8.firstIndex(of: 0x2D) else { return nil }
      return (rest[..<dash], rest[rest.utf8.index(after: dash)...])
    }
    if text.hasPrefix("PEAT-") { return (nil, text.dropFirst(5)) }
    return nil
  }
}

extension DeviceName: CustomStringConvertible {
  /// The name as the reference writes it, with 8 upper-case digits.
  public var description: String { mesh.map { "PEAT_\($0)-\(node)" } ?? "PEAT-\(node)" }
}

/// The kinds of names that devices around a Peat mesh use (protocol.md 1.3, 6.9).
public enum DevicePattern: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  /// `WT-WEAROS-…`, a WearTAK watch.
  case wearTAK
  /// `WEAROS-…`, the same watch without the prefix of its application.
  case wearOS
  /// `PEAT_…` or `PEAT-…`.
  case peat
  /// `HIVE_…` or `HIVE-…`, from before the product was renamed.
  case hive
  /// `Peat-…`, which one document gives and no code advertises.
  case peatMixedCase
  /// `BFS-…`, the nRF feather example.
  case feather
  /// Any other name.
  case unknown

  /// The kind of `name`.
  public init(_ name: String) {
    let kinds: [(String, DevicePattern)] = [
      ("WT-WEAROS-", .wearTAK), ("WEAROS-", .wearOS), ("PEAT_", .peat), ("PEAT-", .peat),
      ("HIVE_", .hive), ("HIVE-", .hive), ("Peat-", .peatMixedCase), ("BFS-", .feather),
    ]
    self = kinds.first { name.hasPrefix($0.0) }?.1 ?? .unknown
  }

  /// Whether devices of this kind change their address while they keep their name.
  public var rotatesAddress: Bool { self == .wearTAK || self == .wearOS }

  /// A name without one leading `WT-`, the form in which names are compared.
  public static func normalized(_ name: String) -> String {
    name.hasPrefix("WT-") ? String(name.dropFirst(3)) : name
  }
}
