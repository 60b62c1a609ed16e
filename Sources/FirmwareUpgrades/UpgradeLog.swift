import SMPProtocol
import WireBytes

/// The device that a message is to or from.
package struct UpgradeDevice: Sendable, Hashable {
  /// Its address, or words for one whose address is not known.
  package var name: String
  /// Whether it cannot come back by another name.
  package var isStable: Bool

  package init(name: String, isStable: Bool) {
    self.name = name
    self.isStable = isStable
  }
}

/// Follows the upgrades of all devices, each over its connections (docs/upgrades.md).
struct UpgradeLog: Sendable {
  /// Devices and upgrades remembered; of more, the later ones are only counted.
  private static let limit = 1024
  static let stepLimit = 512
  static let findingLimit = 256
  private static let imageLimit = 16
  /// Messages of a device remembered, to know them again in another capture of the same link.
  private static let recentLimit = 128
  private static let twinWindow: Int64 = 5_000_000_000

  struct Device: Sendable {
    var current: Int?
    var link: Int
    var known: [SMPImage] = []
    var uploading = 0
    /// What was asked before an upgrade began.
    var prelude: [UpgradeStep] = []
    fileprivate var recent: [Recent] = []
  }

  fileprivate struct Recent: Sendable {
    var hash: Int
    var file: String
    var time: Timestamp?
  }

  private var devices: [UpgradeDevice: Device] = [:]
  /// Devices that came back by another name.
  private var aliases: [UpgradeDevice: UpgradeDevice] = [:]
  private(set) var sessions: [UpgradeSession] = []
  /// Upgrades that found no room.
  private(set) var leftOut = 0

  /// Takes the next message; gives what is to be said of it.
  mutating func take(
    _ packet: SMPPacket, of named: UpgradeDevice, mtu: Int
  ) -> [UpgradeFinding] {
    var findings: [UpgradeFinding] = []
    PacketRules.check(packet, &findings)
    let name = aliases[named] ?? adopt(named, packet)
    guard devices[name] != nil || devices.count < UpgradeLog.limit else { return findings }
    var device = devices.removeValue(forKey: name) ?? Device(link: packet.place.link)
    if !isTwin(packet, &device) {
      if device.link != packet.place.link { connect(packet, &device) }
      if let request = packet.asks {
        ask(request, name, &device, mtu, &findings)
      } else {
        answer(packet, &device, &findings)
      }
      if let index = device.current {
        sessions[index].last = packet.place
        for var finding in findings
        where sessions[index].findings.count < UpgradeLog.findingLimit {
          finding.place = packet.place
          finding.frames = packet.frames
          sessions[index].findings.append(finding)
        }
      }
    }
    devices[name] = device
    return findings
  }

  /// The session that a device is in.
  func session(of named: UpgradeDevice) -> Int? {
    devices[aliases[named] ?? named]?.current
  }

  mutating func change(_ index: Int, _ change: (inout UpgradeSession) -> Void) {
    guard sessions.indices.contains(index) else { return }
    change(&sessions[index])
  }

  // MARK: Devices

  /// A device with a private address is known again by the image that was put on it.
  private mutating func adopt(_ named: UpgradeDevice, _ packet: SMPPacket) -> UpgradeDevice {
    guard !named.isStable, devices[named]?.current == nil,
      let body = packet.message?.body, packet.header.group == 1, packet.header.command == 0,
      let hashes = SMPImage.all(body)?.compactMap(\.hash), aliases.count < UpgradeLog.limit
    else { return named }
    let waiting = devices.filter { name, device in
      guard name != named, !name.isStable, let index = device.current else { return false }
      let session = sessions[index]
      return session.reset != nil && !session.hasReturned
        && session.images.contains { $0.newHash.map { hashes.contains($0) } ?? false }
    }
    // Two that wait for the same image cannot be told apart.
    guard waiting.count == 1, let name = waiting.first?.key else { return named }
    devices[named] = nil
    aliases[named] = name
    return name
  }

