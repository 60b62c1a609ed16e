import BluetoothHost
import PeatProtocol

extension LiveNode {
  /// Takes a frame that came over a link.
  mutating func hear(_ frame: [UInt8], on link: UInt16) {
    guard let entry = links[link] else { return }
    let before = mesh.document
    let identifier = entry.identifier
    let known = mesh.peers.node(of: identifier)
    let report =
      known == nil
      ? mesh.receive(frame, fromAny: identifier, now: now)
      : mesh.receive(frame, fromKnown: identifier, now: now)
    if let known { mesh.touch(identifier, node: known, now: now) }
    mesh.apply(delta: frame)
    for reason in mesh.undoExcess(since: before) {
      notes.append(.refused("\(identifier): \(reason)"))
    }
    mesh.skipCollidingVersions()
    guard let report else { return }
    links[link]?.usedAt = now
    links[link]?.heardAt = now
    meet(report, on: link)
    if configuration.role == .relay, let copy = report.relayed { pass(copy, notTo: link) }
  }

  /// Learns who speaks: on a link the author of its documents, and of those that were passed on,
  /// in an envelope or as they are, somebody further away.
  private mutating func meet(_ report: ReceivedReport, on link: UInt16) {
    guard let entry = links[link] else { return }
    // What was heard before the link may have been another life's, or another device's.
    let device = devices[entry.peer].flatMap {
      $0.lastHeard &+ DeviceTable.presence >= entry.openedAt ? $0 : nil
    }
    let named = device?.name.flatMap { DeviceName($0)?.node }
    let neighbour = named ?? (entry.isNodeTold ? entry.node : nil)
    if report.origin == nil, neighbour == nil || neighbour == report.source {
      links[link]?.node = report.source
      links[link]?.isNodeTold = true
      mesh.touch(entry.identifier, node: report.source, now: now)
      return
    }
    for author in [report.source, report.origin].compactMap({ $0 })
    where author != neighbour && author != mesh.configuration.node {
      authors = authors.filter { now &- $0.value <= ConnectionGraph.indirectLifetime }
      // Strangers could fill it, and with it every emergency's list of acks.
      guard authors[author] != nil || authors.count < LiveNode.authorLimit else { return }
      authors[author] = now
    }
  }

  /// Who is asked to acknowledge an emergency: the peers, and those that are heard through them.
  var knownNodes: [NodeID] {
    let far = authors.filter { now &- $0.value <= ConnectionGraph.indirectLifetime }
    return Set(mesh.peers.all.map(\.node)).union(far.keys).sorted()
  }

  /// Nodes that are only heard through others, and asked for acknowledgements.
  static let authorLimit = 32

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

  /// Marks a link for sending: as soon as may be, or at once.
  mutating func sendSoon(_ link: UInt16, atOnce: Bool = false) {
    links[link]?.isChanged = true
    if atOnce { links[link]?.budget = SendBudget() }
  }

  /// Whether this node's document goes out on a link: to one that subscribed, by being written, or by
  /// being read again and again.
  func isOutlet(_ link: UInt16) -> Bool {
    documents.contains { host.subscription(of: link, to: $0) & 1 == 1 } || host.hasSink(link)
      || (links[link]?.fetchedAt.map { now &- $0 <= LiveNode.readPeriod } ?? false)
  }

  /// Makes the current document what readers get.
  mutating func publish() {
    published = mesh.document
    let shown = configuration.role != .observe
    let frames = mesh.frames(isLocalShown: shown)
    // A value has at most 512 bytes (formats.md 10).
    let limit = AttributeDatabase.maximumValueLength - mesh.sealedOverhead
    var frame = frames.first { $0.count <= limit }
    if frame != nil {
      servedRotation = nil
    } else if let part = mesh.partialFrame(capacity: limit, rotation: servedRotation ?? 0) {
      // Who reads again gets the next part.
      frame = part.frame
      servedRotation = part.next
    }
    guard let frame, let value = mesh.onAir(frame) else { return }
    for handle in documents { host.setValue(value, of: handle) }
  }

  /// Sends what is due on each link, and reads what is to be read.
  mutating func sendDue() {
    if published != mesh.document {
      publish()
      for link in links.keys { links[link]?.isChanged = true }
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
    guard let due = links[link]?.readAt, now >= due,
      host.read(from: link, links[link]?.readHandle, now: now)
    else { return }
    links[link]?.readAt = nil
    links[link]?.readHandle = nil
  }

  private mutating func sendDue(_ link: UInt16) {
    guard var entry = links[link], entry.isDirty || entry.isChanged else { return }
    let isFree = entry.budget.isFree(at: now, interval: configuration.quietTime)
    links[link]?.budget = entry.budget
    let isRested = entry.lastSent.map { now >= $0 &+ configuration.quietTime } ?? true
    guard entry.isChanged ? isFree : isRested, send(mesh.frames(isLocalShown: true), on: link)
    else { return }
    if entry.isChanged { links[link]?.budget.spend() }
    links[link]?.isChanged = false
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
