import PeatTestSupport

/// The captures of ``EmergencyWhyTests``. A connection that is opened takes nine packets, each
/// document one, so that the packets that must be named can be counted.
extension EmergencyWhyTests {
  private typealias Parts = EmergencyParts
  private static let alpha = Parts.alpha
  private static let bravo = Parts.bravo
  private static let charlie = Parts.charlie

  private static func raise(
    _ capture: CaptureBuilder, by source: UInt32 = alpha, pending: [UInt32] = [bravo]
  ) -> Parts.Emergency {
    (source, capture.now, [(source, true)] + pending.map { ($0, false) })
  }

  /// The host is ALPHA; BRAVO is the peer, which is told as written here, and then sends twice.
  private static func told(
    _ capture: inout CaptureBuilder, _ tell: (inout CaptureBuilder, Parts.Emergency) -> Void
  ) {
    capture.open()
    capture.notify(Parts.document(bravo, 2))
    tell(&capture, raise(capture))
    for version: UInt32 in 3...4 {
      capture.wait(1)
      capture.notify(Parts.document(bravo, version))
    }
  }

  /// A peer connects to the host's server, which notifies.
  private static func serve(_ capture: inout CaptureBuilder, _ connection: UInt16, mtu: UInt16) {
    capture.connect(connection, peer: 0xC000_0000_0000 + UInt64(connection), isCentral: false)
    capture.exchangeMTU(mtu, on: connection)
    capture.discover(server: .host, on: connection)
    capture.subscribe(server: .host, on: connection)
  }

  private static func hear(
    _ capture: inout CaptureBuilder, _ value: [UInt8], _ connection: UInt16 = 0x40
  ) { capture.att([0x52, 0x12, 0] + value, from: .peer, on: connection) }

  /// Two peers at the host's server: BRAVO with an MTU of 63, by which a document is cut before
  /// its emergency, and CHARLIE, who gets it whole.
  private static func cut(_ capture: inout CaptureBuilder, isCutFirst: Bool) {
    serve(&capture, 0x40, mtu: 63)
    serve(&capture, 0x41, mtu: 517)
    hear(&capture, Parts.document(bravo, 2))
    hear(&capture, Parts.document(charlie, 2), 0x41)
    let event = raise(capture, pending: [bravo, charlie])
    let peripheral = Parts.peripheral(alpha, "ALPHA", time: capture.now)
    let value = Parts.document(alpha, 2, emergency: event, peripheral: peripheral)
    let parts: [(UInt16, [UInt8])] = [(0x40, Array(value.prefix(60))), (0x41, value)]
    for (connection, part) in isCutFirst ? parts : parts.reversed() {
      capture.att([0x1B, 0x12, 0] + part, from: .host, on: connection)
    }
    capture.wait(1)
    hear(&capture, Parts.document(bravo, 3))
  }

  /// BRAVO's link ends, ALPHA raises an emergency, and CHARLIE acknowledges.
  private static func away(_ capture: inout CaptureBuilder) {
    capture.open()
    capture.write(Parts.document(alpha, 2))
    capture.notify(Parts.document(bravo, 2, naming: [alpha]))
    capture.wait(2)
    // Disconnection Complete with connection timeout.
    capture.packet([0x04, 0x05, 4, 0, 0x40, 0, 0x08], from: .peer, isControl: true)
    capture.wait(2)
    capture.open(0x41, peer: Parts.charlieAddress)
    let event = raise(capture, pending: [bravo, charlie])
    capture.write(Parts.document(alpha, 3, emergency: event), on: 0x41)
    let acked = (alpha, event.1, [(alpha, true), (bravo, false), (charlie, true)])
    capture.notify(Parts.document(charlie, 2, emergency: acked, naming: [alpha]), on: 0x41)
    capture.wait(10)
    capture.write(Parts.document(alpha, 4, emergency: acked), on: 0x41)
  }