  private func isTwin(_ packet: SMPPacket, _ device: inout Device) -> Bool {
    var hasher = Hasher()
    hasher.combine(packet.bytes)
    let this = Recent(hash: hasher.finalize(), file: packet.place.file, time: packet.place.time)
    if let time = this.time,
      device.recent.contains(where: { other in
        other.hash == this.hash && other.file != this.file
          && other.time.map { abs(time.nanoseconds(since: $0)) < UpgradeLog.twinWindow } ?? false
      })
    {
      return true
    }
    if device.recent.count == UpgradeLog.recentLimit { device.recent.removeFirst() }
    device.recent.append(this)
    return false
  }

  private mutating func connect(_ packet: SMPPacket, _ device: inout Device) {
    device.link = packet.place.link
    device.prelude = []
    guard let index = device.current else { return }
    for image in sessions[index].images {
      guard let upload = image.upload, !upload.isComplete, upload.length != nil,
        sessions[index].interruptions.count < 64
      else { continue }
      sessions[index].interruptions.append((upload.last, upload.progress))
    }
    if !sessions[index].links.contains(packet.place.link), sessions[index].links.count < 256 {
      sessions[index].links.append(packet.place.link)
    }
    add(.connected, packet.place, "connected again", index)
  }

  // MARK: Requests

  private mutating func ask(
    _ request: SMPRequest, _ name: UpgradeDevice, _ device: inout Device, _ mtu: Int,
    _ findings: inout [UpgradeFinding]
  ) {
    switch request.ask {
    case .upload(let chunk):
      guard let index = session(for: chunk, request, name, &device) else { return }
      let number = chunk.image ?? (chunk.offset == 0 ? 0 : device.uploading)
      device.uploading = number
      guard let place = place(of: number, index, device) else { return }
      sessions[index].mtu = mtu
      upload(chunk, request, index, place, &findings)
    case .mark(let hash, let isConfirm):
      guard let index = session(forMark: isConfirm, request, name, &device),
        let place = place(ofHash: hash, index, device)
      else { return }
      let what = hash.map { "of \(SMPWords.hash($0))" } ?? "of the running image"
      add(
        isConfirm ? .confirm : .test, request.place,
        (isConfirm ? "confirmation asked " : "test asked ") + what, index)
      if isConfirm {
        sessions[index].images[place].isConfirmAsked = true
      } else {
        sessions[index].images[place].isTested = true
      }
      if let hash { sessions[index].images[place].newHash = hash }
    case .erase(let slot):
      note(.erase, request.place, "erase of slot \(slot ?? 1) asked", &device)
    case .other:
      guard request.header.group == 0, request.header.command == 5,
        request.header.operation == .write, let index = device.current
      else { return }
      add(.reset, request.place, "reset asked", index)
      let isDue = sessions[index].images.contains {
        $0.isTested || $0.isConfirmAsked
          || $0.upload.map { $0.isComplete || $0.length == nil } ?? false
      }
      if isDue, sessions[index].reset == nil { sessions[index].reset = request.place }
    }
  }

  /// Whether what was put on the device was followed by a reset, so that the next upload is another
  /// upgrade.
  private func isDone(_ session: UpgradeSession) -> Bool { session.reset != nil }

  private mutating func session(
    for chunk: SMPRequest.Chunk, _ request: SMPRequest, _ name: UpgradeDevice,
    _ device: inout Device
  ) -> Int? {
    if let index = device.current {
      guard chunk.offset == 0 else { return index }
      let old = sessions[index].images.first { $0.image == chunk.image ?? 0 }?.upload
      let isOther =
        if let old {
          if let hash = old.hash, let new = chunk.hash {
            hash != new
          } else {
            old.length != nil && chunk.length != nil && old.length != chunk.length
          }
        } else { false }
      if !isDone(sessions[index]), !isOther { return index }
    }
    return begin(request, name, &device)
  }

  private mutating func session(
    forMark isConfirm: Bool, _ request: SMPRequest, _ name: UpgradeDevice, _ device: inout Device
  ) -> Int? {
    if let index = device.current, isConfirm || !isDone(sessions[index]) { return index }
    return begin(request, name, &device)
  }

