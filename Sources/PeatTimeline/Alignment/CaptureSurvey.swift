import PeatDissection
import WireBytes

/// What a first reading keeps of one capture's messages to find the same ones in others: a few
/// words each, so that memory stays small for long captures.
struct CaptureSurvey: Sendable {
  /// Most messages that are kept; later ones are not looked for in other captures.
  static let limit = 1 << 20

  /// One message.
  struct Entry: Sendable {
    /// Nanoseconds since 1970 by the capture's own clock.
    var time: Int64
    /// What both ends see alike: bytes, opcode and attribute handle, as a hash.
    var key: UInt64
    /// Its place among the capture's values, from 0.
    var ordinal: Int32
    var frame: Int32
    var link: Int32
    var adapter: Int32
    var end: End

    /// Whether the capturing host sent it.
    var isSent: Bool { end == .sent }
  }

  /// Which end of a connection a capture is of a message: a sniffer is none, and hears it between
  /// the moments when it is sent and when it is received.
  enum End: Sendable { case sent, received, overheard }

  private(set) var entries: [Entry] = []
  private(set) var links: [Int32: Link] = [:]
  /// Values met, also those that are not kept.
  private(set) var count = 0

  /// Whether later messages were left out.
  var isFull: Bool { entries.count >= CaptureSurvey.limit }

  /// Takes the capture's next value.
  mutating func add(_ value: CapturedValue) {
    defer { count += 1 }
    // The mesh sends its PDUs several times over: they find each other by what is in them.
    if case .mesh(.advertisement) = value.owner { return }
    guard !isFull, let time = value.time, !value.isCutByCapture,
      let link = Int32(exactly: value.link.id), let frame = Int32(exactly: value.frame),
      let ordinal = Int32(exactly: count)
    else { return }
    let end: End =
      switch value.direction {
      case .sent: .sent
      case .received: .received
      case .toCentral, .toPeripheral: .overheard
      }
    // An advertisement is on no connection.
    if value.advertisement != nil, end == .overheard { return }
    if links[link] == nil { links[link] = value.link }
    entries.append(
      Entry(
        time: time.nanoseconds, key: CaptureSurvey.key(of: value), ordinal: ordinal, frame: frame,
        link: link, adapter: Int32(truncatingIfNeeded: value.link.adapter), end: end))
  }

  private static func key(of value: CapturedValue) -> UInt64 {
    var hash = FNV1a()
    hash.add(value.payload)
    hash.add(value.opcode.rawValue.utf8)
    hash.add(UInt8(truncatingIfNeeded: value.handle))
    hash.add(UInt8(truncatingIfNeeded: value.handle >> 8))
    return hash.value
  }
}