  private static func announced(_ capture: inout CaptureBuilder) {
    capture.advertise(Parts.bravoAddress, Parts.announce("ALFA", bravo))
    capture.advertise(Parts.charlieAddress, Parts.announce("ALFA", charlie))
    capture.open()
    capture.notify(Parts.document(bravo, 2))
    let event = raise(capture, by: bravo, pending: [charlie])
    capture.notify(Parts.document(bravo, 3, emergency: event))
    capture.wait(2)
    capture.advertise(Parts.charlieAddress, Parts.announce("ALFA", charlie))
  }

  /// CHARLIE is connected all the time, and only BRAVO is told.
  private static func untold(_ capture: inout CaptureBuilder, isHeard: Bool) {
    capture.open()
    capture.open(0x41, peer: Parts.charlieAddress)
    capture.write(Parts.document(alpha, 2, naming: [bravo, charlie]))
    capture.notify(Parts.document(charlie, 2), on: 0x41)
    let event = raise(capture, pending: [bravo, charlie])
    capture.write(Parts.document(alpha, 3, emergency: event))
    capture.wait(1)
    let acked = (alpha, event.1, [(alpha, true), (bravo, true), (charlie, false)])
    capture.notify(Parts.document(bravo, 3, emergency: acked))
    if isHeard { capture.notify(Parts.document(charlie, 3), on: 0x41) }
  }

  private static func event(_ capture: inout CaptureBuilder) {
    capture.open()
    capture.open(0x41, peer: Parts.charlieAddress)
    capture.notify(Parts.document(bravo, 2))
    capture.notify(Parts.document(charlie, 2), on: 0x41)
    let raised = Parts.peripheral(alpha, "ALPHA", time: capture.now, event: 3)
    let value = Parts.document(alpha, 2, naming: [bravo, charlie], peripheral: raised)
    capture.write(value)
    capture.write(value, on: 0x41)
    capture.wait(1)
    let ack = Parts.peripheral(bravo, "BRAVO", time: capture.now, event: 6)
    capture.notify(Parts.document(bravo, 3, peripheral: ack))
  }

  private static func later(_ capture: inout CaptureBuilder, by source: UInt32) {
    capture.open()
    capture.notify(Parts.document(bravo, 2))
    let first = raise(capture)
    capture.write(Parts.document(alpha, 2, emergency: first))
    capture.wait(1)
    capture.notify(Parts.document(bravo, 3, emergency: first))
    capture.wait(3)
    let other = source == alpha ? bravo : alpha
    let second = raise(capture, by: source, pending: [other])
    if source == alpha { capture.write(Parts.document(alpha, 3, emergency: second)) }
    capture.notify(Parts.document(bravo, 4, emergency: second))
  }

  private static let markers: [(UInt32, String)] = [
    (0xAC, "Android takes it as a marker list"), (0xAD, "Android takes it as a chat frame"),
    (0xAE, "Rust tries to decrypt it and drops it"),
    (0xAF, "Android takes it as an app message and re-broadcasts it"),
    (0xB0, "Rust takes it as a key exchange"), (0xB1, "Rust takes it as a relay envelope"),
    (0xB2, "Rust takes it as a delta and drops it"),
  ]

  static var cases: [Case] {
    links + writes + receivers + clocks
      + markers.map { marker, text in
        Case(
          "marker \(marker)", bravo, "not_reached", "version_collision", text, frames: [11, 13]
        ) { capture in
          told(&capture) { $0.write(Parts.document(alpha, marker, emergency: $1)) }
        }
      }
  }

