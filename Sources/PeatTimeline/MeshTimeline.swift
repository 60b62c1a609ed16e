import BluetoothProtocols
import MeshDissection
import PeatDissection
import WireBytes

/// Mesh messages on their way into a timeline: each waits until no copy of it can come any more, and
/// what comes behind it waits too, so that rows stay in order.
struct MeshTimeline: Sendable {
  /// How long a row waits for its copies, in nanoseconds.
  private static let window: Int64 = 3_000_000_000
  /// Rows that wait; of more, the first goes.
  private static let limit = 8192

  enum Waiting: Sendable {
    /// A row with its number in the decoder.
    case mesh(MeshRow, number: Int)
    /// A value of another protocol behind it.
    case other(Held)
  }

  /// A value with what its row needs.
  struct Held: Sendable {
    var value: CapturedValue
    var file: String
    var recordedTime: Timestamp?
    var isRepeat: Bool
  }

  private(set) var decoder: MeshDecoder
  private var waiting: [Waiting] = []
  private var head = 0
  private var next = 0
  private var now: Timestamp?
  private var hasEnded = false
  /// Whether rows wait; they do not where a capture is followed.
  var waits = true

  init(_ keys: MeshKeys) { decoder = MeshDecoder(keys) }

  /// Whether nothing waits, so that other values need not either.
  var isEmpty: Bool { head == waiting.count }

  /// Takes a value of a mesh.
  mutating func take(_ carried: CarriedValue, _ carrier: MeshCarrier) {
    let value = carried.value
    let place = MeshPlace(
      file: carried.file, frame: value.frame, frames: value.frames, time: value.time,
      adapter: value.link.adapter, link: value.link.id,
      advertiser: value.opcode == .advertisement
        ? (value.link.peer ?? value.link.local)?.description ?? "adapter \(value.link.adapter)"
        : nil)
    now = value.time ?? now
    switch decoder.take(value.payload, MeshChannel(carrier, value), place) {
    case .nothing: break
    case .message(let message):
      var row = MeshRow(message, carried)
      for sighting in value.seenIn where sighting.frame != place.frame || !sighting.file.isEmpty {
        var place = place
        place.file = sighting.file.isEmpty ? carried.file : sighting.file
        place.frame = sighting.frame
        place.time = sighting.time
        place.adapter = sighting.adapter
        if place.file == carried.file, place.frame == value.frame { continue }
        row.add(MeshSighting(place: place))
      }
      waiting.append(.mesh(row, number: next))
      next += 1
    case .again(let number, let sighting): add(sighting, to: number)
    }
  }

  private mutating func add(_ sighting: MeshSighting, to number: Int) {
    // Numbers ascend; the row is near the end.
    for index in waiting.indices.dropFirst(head).reversed() {
      guard case .mesh(var row, let found) = waiting[index] else { continue }
      if found < number { return }
      guard found == number else { continue }
      row.add(sighting)
      waiting[index] = .mesh(row, number: found)
      return
    }
  }

  /// Takes a value of another protocol that has to wait for the rows before it.
  mutating func hold(_ held: Held) {
    now = held.value.time ?? now
    waiting.append(.other(held))
  }

  /// No value comes any more.
  mutating func end() {
    guard !hasEnded else { return }
    hasEnded = true
    decoder.conclude()
  }

  /// What need not wait any longer.
  mutating func takeReady() -> Waiting? {
    guard head < waiting.count else { return nil }
    let first = waiting[head]
    if case .mesh(let row, _) = first, !hasEnded, waits,
      waiting.count - head <= MeshTimeline.limit, let time = row.carried.value.time, let now,
      now.nanoseconds.subtractingReportingOverflow(time.nanoseconds).partialValue.magnitude
        <= MeshTimeline.window.magnitude
    {
      return nil
    }
    head += 1
    if head == waiting.count || head > 1024 {
      waiting.removeFirst(head)
      head = 0
    }
    return first
  }

  /// Takes the findings that belong to no row.
  mutating func takeFindings() -> [PlacedMeshFinding] { decoder.takeFindings() }
}

extension MeshChannel {
  init(_ carrier: MeshCarrier, _ value: CapturedValue) {
    // A client writes, and the server notifies.
    let isFromClient =
      switch value.opcode {
      case .writeRequest, .writeCommand, .signedWriteCommand, .executeWrite: true
      case .notification, .indication, .multipleNotification, .readResponse, .readBlob,
        .readByTypeResponse, .readMultiple, .readMultipleVariable, .advertisement:
        false
      }
    switch carrier {
    case .proxy: self = .proxy(isFromClient: isFromClient)
    case .provisioning: self = .provisioning(isFromClient: isFromClient)
    case .advertisement(.provisioning): self = .provisioningAdvertisement
    case .advertisement(.message): self = .messageAdvertisement
    case .advertisement(.beacon): self = .beaconAdvertisement
    case .serviceData(let uuid): self = .serviceData(uuid)
    }
  }
}
