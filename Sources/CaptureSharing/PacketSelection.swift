import BluetoothProtocols
package import CaptureFormats
package import WireBytes

/// Which packets of a capture are needed to see the wanted messages again.
///
/// Those that carried a part of one; of the same connection what names its handles and says what
/// became of a write: opening and closing, discovery, MTU, channels, subscriptions, answers; this
/// host's own address; and the advertising of the nodes. From the air a link is kept whole, since
/// its sequence numbers tell repeats. Long-term and signing keys of a pairing are never kept.
package struct PacketSelection {
  /// Packets of one connection that wait for a message that makes them wanted; of more than that,
  /// further ones are kept.
  static let waitingLimit = 65_536
  /// Fragments remembered of one packet.
  static let fragmentLimit = 4096

  /// A connection, from its opening to its end.
  struct Connection {
    var isWanted = false
    var waiting: [Int] = []
    /// The fragments of the packet at hand, by sender, and whether they are kept.
    var fragments = [Fragments(), Fragments()]
    /// Channels that carry ATT, by whatever end's number.
    var channels: Set<UInt16> = []
    /// Sources of channels that are being opened for ATT, by the command's identifier.
    var openings: Set<UInt8> = []
    var preparedIsWanted = false
  }

  struct Fragments {
    var frames: [Int] = []
    var areKept = false
  }

  struct Place: Hashable {
    var adapter: Int
    var handle: UInt16
  }

  let wanted: WantedPackets
  var connections: [Place: Connection] = [:]
  private var isInSpan = true
  /// The packets that are kept.
  package private(set) var kept = FrameSet()

  /// Selects by what the wanted messages say.
  package init(_ wanted: WantedPackets) { self.wanted = wanted }

  /// Takes the next packet; `time` is when it was by the clock that the messages are selected by.
  package mutating func take(_ record: borrowing RecordView, at time: Timestamp?) {
    let frame = record.frame
    isInSpan = time.map { wanted.span.contains($0.nanoseconds) } ?? true
    if wanted.carriers.contains(frame) { kept.insert(frame) }
    switch record.content {
    case .acl: takeACL(record)
    case .command: if isWanted(command: record) { kept.insert(frame) }
    case .event: takeEvent(record)
    case .monitorNote:
      // New, deleted, opened and closed adapters, and their addresses; no logs.
      if [0, 1, 8, 9, 10].contains(record.monitorOpcode) { kept.insert(frame) }
    case .linkLayer251, .linkLayer256, .nordic272, .nordic157:
      if isWanted(air: record) { kept.insert(frame) }
    case .sco, .iso, .other: break
    }
  }

  /// Keeps a packet of a connection, once that is known to be wanted.
  mutating func keep(_ frame: Int, of place: Place) {
    if connections[place]?.isWanted == true {
      kept.insert(frame)
    } else if (connections[place]?.waiting.count ?? 0) < PacketSelection.waitingLimit {
      connections[place, default: Connection()].waiting.append(frame)
    } else {
      kept.insert(frame)
    }
  }

  /// Keeps packets, whatever connection they are of.
  mutating func keep(_ frames: [Int]) {
    for frame in frames { kept.insert(frame) }
  }

  /// A wanted message came on a connection.
  mutating func want(_ place: Place) {
    guard var connection = connections[place], !connection.isWanted else { return }
    for frame in connection.waiting { kept.insert(frame) }
    connection.waiting = []
    connection.isWanted = true
    connections[place] = connection
  }

}

// MARK: - HCI

extension PacketSelection {
  private func isWanted(command record: borrowing RecordView) -> Bool {
    var reader = ByteReader(record.payload, layer: .hci)
    guard let command = try? HCICommand(&reader) else { return false }
    if case .other = command { return false }
    return true
  }

  private mutating func takeEvent(_ record: borrowing RecordView) {
    let frame = record.frame
    var reader = ByteReader(record.payload, layer: .hci)
    // Most events only give credits back.
    if reader.peek() == 0x13 { return }
    do throws(DecodeError) {
      switch try HCIEvent(&reader) {
      case .connected(let opened):
        let place = Place(adapter: record.adapter, handle: opened.handle)
        connections[place] = Connection()
        keep(frame, of: place)
      case .disconnected(let handle, _):
        let place = Place(adapter: record.adapter, handle: handle)
        keep(frame, of: place)
        connections[place] = nil
      case .encryptionChanged(let handle, _), .paceChanged(let handle, _),
        .phyChanged(let handle, _, _), .signal(let handle, _):
        keep(frame, of: Place(adapter: record.adapter, handle: handle))
      case .publicAddress, .served: kept.insert(frame)
      case .advertising(var reports):
        guard isInSpan else { return }
        while let report = try reports.next() {
          if wanted.advertisers.contains(report.address) { kept.insert(frame) }
        }
      case .other: break
      }
    } catch {
      return
    }
  }
}

// MARK: - Air

extension PacketSelection {
  private func isWanted(air record: borrowing RecordView) -> Bool {
    var reader = ByteReader(record.payload, layer: .linkLayer)
    do throws(DecodeError) {
      let radio: RadioInformation
      switch record.content {
      case .linkLayer256: radio = try RadioInformation(header256: &reader)
      case .nordic272, .nordic157: radio = try NordicHeader(&reader).radio
      default: radio = RadioInformation()
      }
      let packet = try LinkLayerPacket(&reader, layout: radio.layout)
      guard packet.isAdvertising else {
        return wanted.accessAddresses.contains(packet.accessAddress)
      }
      switch try AdvertisingPDU(packet) {
      case .advertisement(let heard):
        return isInSpan && wanted.advertisers.contains(heard.address)
      case .extended:
        // Parts without an address belong to one that was named before.
        guard let address = try PacketSelection.extendedAdvertiser(packet.payload) else {
          return isInSpan
        }
        return isInSpan && wanted.advertisers.contains(address)
      case .connectionRequest(let request):
        return wanted.accessAddresses.contains(request.accessAddress)
      case .directed, .scanRequest, .other: return false
      }
    } catch {
      return false
    }
  }

  /// AdvA of an extended header (Core Specification Vol 6 Part B, 2.3.4).
  private static func extendedAdvertiser(
    _ payload: RawSpan
  ) throws(DecodeError) -> DeviceAddress? {
    var reader = ByteReader(payload, layer: .linkLayer)
    guard try reader.u8() & 0x3F > 0, try reader.u8() & 1 != 0 else { return nil }
    return DeviceAddress(value: try reader.le48())
  }
}