  private mutating func begin(
    _ request: SMPRequest, _ name: UpgradeDevice, _ device: inout Device
  ) -> Int? {
    guard sessions.count < UpgradeLog.limit else {
      leftOut += 1
      device.current = nil
      return nil
    }
    var session = UpgradeSession(device: name.name, at: request.place)
    session.links = [request.place.link]
    session.steps = device.prelude
    if let first = device.prelude.first { session.first = first.place }
    device.prelude = []
    sessions.append(session)
    device.current = sessions.count - 1
    return device.current
  }

  /// The place of an image in its session.
  private mutating func place(of number: Int, _ index: Int, _ device: Device) -> Int? {
    if let place = sessions[index].images.firstIndex(where: { $0.image == number }) {
      return place
    }
    guard sessions[index].images.count < UpgradeLog.imageLimit else { return nil }
    var image = UpgradeImage(image: number)
    image.learnBefore(device.known)
    sessions[index].images.append(image)
    return sessions[index].images.count - 1
  }

  private mutating func place(ofHash hash: [UInt8]?, _ index: Int, _ device: Device) -> Int? {
    if let hash {
      if let place = sessions[index].images.firstIndex(where: {
        $0.newHash == hash || $0.upload?.hash == hash
      }) {
        return place
      }
      if let known = device.known.first(where: { $0.hash == hash }) {
        return place(of: known.image, index, device)
      }
    }
    return place(of: sessions[index].images.isEmpty ? 0 : device.uploading, index, device)
  }

  private mutating func upload(
    _ chunk: SMPRequest.Chunk, _ request: SMPRequest, _ index: Int, _ place: Int,
    _ findings: inout [UpgradeFinding]
  ) {
    let number = sessions[index].images[place].image
    var upload = sessions[index].images[place].upload ?? ImageUpload(chunk, at: request.place)
    if upload.requests == 0 {
      var text = "upload of image \(number) begins"
      if chunk.offset > 0 { text = "upload of image \(number) is under way at \(chunk.offset)" }
      if let length = chunk.length { text += ", \(length) bytes" }
      if let version = chunk.version { text += ", version \(version)" }
      if let hash = chunk.hash { text += ", sha \(SMPWords.hash(hash))" }
      add(.upload, request.place, text, index)
      upload.acknowledged = chunk.offset
    } else if upload.last.link != request.place.link, chunk.offset > 0 {
      upload.resumes += 1
      let text = "the upload goes on at \(chunk.offset) in a new connection"
      findings.append(UpgradeFinding(.resumed, text))
      add(.resume, request.place, text, index)
    }
    if upload.length == nil { upload.length = chunk.length }
    if upload.hash == nil { upload.hash = chunk.hash }
    if upload.version == nil { upload.version = chunk.version }
    if upload.last.link != request.place.link { upload.since = request.place }
    upload.requests += 1
    upload.sent = upload.sent.addingReportingOverflow(chunk.count).partialValue
    upload.last = request.place
    if chunk.offset == upload.acknowledged || chunk.offset == 0 {
      upload.repeats += 1
      if upload.repeats == 3 {
        let text = "the part at \(chunk.offset) is sent the third time: stuck at \(upload.progress)"
        findings.append(UpgradeFinding(.uploadRepeated, text))
        add(.stuck, request.place, text, index)
      }
    }
    sessions[index].images[place].upload = upload
  }

  // MARK: Answers

  private mutating func answer(
    _ packet: SMPPacket, _ device: inout Device, _ findings: inout [UpgradeFinding]
  ) {
    guard let body = packet.message?.body else { return }
    let header = packet.header
    if let refusal = SMPRefusal(body) {
      refuse(packet, SMPWords.text(refusal), device)
      return
    }
    switch (header.group, header.command) {
    case (0, 5):
      guard header.operation == .writeResponse, let index = device.current else { return }
      sessions[index].isResetAnswered = true
      sessions[index].refusals["reset"] = nil
    case (0, 6):
      guard let size = body["buf_size"]?.integer else { return }
      let count = body["buf_count"]?.integer.map { " \($0) of" } ?? ""
      note(.parameters, packet.place, "the server's buffers:\(count) \(size) bytes", &device)
    case (0, 8):
      guard let name = body["bootloader"]?.text else { return }
      note(.bootloader, packet.place, "the boot loader is \(name)", &device)
    case (1, 0):
      guard let images = SMPImage.all(body) else { return }
      list(images, packet, &device)
    case (1, 1):
      guard case .upload(let chunk) = packet.request?.ask, let index = device.current else {
        return
      }
      uploaded(chunk, body, packet, index, device, &findings)
    default: return
    }
  }

