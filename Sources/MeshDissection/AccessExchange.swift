import BluetoothMesh

/// Which message answers which (Mesh Protocol 1.1, 4.3; Mesh Model 1.1): by the names that the
/// table of opcodes has.
enum AccessExchange {
  private static let byName: [String: UInt32] = {
    var found: [String: UInt32] = [:]
    for opcode in Array(0x00...0x7E) + Array(0x8000...0x83FF) {
      if let name = AccessOpcode.name(of: UInt32(opcode)) { found[name] = UInt32(opcode) }
    }
    return found
  }()

  /// The answers whose names do not come of the request's by changing its last word.
  private static let special: [UInt32: UInt32] = [
    0x8001: 0x8002, 0x8042: 0x8043, 0x8029: 0x802A, 0x802B: 0x802C, 0x804B: 0x804C,
    0x804D: 0x804E, 0x8018: 0x8019, 0x03: 0x8019, 0x801A: 0x8019, 0x801B: 0x801F,
    0x801C: 0x801F, 0x801D: 0x801F, 0x801E: 0x801F, 0x8020: 0x801F, 0x8021: 0x801F,
    0x8022: 0x801F, 0x8049: 0x804A, 0x802F: 0x05, 0x8031: 0x05, 0x8032: 0x05, 0x8052: 0x8054,
    0x8053: 0x8054, 0x8059: 0x805B, 0x805A: 0x805B, 0x805D: 0x805E,
  ]

  /// The opcode of the answer to an acknowledged request; nil for any other message.
  static func answer(to opcode: UInt32) -> UInt32? {
    if let found = special[opcode] { return found }
    guard let name = AccessOpcode.name(of: opcode), !name.hasSuffix("Unacknowledged") else {
      return nil
    }
    for word in ["Get", "Set", "Add", "Update", "Delete", "Bind", "Unbind", "Recall", "Store"]
    where name.hasSuffix(word) {
      let stem = name.dropLast(word.count)
      if let found = byName[stem + "Status"] ?? byName[stem + "List"] { return found }
    }
    return nil
  }

  /// Whether a message is of the foundation models, which a client of the configuration sends.
  static func isConfiguration(_ opcode: UInt32) -> Bool {
    opcode <= 0x03 || opcode == 0x06
      || (0x8000...0x804E).contains(opcode)
        && !(0x8004...0x8007).contains(opcode) && !(0x802F...0x8037).contains(opcode)
  }
}

/// A request that waits for its answer.
struct PendingRequest: Sendable {
  var number: Int
  var opcode: UInt32
  var answer: UInt32
  var name: String
  var source: MeshAddress
  var destination: MeshAddress
  var parameters: [UInt8]
  var database: Int
  var place: MeshPlace
  var channel: MeshChannel
  /// The own sequence number of its message, and the last of its segments.
  var sequence: UInt32
  var lastSegment: UInt8?
  /// The last hop's TTL that was seen of it.
  var ttl: UInt8
  var lowestTTL: UInt8
  var repeats = 0
}

/// A request that nobody answered.
package struct UnansweredRequest: Sendable {
  package var transaction: Int
  package var opcode: String
  package var name: String
  package var source: String
  package var destination: String
  package var place: MeshPlace
  /// How often it was sent.
  package var times: Int
  /// How far it got, in words.
  package var progress: String
  package var isConfiguration: Bool
}

/// Puts requests and their answers together.
struct MeshExchanges: Sendable {
  /// Requests that wait at a time; of more, the oldest is given up.
  private static let limit = 1024
  /// How long an answer may take: low-power nodes and segments make it long.
  static let patience: Int64 = 30_000_000_000
  /// At the end, a request that waited for less may yet have been answered.
  static let shortPatience: Int64 = 4_000_000_000

  private var waiting: [PendingRequest] = []
  private var count = 0

  /// What is to be said of requests that waited too long by now, in order.
  mutating func expire(at now: MeshPlace) -> [PendingRequest] {
    guard let first = waiting.first, let age = now.nanoseconds(since: first.place),
      age > MeshExchanges.patience || waiting.count > MeshExchanges.limit
    else { return [] }
    let old = waiting.prefix { request in
      (now.nanoseconds(since: request.place) ?? 0) > MeshExchanges.patience
    }
    let dropped = max(old.count, waiting.count - MeshExchanges.limit)
    defer { waiting.removeFirst(dropped) }
    return Array(waiting.prefix(dropped))
  }

  /// What is unanswered where the captures end.
  mutating func conclude(at end: MeshPlace?) -> [PendingRequest] {
    defer { waiting = [] }
    guard let end else { return [] }
    return waiting.filter {
      (end.nanoseconds(since: $0.place) ?? 0) >= MeshExchanges.shortPatience
    }
  }

  /// A request went out: its number, that of an earlier one where it is sent again.
  mutating func request(_ request: PendingRequest) -> Int {
    if let index = waiting.lastIndex(where: {
      $0.database == request.database && $0.source == request.source
        && $0.destination == request.destination && $0.opcode == request.opcode
        && $0.parameters == request.parameters
    }) {
      waiting[index].repeats += 1
      waiting[index].lowestTTL = min(waiting[index].lowestTTL, request.ttl)
      return waiting[index].number
    }
    count += 1
    var request = request
    request.number = count
    waiting.append(request)
    return count
  }

  /// An answer came: the number of its request, which waits no longer.
  ///
  /// Of several that it may answer, the one whose parameters it repeats, else the latest.
  mutating func answer(
    _ opcode: UInt32, from source: MeshAddress, to destination: MeshAddress,
    _ parameters: [UInt8], database: Int
  ) -> PendingRequest? {
    let fitting = waiting.indices.filter {
      waiting[$0].database == database && waiting[$0].answer == opcode
        && waiting[$0].source == destination
        && (waiting[$0].destination == source || waiting[$0].destination.kind != .unicast)
    }
    guard
      let index = fitting.last(where: { repeats(waiting[$0].parameters, in: parameters) })
        ?? fitting.last
    else { return nil }
    let found = waiting[index]
    if found.destination.kind == .unicast { waiting.remove(at: index) }
    return found
  }

  private func repeats(_ request: [UInt8], in answer: [UInt8]) -> Bool {
    guard !request.isEmpty, answer.count >= request.count else { return false }
    return (0...(answer.count - request.count)).contains {
      Array(answer[$0..<$0 + request.count]) == request
    }
  }

  /// A copy of a request was seen with a lower TTL: somebody relayed it.
  mutating func noteRelay(sequence: UInt32, source: MeshAddress, ttl: UInt8) {
    for index in waiting.indices
    where waiting[index].source == source && waiting[index].sequence == sequence {
      waiting[index].lowestTTL = min(waiting[index].lowestTTL, ttl)
    }
  }

  /// The requests that wait for an address's answers.
  func waiting(for address: MeshAddress, _ database: Int) -> [PendingRequest] {
    waiting.filter { $0.source == address && $0.database == database }
  }
}
