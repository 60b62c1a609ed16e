import BluetoothProtocols
import CaptureFormats
import SystemIO
import WireBytes

/// Goes over the data of connections, joins their packets, and writes down what stands for each of
/// their bytes. What is not written down is blanked by whoever writes the records.
final class DataAnonymizer {
  /// A connection of an adapter, or a link from the air.
  struct Place: Hashable {
    var adapter: Int
    var connection: UInt32
  }

  struct Pending {
    var bytes: [UInt8] = []
    var origins: [ByteOrigin] = []
    var received = 0
    var isCut = false
  }

  struct Unit {
    var length: Int?
    var pending = Pending()
  }

  struct Connection {
    /// By sender.
    var pending: [Pending?] = [nil, nil]
    /// Channels that carry ATT by credits, and whether they do it in plain packets instead.
    var channels: [UInt16: Bool] = [:]
    var openings: [UInt8: Bool] = [:]
    /// Service data units that are being joined, by sender and channel.
    var units: [Int: Unit] = [:]
    var attributes = AttributeAnonymizer.Connection()
  }

  /// Bytes of an SDU that is put together.
  private static let sizeLimit = 1 << 17
  private static let connectionLimit = 8192

  let patches: PacketPatches
  private let attributes: AttributeAnonymizer
  private let pseudonyms: Pseudonyms
  private var connections: [Place: Connection] = [:]

  init(_ attributes: AttributeAnonymizer, pseudonyms: Pseudonyms) throws(Errno) {
    self.attributes = attributes
    self.pseudonyms = pseudonyms
    patches = try PacketPatches()
  }

  /// A connection begins or ends: nothing of it waits.
  func forget(_ place: Place) { connections[place] = nil }

  /// ACL data of a host.
  func take(_ record: borrowing RecordView, number: Int) throws(Errno) {
    var reader = ByteReader(record.payload, layer: .acl)
    guard let header = try? ACLHeader(&reader), !header.isVendorHandle else { return }
    let isCut = record.originalLength > record.payload.byteCount
    let present = min(header.length, reader.remaining)
    let length = isCut ? header.length : present
    let bytes = Array(reader.rest().prefix(present))
    let place = Place(adapter: record.adapter, connection: UInt32(header.handle))
    let isStart = header.boundary != .continuing
    let sender: Int =
      switch record.direction {
      case .sent where !record.directionGuessed: 0
      case .received where !record.directionGuessed: 1
      default: guess(place, header.boundary, length: length)
      }
    try take(
      place, sender: sender, isStart: isStart, bytes, length: length,
      origin: ByteOrigin(record: number, offset: 4, count: bytes.count), frame: record.frame)
  }

  /// Without a direction a start tells it by its flag, and a fragment by the packet that it fits.
  private func guess(_ place: Place, _ boundary: ACLHeader.Boundary, length: Int) -> Int {
    switch boundary {
    case .firstNonFlushable: return 0
    case .firstFlushable, .complete: return 1
    case .continuing:
      let pending = connections[place]?.pending ?? [nil, nil]
      guard let local = pending[0], let peer = pending[1] else { return pending[0] == nil ? 1 : 0 }
      let missing = [missing(local), missing(peer)]
      if length > missing[0] { return 1 }
      if length > missing[1] { return 0 }
      if length == missing[0] && length != missing[1] { return 0 }
      if length == missing[1] && length != missing[0] { return 1 }
      return (local.origins.last?.record ?? 0) > (peer.origins.last?.record ?? 0) ? 0 : 1
    }
  }

  private func missing(_ pending: Pending) -> Int {
    guard pending.bytes.count >= 4 else { return .max }
    return 4 + Int(pending.bytes[0]) + Int(pending.bytes[1]) << 8 - pending.received
  }

  /// A fragment of an L2CAP packet, of which `length` bytes were sent.
  func take(
    _ place: Place, sender: Int, isStart: Bool, _ bytes: [UInt8], length: Int,
    origin: ByteOrigin, frame: Int
  ) throws(Errno) {
    if connections.count > DataAnonymizer.connectionLimit { connections = [:] }
    var connection = connections[place] ?? Connection()
    var pending = Pending()
    if !isStart {
      guard let known = connection.pending[sender] else { return }
      pending = known
    }
    if !pending.isCut {
      pending.bytes += bytes
      pending.origins.append(origin)
    }
    pending.isCut = pending.isCut || bytes.count < length
    pending.received += length
    guard pending.bytes.count >= 4, pending.bytes.count < DataAnonymizer.sizeLimit else {
      connection.pending[sender] = pending.isCut ? nil : pending
      connections[place] = connection
      return
    }
    let announced = 4 + Int(pending.bytes[0]) + Int(pending.bytes[1]) << 8
    if pending.received < announced {
      connection.pending[sender] = pending
    } else {
      connection.pending[sender] = nil
      if pending.received == announced {
        try packet(pending, sender: sender, frame: frame, &connection)
      }
    }
    connections[place] = connection
  }

