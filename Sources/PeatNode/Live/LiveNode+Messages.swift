import BluetoothHost
import PeatProtocol

extension LiveNode {
  /// Takes a frame that came over a link.
  mutating func hear(_ frame: [UInt8], on link: UInt16) {
    guard let entry = links[link] else { return }
    let before = mesh.document
    let identifier = entry.identifier
    let report: ReceivedReport?
    if let known = mesh.peers.node(of: identifier) {
      report = mesh.receive(frame, fromKnown: identifier, now: now)
      mesh.touch(identifier, node: report?.source ?? known, now: now)
    } else {
      report = mesh.receive(frame, fromAny: identifier, now: now)
    }
    mesh.apply(delta: frame)
    for reason in mesh.undoExcess(since: before) {
      notes.append(.refused("\(identifier): \(reason)"))
    }
    mesh.skipCollidingVersions()
    guard let report else { return }
    links[link]?.usedAt = now
    if report.hopCount == 0, report.origin == nil { links[link]?.node = report.source }
    if configuration.role == .relay, let copy = report.relayed { pass(copy, notTo: link) }
  }

  /// Hands a frame to every other link as it is.
  private mutating func pass(_ frame: [UInt8], notTo link: UInt16) {
    for other in links.keys.sorted() where other != link { queue(frame, on: other) }
  }

  mutating func queue(_ frame: [UInt8], on link: UInt16) {
    guard let count = links[link]?.passing.count, count < LiveLink.passingLimit else {
      return
    }
    links[link]?.passing.append(frame)
  }

  /// Marks a link for sending: at once, or when its quiet time is over.
  mutating func sendSoon(_ link: UInt16, atOnce: Bool = false) {
    links[link]?.isDirty = true
    if atOnce { links[link]?.lastSent = nil }
  }

  /// Makes the current document what readers get.
  mutating func publish() {
    published = mesh.document
    let shown = configuration.role != .observe
    let frames = mesh.frames(isLocalShown: shown)
    // A value has at most 512 bytes (formats.md 10).
    let limit = AttributeDatabase.maximumValueLength - mesh.sealedOverhead
    let frame =
      frames.first { $0.count <= limit }
      ?? mesh.partialFrame(capacity: limit, rotation: 0)?.frame
    guard let frame, let value = mesh.onAir(frame) else { return }
    for handle in documents { host.setValue(value, of: handle) }
  }

  /// Sends what is due on each link, and reads what is to be read.
  mutating func sendDue() {
    if published != mesh.document {
      publish()
      for link in links.keys { links[link]?.isDirty = true }
    }
    if now >= nextPeriod {
      nextPeriod = now &+ configuration.period
      for link in links.keys { links[link]?.isDirty = true }
    }
    for link in links.keys.sorted() {
      readDue(link)
      if configuration.role != .observe { sendDue(link) }
      passDue(link)
    }
  }

  private mutating func readDue(_ link: UInt16) {
    guard let due = links[link]?.readAt, now >= due, host.read(from: link, now: now) else {
      return
    }
    links[link]?.readAt = nil
  }

  private mutating func sendDue(_ link: UInt16) {
    guard let entry = links[link], entry.isDirty else { return }
    if let sent = entry.lastSent, now < sent &+ configuration.quietTime { return }
    let frames = mesh.frames(isLocalShown: true)
    guard send(frames, on: link) else { return }
    links[link]?.isDirty = false
    links[link]?.lastSent = now
  }

  /// Sends the first of the frames that the link takes whole; gives whether one is on its way.
  ///
  /// Where not even the counters fit, they go in parts; where not even one fits, the whole document
  /// goes by prepared writes. A link on which
  /// notifications are too small is looked into as a client: that asks for a larger MTU, and the
  /// peer may have a characteristic to write to.
  private mutating func send(_ frames: [[UInt8]], on link: UInt16) -> Bool {
    let room = min(host.mtu(of: link) - 3, AttributeDatabase.maximumValueLength)
    let capacity = room - mesh.sealedOverhead
    var fitting = frames.first { $0.count <= capacity }
    if fitting == nil, let rotation = links[link]?.rotation,
      let part = mesh.partialFrame(capacity: capacity, rotation: rotation)
    {
      fitting = part.frame
      links[link]?.rotation = part.next
    }
    let handle = documents.first { host.subscription(of: link, to: $0) & 1 == 1 }
    if let handle, let fitting, fitting == frames.first || !host.canWrite(link),
      let value = mesh.onAir(fitting)
    {
      if fitting != frames.first { host.startClient(link, now: now) }
      return host.notify(value, of: handle, to: link, now: now)
    }
    if handle != nil, fitting == nil { host.startClient(link, now: now) }
    guard host.canWrite(link) else { return false }
    let limit = AttributeDatabase.maximumValueLength - mesh.sealedOverhead
    guard let frame = fitting ?? frames.first(where: { $0.count <= limit }),
      let value = mesh.onAir(frame)
    else { return false }
    return host.write(value, to: link, now: now)
  }

  private mutating func passDue(_ link: UInt16) {
    while let frame = links[link]?.passing.first {
      let handle = documents.first { host.subscription(of: link, to: $0) & 1 == 1 }
      let isSent =
        (handle.map { host.notify(frame, of: $0, to: link, now: now) } ?? false)
        || host.write(frame, to: link, now: now)
      guard isSent else { return }
      links[link]?.passing.removeFirst()
    }
  }
}
