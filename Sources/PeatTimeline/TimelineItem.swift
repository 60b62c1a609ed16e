package import FirmwareUpgrades
package import MeshDissection
package import PeatDissection

/// What a timeline shows: a message of one of the protocols that share the links and the air.
///
/// Reports switch over it, so that the compiler asks each of them about a new protocol.
package enum TimelineItem: Sendable {
  case peat(TimelineRow)
  case mesh(MeshRow)
  case smp(UpgradeRow)
}

extension TimelineItem {
  /// How it was carried.
  package var carried: CarriedValue {
    switch self {
    case .peat(let row): CarriedValue(file: row.file, value: row.value, elapsed: row.elapsed)
    case .mesh(let row): row.carried
    case .smp(let row): row.carried
    }
  }

  /// What is wrong with it.
  package var findings: [Finding] {
    switch self {
    case .peat(let row): row.findings
    case .mesh(let row): row.findings
    case .smp(let row): row.findings
    }
  }
}

/// A value of a protocol beside Peat, as it was carried.
package struct CarriedValue: Sendable {
  /// The capture as the user named it.
  package var file: String
  package var value: CapturedValue
  /// Nanoseconds from the first packet of the earliest capture.
  package var elapsed: Int64?
}

/// A message of a Bluetooth mesh in the timeline.
package struct MeshRow: Sendable {
  /// The value that completed it.
  package var carried: CarriedValue
  package var message: MeshMessage
  /// Every place where it was seen, the row's own first; empty where there is only that.
  package var seenIn: [MeshSighting] = []
  package var findings: [Finding]

  init(_ message: MeshMessage, _ carried: CarriedValue) {
    self.message = message
    self.carried = carried
    findings = message.findings.map { finding in
      Finding(FindingCode(finding.code), finding.text, otherFrames: finding.frames)
    }
  }

  mutating func add(_ sighting: MeshSighting) {
    if seenIn.isEmpty { seenIn = [MeshSighting(place: message.place, ttl: message.ttl)] }
    seenIn.append(sighting)
  }
}

/// A message of a firmware upgrade in the timeline.
package struct UpgradeRow: Sendable {
  /// The value that completed it.
  package var carried: CarriedValue
  package var packet: SMPPacket
  package var findings: [Finding]
}