  private static let links: [Case] = [
    Case("away", bravo, "not_reached", "link_down", "connection timeout", frames: [12], away),
    Case("back", bravo, "not_reached", "nothing_sent", "does not carry it", frames: [26]) {
      away(&$0)
      $0.wait(2)
      $0.connect(0x42)
      $0.notify(Parts.document(bravo, 3), on: 0x42)
    },
    Case(
      "announced", charlie, "not_reached", "never_connected", "never connected", frames: [14],
      announced),
    Case("untold", charlie, "not_reached", "nothing_sent", "does not carry it", frames: [23]) {
      untold(&$0, isHeard: true)
    },
    Case("silent", charlie, "not_reached", "nothing_sent", "was connected", frames: [10]) {
      untold(&$0, isHeard: false)
    },
    Case("hearsay", Parts.delta, "unknown", "not_recorded", "cannot be seen", frames: []) {
      $0.open()
      $0.write(
        Parts.document(alpha, 2, emergency: raise($0, pending: [Parts.delta])))
    },
  ]

  private static let writes: [Case] = [
    Case("refused", bravo, "not_reached", "refused", "ATT error 13", frames: [11]) { capture in
      told(&capture) {
        $0.att([0x12, 0x12, 0] + Parts.document(alpha, 2, emergency: $1), from: .host)
        $0.att([0x01, 0x12, 0x12, 0, 13], from: .peer)
      }
    },
    Case("lost", bravo, "not_reached", "no_response", "never answered", frames: [11]) { capture in
      capture.open()
      capture.notify(Parts.document(bravo, 2))
      let value = Parts.document(alpha, 2, emergency: raise(capture))
      capture.att([0x12, 0x12, 0] + value, from: .host)
      capture.wait(1)
      capture.disconnect()
    },
    Case("cancelled", bravo, "not_reached", "cancelled", "cancelled the", frames: [15]) { capture in
      told(&capture) {
        let value = Parts.document(alpha, 2, emergency: $1)
        for (offset, part) in [(0, value.prefix(30)), (30, value.dropFirst(30))] {
          let pdu = [0x12, 0] + Parts.le(UInt64(offset), 2) + part
          $0.att([0x16] + pdu, from: .host)
          $0.att([0x17] + pdu, from: .peer)
        }
        $0.att([0x18, 0], from: .host)
        $0.att([0x19], from: .peer)
      }
    },
    Case("cut", bravo, "not_reached", "mtu_cut", "cut by the MTU", frames: [22]) {
      cut(&$0, isCutFirst: false)
    },
    Case("cut first", bravo, "not_reached", "mtu_cut", "cut by the MTU", frames: [21]) {
      cut(&$0, isCutFirst: true)
    },
    Case("stale", bravo, "not_reached", "stale_version", "old documents", frames: [12, 14]) {
      told(&$0) {
        $0.write(Parts.document(alpha, 9))
        $0.write(Parts.document(alpha, 5, emergency: $1))
      }
    },
    Case("not kept", bravo, "not_reached", "ignored", "in 2 documents", frames: [11, 13]) {
      told(&$0) { $0.write(Parts.document(alpha, 2, emergency: $1)) }
    },
    Case("silent then", bravo, "unknown", "nothing_after", "cannot be seen", frames: [11]) {
      $0.open()
      $0.notify(Parts.document(bravo, 2))
      $0.write(Parts.document(alpha, 2, emergency: raise($0)))
    },
  ]

