import PeatProtocol
import WireBytes

extension Pseudonyms {
  /// Prefixes by which receivers know what a device is (protocol.md 1.3).
  private static let prefixes = [
    "PEAT_", "PEAT-", "HIVE_", "HIVE-", "Peat-", "BFS-", "WT-WEAROS-", "WEAROS-",
  ]

  /// The name that stands for a device's: what kind of node it is stays.
  package func deviceName(_ name: [UInt8]) -> [UInt8] {
    guard
      let prefix = Pseudonyms.prefixes.first(where: { name.starts(with: Array($0.utf8)) })
    else { return text(name) }
    let start = prefix.utf8.count
    let rest = Array(name[start...])
    guard let dash = rest.lastIndex(of: 0x2D) else {
      return name[..<start] + (prefix.hasSuffix("_") ? mesh(rest) : digits(rest))
    }
    return name[..<start] + mesh(Array(rest[..<dash])) + [0x2D]
      + digits(Array(rest[(dash + 1)...]))
  }

  /// The digits of a node id: all eight stand for the node, fewer for themselves.
  private func digits(_ digits: [UInt8]) -> [UInt8] {
    guard digits.count == 8, digits.allSatisfy(Pseudonyms.isHex),
      let id = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    else { return mesh(digits) }
    let isLower = digits.contains { $0 >= 0x61 }
    let text = String(node(id), radix: 16, uppercase: !isLower)
    return Array((String(repeating: "0", count: 8 - text.utf8.count) + text).utf8)
  }

  /// The mesh part of service data: text, or a number of base 16 in four bytes (protocol.md 1.2).
  package func meshPart(_ part: [UInt8]) -> [UInt8] {
    if part.isEmpty { return [] }
    let isText = part.allSatisfy { (0x20...0x7E).contains($0) }
    if isText || part.count != 4 { return mesh(part) }
    let value = part.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let digits = mesh(Array(String(value, radix: 16, uppercase: true).utf8))
    let result = UInt32(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0
    return (0..<4).map { UInt8(truncatingIfNeeded: result >> (24 - 8 * $0)) }
  }

  /// Service data of a node: its id, most significant byte first, and its mesh.
  package func serviceData(_ data: [UInt8]) -> [UInt8] {
    guard data.count >= 4 else { return [UInt8](repeating: 0, count: data.count) }
    return nodeBytes(Array(data[..<4]), isBigEndian: true) + meshPart(Array(data[4...]))
  }

  /// The four bytes of a node id.
  func nodeBytes(_ bytes: [UInt8], isBigEndian: Bool) -> [UInt8] {
    let ordered = isBigEndian ? bytes : bytes.reversed()
    let id = ordered.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let result = node(id)
    let big = (0..<4).map { UInt8(truncatingIfNeeded: result >> (24 - 8 * $0)) }
    return isBigEndian ? big : big.reversed()
  }

  /// The six bytes of a device address, least significant first as on the wire.
  func addressBytes(_ bytes: [UInt8]) -> [UInt8] {
    let value = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let result = address(value)
    return (0..<6).map { UInt8(truncatingIfNeeded: result >> (8 * $0)) }
  }

  /// Milliseconds since 1970 from 2020 up to 2100, moved by the run's days; others stay.
  func milliseconds(_ value: UInt64) -> UInt64 {
    guard days > 0, (1_577_836_800_000..<4_102_444_800_000).contains(value) else { return value }
    return value + UInt64(days) * 86_400_000
  }
}