  // MARK: - Packets

  private func packet(
    _ whole: Pending, sender: Int, frame: Int, _ connection: inout Connection
  ) throws(Errno) {
    let channel = UInt16(whole.bytes[3]) << 8 | UInt16(whole.bytes[2])
    let content = Array(whole.bytes[4...])
    let origins = DataAnonymizer.dropping(4, of: whole.origins)
    try patches.put(Array(whole.bytes[..<4]), at: whole.origins)
    switch channel {
    case 0x0004:
      let new = attributes.unit(
        content, channel: 4, sender: sender, frame: frame, &connection.attributes)
      try patches.put(new, at: origins)
    case 0x0001, 0x0005:
      note(signalling: content, &connection)
      try patches.put(content, at: origins)
    case 0x0006, 0x0007: try patches.put(pairing(content), at: origins)
    default:
      guard let isPlain = connection.channels[channel] else { return }
      if isPlain {
        let new = attributes.unit(
          content, channel: channel, sender: sender, frame: frame, &connection.attributes)
        try patches.put(new, at: origins)
      } else {
        try segment(
          Pending(bytes: content, origins: origins), of: channel, sender: sender, frame: frame,
          &connection)
      }
    }
  }

  /// A frame of a credit-based channel: the first of a unit begins with the unit's length.
  private func segment(
    _ frame: Pending, of channel: UInt16, sender: Int, frame number: Int,
    _ connection: inout Connection
  ) throws(Errno) {
    let key = Int(channel) << 1 | sender
    var unit = connection.units[key] ?? Unit()
    var part = frame
    if unit.length == nil {
      guard part.bytes.count >= 2 else { return }
      unit.length = Int(part.bytes[0]) | Int(part.bytes[1]) << 8
      try patches.put(Array(part.bytes[..<2]), at: part.origins)
      part.origins = DataAnonymizer.dropping(2, of: part.origins)
      part.bytes.removeFirst(2)
    }
    unit.pending.bytes += part.bytes
    unit.pending.origins += part.origins
    if unit.pending.bytes.count < unit.length ?? 0 {
      connection.units[key] = unit
      return
    }
    connection.units[key] = nil
    guard unit.pending.bytes.count == unit.length else { return }
    let new = attributes.unit(
      unit.pending.bytes, channel: channel, sender: sender, frame: number, &connection.attributes)
    try patches.put(new, at: unit.pending.origins)
  }

  private func note(signalling bytes: [UInt8], _ connection: inout Connection) {
    var reader = ByteReader(bytes.rawBytes, layer: .l2cap)
    while reader.remaining >= 4, let command = try? SignallingCommand(&reader) {
      switch command {
      case .connectionRequest(let identifier, SignallingCommand.enhancedATT, _, let sources):
        connection.openings[identifier] = false
        for source in sources { connection.channels[source] = false }
      case .classicConnectionRequest(let identifier, SignallingCommand.classicATT, let source):
        connection.openings[identifier] = true
        connection.channels[source] = true
      case .connectionResponse(let identifier, _, let destinations):
        guard let isPlain = connection.openings[identifier] else { continue }
        for destination in destinations where destination != 0 {
          connection.channels[destination] = isPlain
        }
      case .classicConnectionResponse(let identifier, let destination, _, _):
        guard let isPlain = connection.openings[identifier] else { continue }
        connection.channels[destination] = isPlain
      default: break
      }
    }
  }

  /// The security manager's packets: keys and addresses (Vol 3 Part H, 3.5 and 3.6).
  private func pairing(_ bytes: [UInt8]) -> [UInt8] {
    guard let code = bytes.first else { return [] }
    let rest = Array(bytes.dropFirst())
    switch code {
    case 0x01, 0x02, 0x05, 0x0B, 0x0E: return bytes
    case 0x08 where rest.count == 16:
      if rest.allSatisfy({ $0 == 0 }) { return bytes }
      return [code] + pseudonyms.resolvingKey(rest.reversed()).reversed()
    case 0x09 where rest.count == 7:
      return [code, rest[0]] + pseudonyms.addressBytes(Array(rest[1...]))
    case 0x07 where rest.count == 10:
      return [code] + pseudonyms.bytes(Array(rest[..<2]), "key")
        + pseudonyms.bytes(Array(rest[2...]), "key")
    case 0x03, 0x04, 0x06, 0x0A, 0x0C, 0x0D: return [code] + pseudonyms.bytes(rest, "key")
    default: return [code] + [UInt8](repeating: 0, count: rest.count)
    }
  }

  /// What is left of origins behind their first bytes.
  static func dropping(_ count: Int, of origins: [ByteOrigin]) -> [ByteOrigin] {
    var left = count
    var result: [ByteOrigin] = []
    for var origin in origins {
      let passed = min(left, origin.count)
      left -= passed
      origin.offset += passed
      origin.count -= passed
      if origin.count > 0 { result.append(origin) }
    }
    return result
  }
}