  private static let receivers: [Case] = [
    Case("delta", bravo, "not_reached", "receiver_drops", "Rust does not", frames: [11, 13]) {
      told(&$0) { capture, event in
        // Operation 3 sets an emergency of a source, with the nodes that it knows.
        let set = [3] + Parts.le(UInt64(alpha), 4) + Parts.le(event.1, 8) + [1]
        capture.write(
          Parts.delta(from: alpha, at: event.1, [set + Parts.le(UInt64(bravo), 4)]))
      }
    },
    Case("M5Stack", bravo, "not_reached", "receiver_drops", "over 256 bytes", frames: [11, 13]) {
      told(&$0) {
        let others = (0..<22).map { 0x0C00_0001 + UInt32($0) }
        $0.write(Parts.document(alpha, 2, emergency: $1, naming: others))
      }
    },
    Case("Android", alpha, "not_reached", "receiver_drops", "over 512 bytes", frames: [11, 12]) {
      $0.open()
      $0.write(Parts.document(alpha, 2))
      let others = (0..<42).map { 0x0C00_0001 + UInt32($0) }
      let event = raise($0, by: bravo, pending: [alpha])
      $0.notify(Parts.document(bravo, 2, emergency: event, naming: others))
      $0.wait(1)
      $0.write(Parts.document(alpha, 3))
    },
    Case("source 0", alpha, "carried", "receiver_drops", "source is 0", frames: [10]) {
      $0.open()
      $0.write(Parts.document(alpha, 2, emergency: (0, $0.now, [(alpha, true)])))
    },
    Case("Kotlin", bravo, "unknown", "codec", "cannot be seen", frames: [11]) {
      $0.open()
      let first = Parts.androidPeripheral(bravo, "BRAVO", time: $0.now)
      $0.notify(Parts.document(bravo, 1, peripheral: first))
      $0.write(Parts.document(alpha, 2, emergency: raise($0)))
      $0.wait(1)
      let second = Parts.androidPeripheral(bravo, "BRAVO", time: $0.now)
      $0.notify(Parts.document(bravo, 1, peripheral: second))
    },
    Case("event", charlie, "unknown", "event_only", "cannot be seen", frames: [22], event),
    Case("not acked", bravo, "carried", "no_ack", "in 2 documents", frames: [12, 13]) {
      $0.open()
      $0.notify(Parts.document(bravo, 2))
      let event = raise($0)
      $0.write(Parts.document(alpha, 2, emergency: event))
      $0.notify(Parts.document(bravo, 3, emergency: event))
      $0.notify(Parts.document(bravo, 4, emergency: event))
    },
    Case("cleared", bravo, "carried", "cleared", "without acknowledging", frames: [13]) {
      $0.open()
      $0.notify(Parts.document(bravo, 2))
      let event = raise($0)
      $0.write(Parts.document(alpha, 2, emergency: event))
      $0.notify(Parts.document(bravo, 3, emergency: event))
      $0.notify(Parts.document(bravo, 4))
    },
  ]

  private static let clocks: [Case] = [
    Case("uptime", bravo, "not_reached", "clock", "is before 2020", frames: [11]) {
      told(&$0) { capture, _ in
        let event = (alpha, UInt64(60_000), [(alpha, true)])
        capture.write(Parts.document(alpha, 2, emergency: event, naming: [bravo]))
      }
    },
    Case(
      "future", bravo, "not_reached", "clock", "a clock is wrong", frames: [12, 13], emergency: 1
    ) {
      $0.open()
      $0.notify(Parts.document(bravo, 2))
      // One hour ahead.
      let wrong = (bravo, $0.now + 3_600_000, [(bravo, true)])
      $0.notify(Parts.document(bravo, 3, emergency: wrong))
      $0.wait(5)
      $0.write(Parts.document(alpha, 2, emergency: raise($0)))
      $0.wait(1)
      $0.notify(Parts.document(bravo, 4, emergency: wrong))
    },
    Case("tie", alpha, "not_reached", "tie", "of the same time", frames: [10, 12]) {
      $0.open()
      let time = $0.now
      let own = (alpha, time, [(alpha, true), (bravo, false)])
      $0.notify(Parts.document(bravo, 2, emergency: (bravo, time, [(bravo, true)])))
      $0.write(Parts.document(alpha, 2, emergency: own, naming: [bravo]))
      $0.write(Parts.document(alpha, 3, emergency: own, naming: [bravo]))
    },
    Case("raised again", bravo, "carried", "superseded", "of the same source", frames: [14]) {
      later(&$0, by: alpha)
    },
    Case("raised by two", bravo, "carried", "superseded", "0A000002 instead", frames: [13]) {
      later(&$0, by: bravo)
    },
  ]
}
