import PeatTestSupport

/// Parts of captures in which somebody raises an emergency, built packet by packet.
///
/// Documents are written by protocol.md 2.1 to 2.7, deltas by 7.3, names of devices by 1.3.
enum EmergencyParts {
  static let alpha: UInt32 = 0x0A00_0001
  static let bravo: UInt32 = 0x0A00_0002
  static let charlie: UInt32 = 0x0B00_0003
  static let delta: UInt32 = 0x0B00_0004
  static let bravoAddress: UInt64 = 0xC000_0000_0001
  static let charlieAddress: UInt64 = 0xC000_0000_0003

  /// Source, time, and who has acknowledged.
  typealias Emergency = (UInt32, UInt64, [(UInt32, Bool)])

  static func le(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
  }

  /// A document with a count of the node's own and of others, and what else it is given.
  static func document(
    _ node: UInt32, _ version: UInt32, emergency: Emergency? = nil, naming others: [UInt32] = [],
    peripheral: [UInt8] = []
  ) -> [UInt8] {
    let counted = ([node] + others).sorted()
    var bytes = le(UInt64(version), 4) + le(UInt64(node), 4) + le(UInt64(counted.count), 4)
    for other in counted { bytes += le(UInt64(other), 4) + le(1, 8) }
    bytes += peripheral
    if let (source, time, acks) = emergency {
      var body = le(UInt64(source), 4) + le(time, 8)
      body += le(UInt64(acks.count), 4)
      for (other, isAcked) in acks { body += le(UInt64(other), 4) + [isAcked ? 1 : 0] }
      bytes += [0xAC, 0] + le(UInt64(body.count), 2) + body
    }
    return bytes
  }

  /// A peripheral section: callsign, battery 50, heart rate 60, and perhaps an event.
  static func peripheral(
    _ node: UInt32, _ callsign: String, time: UInt64, event: UInt8? = nil
  ) -> [UInt8] {
    var body = le(UInt64(node), 4) + le(0, 4) + [1]
    body += Array(callsign.utf8) + Array(repeating: 0, count: 12 - callsign.utf8.count)
    body += [50, 0, 0, 60]
    body += event.map { [1, $0] + le(time, 8) } ?? [0]
    body += le(time, 8) + [0]
    return [0xAB, 0] + le(UInt64(body.count), 2) + body
  }

  /// A peripheral as Android's codec writes it (protocol.md 9.3), without event and location.
  static func androidPeripheral(_ node: UInt32, _ callsign: String, time: UInt64) -> [UInt8] {
    var body = le(UInt64(node), 4) + le(0, 4) + [1]
    body += Array(callsign.utf8) + Array(repeating: 0, count: 12 - callsign.utf8.count)
    body += [50, 72, 0, 0, 0, 0] + le(time, 8)
    return [0xAB, 0] + le(UInt64(body.count), 2) + body
  }

  /// A delta without a vector clock.
  static func delta(from origin: UInt32, at time: UInt64, _ operations: [[UInt8]]) -> [UInt8] {
    [0xB2, 0] + le(UInt64(origin), 4) + le(time, 8) + le(UInt64(operations.count), 2)
      + operations.flatMap { $0 }
  }

  /// An advertisement whose name tells mesh and node.
  static func announce(_ mesh: String, _ node: UInt32) -> [UInt8] {
    let name = Array("PEAT_\(mesh)-\(id(node))".utf8)
    return [UInt8(name.count + 1), 0x09] + name
  }

  /// A node as records name it.
  static func id(_ node: UInt32) -> String {
    let digits = String(node, radix: 16, uppercase: true)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}
