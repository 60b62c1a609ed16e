import BluetoothProtocols
import CaptureFormats
import WireBytes

extension PacketSelection {
  /// What a packet of a connection is to the messages on it.
  private enum Part {
    /// Kept with its connection.
    case context
    case dropped
    /// The start of a packet of which too little is there to say.
    case unknown
  }

  /// ACL data: a fragment goes with the start of its packet.
  mutating func takeACL(_ record: borrowing RecordView) {
    var reader = ByteReader(record.payload, layer: .acl)
    guard let header = try? ACLHeader(&reader), !header.isVendorHandle else { return }
    let place = Place(adapter: record.adapter, handle: header.handle)
    if connections[place] == nil { connections[place] = Connection() }
    let isCarrier = wanted.carriers.contains(record.frame)
    if isCarrier { want(place) }
    let senders: ClosedRange<Int> =
      switch record.direction {
      case .sent where !record.directionGuessed: 0...0
      case .received where !record.directionGuessed: 1...1
      default: 0...1
      }
    if header.boundary == .continuing {
      for sender in senders { proceed(record.frame, place, sender, isCarrier: isCarrier) }
      return
    }
    let part = part(&reader, place, length: header.length, isCarrier: isCarrier)
    var isKept = part != .dropped
    // What only messages came in that are not wanted is not needed either.
    if wanted.others.contains(record.frame) && !isCarrier { isKept = false }
    for sender in senders {
      connections[place]?.fragments[sender] = Fragments(frames: [record.frame], areKept: isKept)
    }
    if isKept { keep(record.frame, of: place) }
  }

  /// A further fragment: one that carries a wanted message makes the whole packet wanted.
  private mutating func proceed(
    _ frame: Int, _ place: Place, _ sender: Int, isCarrier: Bool
  ) {
    guard var fragments = connections[place]?.fragments[sender], !fragments.frames.isEmpty else {
      return
    }
    if isCarrier, !fragments.areKept {
      keep(fragments.frames)
      fragments.areKept = true
    } else if fragments.areKept {
      keep(frame, of: place)
    } else if fragments.frames.count < PacketSelection.fragmentLimit {
      fragments.frames.append(frame)
    }
    connections[place]?.fragments[sender] = fragments
  }

  private mutating func part(
    _ reader: inout ByteReader, _ place: Place, length: Int, isCarrier: Bool
  ) -> Part {
    do throws(DecodeError) {
      guard reader.remaining >= 5 else { return .unknown }
      let announced = Int(try reader.le16())
      let channel = try reader.le16()
      switch channel {
      case 0x0004: return attribute(&reader, place, length: announced, isCarrier: isCarrier)
      case 0x0001, 0x0005:
        note(signalling: &reader, place)
        return .context
      case 0x0006:
        // Identity Information and Identity Address Information (Vol 3 Part H, 3.6.4 and 3.6.5).
        return reader.peek() == 0x08 || reader.peek() == 0x09 ? .context : .dropped
      case 0x0040...:
        guard connections[place]?.channels.contains(channel) == true else { return .dropped }
        // Which protocol data unit a later frame belongs to is told only by joining them.
        return .context
      default: return .dropped
      }
    } catch {
      return .unknown
    }
  }

  /// Everything on the attribute protocol but values that are not wanted (Vol 3 Part F, 3.4).
  private mutating func attribute(
    _ reader: inout ByteReader, _ place: Place, length: Int, isCarrier: Bool
  ) -> Part {
    guard let opcode = reader.peek() else { return .unknown }
    switch opcode {
    case 0x12, 0x52:
      // Two bytes configure a client.
      return length == 5 ? .context : .dropped
    case 0x0B:
      // Sixteen bytes may be the hash of the database.
      return length == 17 ? .context : .dropped
    case 0x16:
      connections[place]?.preparedIsWanted = isCarrier
      return isCarrier ? .context : .dropped
    case 0x17, 0x18, 0x19:
      return connections[place]?.preparedIsWanted == true ? .context : .dropped
    case 0x0D, 0x0F, 0x21, 0xD2, 0x1B, 0x23: return .dropped
    default: return .context
    }
  }

  /// Which channels carry ATT (Vol 3 Part F, 3.2.11; Vol 3 Part G, 5.1).
  private mutating func note(signalling reader: inout ByteReader, _ place: Place) {
    while reader.remaining >= 4, let command = try? SignallingCommand(&reader) {
      switch command {
      case .connectionRequest(let identifier, let multiplexer, _, let sources):
        guard multiplexer == SignallingCommand.enhancedATT else { continue }
        open(sources, identifier, place)
      case .classicConnectionRequest(let identifier, let multiplexer, let source):
        guard multiplexer == SignallingCommand.classicATT else { continue }
        open([source], identifier, place)
      case .connectionResponse(let identifier, _, let destinations):
        guard connections[place]?.openings.contains(identifier) == true else { continue }
        connections[place]?.channels.formUnion(destinations)
      case .classicConnectionResponse(let identifier, let destination, _, _):
        guard connections[place]?.openings.contains(identifier) == true else { continue }
        connections[place]?.channels.insert(destination)
      case .disconnectionRequest, .configurationRequest, .reconfigurationRequest, .other: break
      }
    }
  }

  private mutating func open(_ sources: [UInt16], _ identifier: UInt8, _ place: Place) {
    connections[place]?.channels.formUnion(sources)
    connections[place]?.openings.insert(identifier)
  }
}
