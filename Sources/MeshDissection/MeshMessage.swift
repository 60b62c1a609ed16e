package import BluetoothMesh
package import MeshSecurity
package import WireBytes

/// Which way a mesh value came, and in what.
package enum MeshChannel: Sendable, Hashable {
  /// GATT, by the proxy's or the provisioning service's characteristics.
  case proxy(isFromClient: Bool)
  case provisioning(isFromClient: Bool)
  /// AD types 29, 2A and 2B.
  case provisioningAdvertisement, messageAdvertisement, beaconAdvertisement
  case serviceData(UInt16)

  /// Whether it came over a connection.
  var isLink: Bool {
    switch self {
    case .proxy, .provisioning: true
    case .provisioningAdvertisement, .messageAdvertisement, .beaconAdvertisement, .serviceData:
      false
    }
  }

  /// The word of the records.
  package var name: String {
    switch self {
    case .proxy: "gatt-proxy"
    case .provisioning: "pb-gatt"
    case .provisioningAdvertisement: "pb-adv"
    case .messageAdvertisement, .beaconAdvertisement: "advertising"
    case .serviceData: "service-data"
    }
  }
}

/// Where a mesh value was captured.
package struct MeshPlace: Sendable, Equatable {
  package var file: String
  package var frame: Int
  /// Every packet that carried a part.
  package var frames: [Int]
  package var time: Timestamp?
  package var adapter: Int
  /// The connection, counted over the run; 0 for what was advertised.
  package var link: Int
  /// The advertiser's address, where it is known.
  package var advertiser: String?

  package init(
    file: String, frame: Int, frames: [Int], time: Timestamp?, adapter: Int, link: Int,
    advertiser: String?
  ) {
    self.file = file
    self.frame = frame
    self.frames = frames
    self.time = time
    self.adapter = adapter
    self.link = link
    self.advertiser = advertiser
  }

  /// Nanoseconds from another place to this one; nil where a time is not known.
  func nanoseconds(since other: MeshPlace) -> Int64? {
    guard let time, let before = other.time else { return nil }
    return time.nanoseconds.subtractingReportingOverflow(before.nanoseconds).partialValue
  }
}

/// One more place where a PDU was seen: sent again, relayed, or heard by another adapter.
package struct MeshSighting: Sendable {
  package var place: MeshPlace
  package var ttl: UInt8?

  package init(place: MeshPlace, ttl: UInt8? = nil) {
    self.place = place
    self.ttl = ttl
  }
}

/// The value of a field, as records show it.
package enum MeshValue: Sendable, Equatable {
  case number(Int)
  case text(String)
  case flag(Bool)
  case list([MeshValue])

  /// For a sentence.
  package var words: String {
    switch self {
    case .number(let value): "\(value)"
    case .text(let value): value
    case .flag(let value): value ? "yes" : "no"
    case .list(let values): values.isEmpty ? "none" : values.map(\.words).joined(separator: " ")
    }
  }
}

/// A field of a message with its name in the records.
package struct MeshField: Sendable, Equatable {
  package var name: String
  package var value: MeshValue

  package init(_ name: String, _ value: MeshValue) {
    self.name = name
    self.value = value
  }

  init(_ name: String, _ value: some BinaryInteger) { self.init(name, .number(Int(value))) }
  init(_ name: String, _ value: String) { self.init(name, .text(value)) }
}

/// What is wrong with a mesh, by codes of its own; the timeline's table has their words.
package enum MeshFindingCode: String, Sendable, CaseIterable {
  case noKey = "mesh-no-key"
  case noKeyOpens = "mesh-no-key-opens"
  case noAppKey = "mesh-no-app-key"
  case noDeviceKey = "mesh-no-device-key"
  case micDamaged = "mesh-mic-damaged"
  case wrongIV = "mesh-wrong-iv"
  case replay = "mesh-replay"
  case sequenceReset = "mesh-seq-reset"
  case relayAltered = "mesh-relay-altered"
  case ttlZero = "mesh-ttl-zero"
  case segmentsUnacked = "mesh-segments-unacked"
  case ackCancelled = "mesh-ack-cancelled"
  case configUnanswered = "mesh-config-unanswered"
  case requestUnanswered = "mesh-request-unanswered"
  case configRefused = "mesh-config-refused"
  case filterDrops = "mesh-filter-drops"
  case filterMismatch = "mesh-filter-mismatch"
  case sarOrder = "mesh-sar-order"
  case sarTimeout = "mesh-sar-timeout"
  case beaconForged = "mesh-beacon-forged"
  case ivBackwards = "mesh-iv-backwards"
  case keysMixed = "mesh-kr-mixed"
  case notBound = "mesh-not-bound"
  case unknownOpcode = "mesh-unknown-opcode"
  case badLength = "mesh-bad-length"
  case defaultKey = "mesh-default-key"
  case provisioningFailed = "mesh-provisioning-failed"
  case provisioningStopped = "mesh-provisioning-stopped"
  case malformed = "mesh-malformed"
}

/// Something wrong with a message, or with the mesh at a place.
package struct MeshFinding: Sendable {
  package var code: MeshFindingCode
  /// One sentence for a person.
  package var text: String
  /// Earlier packets of the same file that belong to it.
  package var frames: [Int] = []

  init(_ code: MeshFindingCode, _ text: String, frames: [Int] = []) {
    self.code = code
    self.text = text
    self.frames = frames
  }
}

/// A finding that only later traffic, or the end, shows: it belongs to no row.
package struct PlacedMeshFinding: Sendable {
  package var finding: MeshFinding
  package var place: MeshPlace
}

/// One PDU of a mesh, as far as keys open it.
package struct MeshMessage: Sendable {
  /// How far it was read (the words of the records).
  package enum Layer: String, Sendable, CaseIterable {
    case pbADV = "pb-adv"
    case beacon, proxy, provisioning, network, segment, ack, upper, control, access
  }

  /// Where a segment stands in its message.
  package struct Segments: Sendable, Equatable {
    package var index: UInt8
    package var last: UInt8
    /// The message's own sequence number.
    package var sequence: UInt32
    /// Those that have come by now, ascending.
    package var received: [UInt8]
  }

  package var layer: Layer
  package var channel: MeshChannel
  package var place: MeshPlace
  /// The PDU: of several proxy values, the whole.
  package var bytes: [UInt8]
  package var netKey: MeshKeyName?
  package var appKey: MeshKeyName?
  /// The name of the mesh, where several databases are given.
  package var meshName: String?
  package var ivIndex: UInt32?
  package var ttl: UInt8?
  package var sequence: UInt32?
  package var source: MeshAddress?
  package var destination: MeshAddress?
  package var sourceName: String?
  package var destinationName: String?
  /// In hexadecimal digits.
  package var opcode: String?
  package var name: String?
  /// In hexadecimal digits; keys in them are left out.
  package var parameters: String?
  package var fields: [MeshField] = []
  package var segments: Segments?
  /// Which exchange of request and answer it belongs to, counted from 1.
  package var transaction: Int?
  /// Why it was not opened.
  package var unopened: String?
  /// Why it is no PDU.
  package var malformed: String?
  package var findings: [MeshFinding] = []

  init(_ layer: Layer, _ channel: MeshChannel, _ place: MeshPlace, _ bytes: [UInt8]) {
    self.layer = layer
    self.channel = channel
    self.place = place
    self.bytes = bytes
  }

  mutating func add(_ code: MeshFindingCode, _ text: String, frames: [Int] = []) {
    findings.append(MeshFinding(code, text, frames: frames))
  }
}