  private mutating func refuse(_ packet: SMPPacket, _ why: String, _ device: Device) {
    guard let index = device.current else { return }
    let title = SMPWords.title(packet.header, packet.request?.ask)
    add(.refused, packet.place, "\(title) refused: \(why)", index)
    switch packet.request?.ask {
    case .upload: sessions[index].refusals["upload"] = why
    case .mark(let hash, let isConfirm):
      sessions[index].refusals[isConfirm ? "confirm" : "test"] = why
      guard let place = place(ofHash: hash, index, device) else { return }
      if isConfirm {
        sessions[index].images[place].isConfirmAsked = false
      } else {
        sessions[index].images[place].isTested = false
      }
    case .erase: sessions[index].refusals["erase"] = why
    case .other, nil:
      guard packet.header.group == 0, packet.header.command == 5 else { return }
      sessions[index].refusals["reset"] = why
      if sessions[index].reset == packet.request?.place { sessions[index].reset = nil }
    }
  }

  private mutating func list(_ images: [SMPImage], _ packet: SMPPacket, _ device: inout Device) {
    defer { device.known = Array(images.prefix(64)) }
    let text = images.isEmpty ? "no images" : images.prefix(8).map(\.words).joined(separator: "; ")
    note(.images, packet.place, text, &device)
    guard let index = device.current else { return }
    if case .mark(_, let isConfirm) = packet.request?.ask {
      sessions[index].refusals[isConfirm ? "confirm" : "test"] = nil
    }
    let isAfterReset =
      if let reset = sessions[index].reset {
        reset.link != packet.place.link
          || packet.place.nanoseconds(since: reset).map { $0 > 2_000_000_000 } ?? false
      } else { false }
    for place in sessions[index].images.indices {
      sessions[index].images[place].learn(images, isAfterReset: isAfterReset)
    }
  }

  private mutating func uploaded(
    _ chunk: SMPRequest.Chunk, _ body: CBORValue, _ packet: SMPPacket, _ index: Int,
    _ device: Device, _ findings: inout [UpgradeFinding]
  ) {
    let number = chunk.image ?? device.uploading
    guard let place = sessions[index].images.firstIndex(where: { $0.image == number }),
      var upload = sessions[index].images[place].upload
    else { return }
    sessions[index].refusals["upload"] = nil
    let wasComplete = upload.isComplete
    if let offset = body["off"]?.integer, offset >= 0, offset <= UInt32.max {
      if let (code, kind, text) = upload.answer(chunk, offset, packet.place) {
        findings.append(UpgradeFinding(code, text))
        add(kind, packet.place, text, index)
      }
    }
    if let isMatch = body["match"]?.bool {
      upload.isMatch = isMatch
      upload.isComplete = true
      if !isMatch {
        findings.append(UpgradeFinding(.hashMismatch, "the server found another hash in the image"))
      }
    }
    if upload.isComplete, !wasComplete {
      let text = SMPWords.uploaded(upload)
      add(.uploaded, packet.place, text, index)
    }
    sessions[index].images[place].upload = upload
  }

  // MARK: Steps

  private mutating func note(
    _ kind: UpgradeStep.Kind, _ place: SMPPlace, _ text: String, _ device: inout Device
  ) {
    if let index = device.current {
      add(kind, place, text, index)
    } else {
      if device.prelude.count == 8 { device.prelude.removeFirst() }
      device.prelude.append(UpgradeStep(kind: kind, place: place, text: text))
    }
  }

  mutating func add(
    _ kind: UpgradeStep.Kind, _ place: SMPPlace, _ text: String, _ index: Int
  ) {
    guard sessions[index].steps.count < UpgradeLog.stepLimit else {
      sessions[index].stepsLeftOut += 1
      return
    }
    sessions[index].steps.append(UpgradeStep(kind: kind, place: place, text: text))
  }
}
