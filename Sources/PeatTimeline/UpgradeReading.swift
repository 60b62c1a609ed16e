import BluetoothProtocols
package import FirmwareUpgrades
package import PeatDissection
package import WireBytes

extension SMPStory {
  /// Takes a value of the characteristic of SMP; what a server refused never came to it.
  mutating func take(_ carried: CarriedValue) -> UpgradeRow? {
    let (value, file) = (carried.value, carried.file)
    let isFromClient: Bool
    switch value.opcode {
    case .writeRequest, .writeCommand, .signedWriteCommand, .executeWrite: isFromClient = true
    case .notification, .indication, .multipleNotification: isFromClient = false
    case .readResponse, .readBlob, .readByTypeResponse, .readMultiple, .readMultipleVariable,
      .advertisement:
      return nil
    }
    guard value.outcome == nil else { return nil }
    let isPeerServer = isFromClient == value.direction.isFromLocal
    let taken = take(
      SMPValue(
        bytes: value.payload, length: value.length, isFromClient: isFromClient,
        frames: value.frames,
        place: SMPPlace(
          file: file, frame: value.frame, time: value.time, link: value.link.id)),
      isPeerServer: isPeerServer, device: UpgradeDevice(value.link, isPeer: isPeerServer),
      mtu: value.mtu)
    guard let (packet, findings) = taken else { return nil }
    return UpgradeRow(
      carried: carried, packet: packet, findings: findings.map { Finding($0) })
  }
}

extension UpgradeDevice {
  /// The device at one end of a connection. A private address may be another one behind a reset
  /// (Core Specification Vol 6 Part B, 1.3.2).
  init(_ link: Link, isPeer: Bool) {
    guard let address = isPeer ? link.identity ?? link.peer : link.local else {
      self.init(name: "the device of connection \(link.id)", isStable: false)
      return
    }
    let isPrivate =
      isPeer && link.identity == nil && link.peerType == .random
      && address.value >> 46 != 3
    self.init(name: address.description, isStable: !isPrivate)
  }
}

extension SMPLinkLife {
  /// What a capture tells of a connection of its own.
  package init(_ facts: LinkFacts, file: String, link: Int, closed: Timestamp?) {
    self.init(
      end: facts.end == nil
        ? nil : SMPPlace(file: file, frame: facts.lastFrame, time: closed, link: link),
      words: facts.end?.words, interval: facts.pace.map { Double($0.interval) * 1.25 })
  }
}

extension Finding {
  /// The finding of an upgrade; both tables have the same codes.
  init(_ finding: UpgradeFinding) {
    self.init(
      FindingCode(finding.code), finding.text,
      otherFrames: finding.code == .cut ? finding.frames : [])
  }
}

extension EndFinding {
  /// What only the whole of an upgrade shows.
  package init(_ finding: UpgradeFinding) {
    self.init(
      FindingCode(finding.code), finding.text, link: finding.place?.link, frames: finding.frames,
      time: finding.place?.time)
  }
}
