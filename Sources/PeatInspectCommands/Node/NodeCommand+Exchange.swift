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
  /// One turn: sends what is ready, shows what is known, waits, takes what came.
  mutating func exchange(until end: UInt64?) throws(TransportError) {
    node.tick(now: milliseconds(), wall: wall())
    try send()
    console.draw(title: title, engine: engine)
    let ready: [Bool]
    do throws(Errno) {
      ready = try Readiness.wait(
        for: [transport.descriptor] + console.descriptors, milliseconds: wait(until: end))
    } catch {
      throw .system(error)
    }
    if ready[0] {
      for packet in try transport.receive() {
        record(packet, isReceived: true)
        node.receive(packet, now: milliseconds(), wall: wall())
        try send()
      }
    }
    console.read(ready: Array(ready.dropFirst()), phrases: node.phrases)
    while !isEnding, let line = console.nextLine() {
      obey(line)
      try send()
    }
  }

  private var title: String {
    let links = node.linkCount == 1 ? "1 link" : "\(node.linkCount) links"
    return "node \(state.node)  mesh \(configuration.mesh)  \(configuration.adapter)  \(links)"
  }

  mutating func send() throws(TransportError) {
    do throws(Errno) {
      // Before anything goes out, so that no count or version is ever used twice.
      try save()
      let packets = node.takeOutput()
      for packet in packets { record(packet, isReceived: false) }
      engine.advance(to: MonotonicClock.nanoseconds())
      try recording?.flush()
      try show()
      for packet in packets {
        do throws(TransportError) {
          try transport.send(packet)
        } catch {
          if case .system(let errno) = error { throw errno }
          throw Errno(code: 32, call: "write", path: configuration.adapter)
        }
      }
    } catch {
      if error.path == configuration.adapter { throw .closed(configuration.adapter) }
      throw .system(error)
    }
    for note in node.takeNotes() { take(note) }
  }

  private mutating func save() throws(Errno) {
    guard node.ownCount != state.count || node.version != state.version else { return }
    state.count = node.ownCount
    state.version = node.version
    try stateFile.save(state)
  }

  private mutating func record(_ packet: HCIPacket, isReceived: Bool) {
    frame += 1
    // Whole microseconds, as the recording holds them.
    let now = Int64(clamping: MonotonicClock.wallNanoseconds() / 1_000)
    let time = Timestamp(microseconds: now)
    recording?.append(packet, isReceived: isReceived, time: time)
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

  mutating func sayFarewell() throws(TransportError) {
    guard status == .done else { return }
    node.stop(now: milliseconds(), wall: wall())
    let end = milliseconds() &+ NodeCommand.farewell
    while milliseconds() < end {
      node.tick(now: milliseconds(), wall: wall())
      try send()
      if node.linkCount == 0, node.isQuiet { return }
      let ready: [Bool]
      do throws(Errno) {
        ready = try Readiness.wait(for: [transport.descriptor], milliseconds: 20)
      } catch {
        throw .system(error)
      }
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
    for deadline in [engine.deadline, console.deadline] {
      if let deadline { due = min(due, deadline / 1_000_000 &+ 1) }
    }
    return due > now ? Int32(clamping: due - now) : 0
  }

  func milliseconds() -> UInt64 { MonotonicClock.nanoseconds() / 1_000_000 }
  func wall() -> UInt64 { MonotonicClock.wallNanoseconds() / 1_000_000 }
}
