import BluetoothHost
import BluetoothProtocols
import CaptureFormats
import PeatDissection
import PeatNode
import PeatReports
import PeatTimeline
import SystemIO
import WireBytes

extension NodeCommand {
  /// One turn: sends what is ready, shows what is known, waits, takes what came. A controller that
  /// goes after it was of use is waited for.
  ///
  /// - Throws: `TransportError` of a controller that never was, `Errno` of a file or the output.
  mutating func exchange(until end: UInt64?) throws {
    do {
      try turn(until: end)
    } catch let error as TransportError {
      guard hasStarted else { throw error }
      try lose(error.advice(for: configuration.transport))
    }
  }

  private mutating func turn(until end: UInt64?) throws {
    try reopen()
    // An answer that was not read yet is not one that did not come: what waits is taken first.
    let controllers = [transport.descriptor].compactMap { $0 }
    let isBehind = try Readiness.wait(for: controllers, milliseconds: 0).contains(true)
    if !isBehind || milliseconds() >= lastTick &+ NodeCommand.longestBacklog {
      lastTick = milliseconds()
      node.tick(now: lastTick, wall: wall())
    }
    try send()
    console.draw(title: title, engine: engine)
    let controller = [transport.descriptor].compactMap { $0 }
    let ready = try Readiness.wait(
      for: controller + console.descriptors,
      writing: transport.isWaiting ? transport.descriptor : nil, milliseconds: wait(until: end))
    try transport.flush(now: milliseconds())
    if !controller.isEmpty, ready[0] {
      for packet in try transport.receive() {
        record(packet, isReceived: true)
        node.receive(packet, now: milliseconds(), wall: wall())
        try send()
      }
    }
    console.read(ready: Array(ready.dropFirst(controller.count)), phrases: node.phrases)
    while !isEnding, let line = console.nextLine() {
      obey(line)
      try send()
    }
  }

  /// The controller has gone: the node keeps what it knows, and waits.
  mutating func lose(_ reason: String) throws {
    console.say("\(reason); the node goes on when it is back")
    transport.lose(now: milliseconds())
    node.loseController(now: milliseconds(), wall: wall())
    try send()
  }

  private mutating func reopen() throws {
    switch transport.reopen(now: milliseconds()) {
    case .notDue, .failed(nil): break
    case .failed(let advice?): console.say("cannot be opened again: \(advice)")
    case .opened: node.start(now: milliseconds(), wall: wall())
    }
  }

  private var title: String {
    let links = node.linkCount == 1 ? "1 link" : "\(node.linkCount) links"
    let controller = configuration.adapter + (transport.descriptor == nil ? " (gone)" : "")
    return "node \(state.node)  mesh \(configuration.mesh)  \(controller)  \(links)"
  }

  /// Sends and shows what is ready.
  mutating func send() throws {
    let packets = node.takeOutput()
    // Before anything goes out, so that no count or version is ever used twice.
    try save()
    for packet in packets { record(packet, isReceived: false) }
    engine.advance(to: MonotonicClock.nanoseconds())
    try writeRecording()
    try show()
    for packet in packets { try transport.send(packet, now: milliseconds()) }
    for note in node.takeNotes() { try take(note) }
  }

  /// Keeps the state where it goes beyond what the file says. Versions are taken in advance: they
  /// rise with every change that strangers send, and each would be a write to the disk.
  private mutating func save() throws(Errno) {
    guard
      node.ownCount != state.count || node.version > state.version
        || node.location != state.location || node.battery != state.battery
    else { return }
    take()
    state.version = node.version &+ NodeCommand.reservedVersions
    try stateFile.save(state)
  }

  /// Keeps the state as it is at the end.
  mutating func saveExactly() throws(Errno) {
    take()
    state.version = node.version
    try stateFile.save(state)
  }

  private mutating func take() {
    state.count = node.ownCount
    state.location = node.location
    state.battery = node.battery
  }

  /// Hands over what was recorded, so that the file can be read while it grows.
  mutating func writeRecording() throws(Errno) {
    guard var encoder = engine.recorder else { return }
    engine.recorder = nil
    defer { engine.recorder = encoder }
    try recording?.write(&encoder, at: MonotonicClock.nanoseconds())
  }

  mutating func record(_ packet: HCIPacket, isReceived: Bool) {
    frame += 1
    // Whole microseconds, as the recording holds them.
    let now = Int64(clamping: MonotonicClock.wallNanoseconds() / 1_000)
    let time = Timestamp(microseconds: now)
    let bytes = [0, 0, 0, isReceived ? 1 : 0] + packet.framed
    let view = RecordView(
      packet: bytes.rawBytes, of: .hciH4WithDirection, frame: frame, time: time,
      originalLength: bytes.count)
    engine.take(view, at: MonotonicClock.nanoseconds())
  }

  mutating func show() throws(Errno) {
    for notice in engine.takeNotices() { counts.countProblem(notice.code.rawValue) }
    for row in engine.takeRows() {
      counts.count(row)
      counts.shown += 1
      console.show(row, engine)
      if console.isFullScreen {
        writer.observe(row)
      } else {
        console.prepareToPrint()
        try writer.write(row)
      }
    }
    try sink.flush()
  }

  mutating func sayFarewell() throws {
    guard status == .done, let controller = transport.descriptor else { return }
    node.stop(now: milliseconds(), wall: wall())
    let end = milliseconds() &+ NodeCommand.farewell
    while milliseconds() < end {
      node.tick(now: milliseconds(), wall: wall())
      try send()
      if node.linkCount == 0, node.isQuiet { return }
      let ready = try Readiness.wait(
        for: [controller],
        writing: transport.isWaiting ? controller : nil, milliseconds: 20)
      try transport.flush(now: milliseconds())
      if ready[0] {
        for packet in try transport.receive() {
          record(packet, isReceived: true)
          node.receive(packet, now: milliseconds(), wall: wall())
        }
      }
    }
  }

  private func wait(until end: UInt64?) -> Int32 {
    let now = milliseconds()
    var due = min(node.deadline, end ?? .max)
    if let deadline = transport.deadline { due = min(due, deadline) }
    for deadline in [engine.deadline, console.deadline] {
      if let deadline { due = min(due, deadline / 1_000_000 &+ 1) }
    }
    return due > now ? Int32(clamping: due - now) : 0
  }

  func milliseconds() -> UInt64 { MonotonicClock.nanoseconds() / 1_000_000 }
  func wall() -> UInt64 { MonotonicClock.wallNanoseconds() / 1_000_000 }
}
