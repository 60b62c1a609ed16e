import CaptureFormats
import PeatDissection
import PeatProtocol
import PeatReplay
import PeatSecurity
import PeatTestSupport
import PeatTimeline
import Testing
import WireBytes

/// The state at the end of each capture against the truth file's `merged_view`.
@Suite struct MergedViewTests {
  /// Captures whose messages are not all found without more than discovery.
  private static let passedOver: [(part: String, reason: String)] = [
    (
      "i-malformed", "documents that the truth calls malformed count where the reference takes them"
    ),
    (".air", "link layer captures have tests of their own"),
  ]

  @Test func `the state at the end is the truth's merged view`() throws {
    for capture in try TruthCapture.all() {
      if Self.passedOver.contains(where: { capture.file.contains($0.part) }) { continue }
      let view = capture.whole["merged_view"]
      guard !view.isNull else { continue }
      let state = try end(of: capture).mesh
      let name = capture.file
      let counter = Dictionary(
        uniqueKeysWithValues: state.counter.entries.map {
          ($0.node.description, Int(clamping: $0.count))
        })
      #expect(counter == (view["counter"].object ?? [:]).compactMapValues(\.int), "\(name)")
      #expect(Int(clamping: state.total) == view["total"].int, "\(name)")
      check(state.emergency, view["emergency"], name)
      let latest = view["latest"].object ?? [:]
      #expect(Set(state.nodes.keys.map(\.description)) == Set(latest.keys), "\(name)")
      for (node, known) in state.nodes {
        let told = view["latest"][node.description]
        // The truth's latest document is that of the highest version.
        #expect(Int(known.newest.version) == told["version"].int, "\(name), \(node)")
        guard let peripheral = known.newest.peripheral else { continue }
        let expected = told["peripheral"]
        #expect(peripheral.id.description == expected["id"].string, "\(name), \(node)")
        #expect(peripheral.callsign.text == expected["callsign"].string, "\(name), \(node)")
        #expect(Int(peripheral.health.battery) == expected["battery"].int, "\(name), \(node)")
      }
    }
  }

  private func check(_ event: EmergencyEvent?, _ expected: JSON, _ name: String) {
    #expect(event?.source.description == expected["source"].string, "\(name)")
    #expect(event.map { Int(clamping: $0.time) } == expected["timestamp_ms"].int, "\(name)")
    let acks = Dictionary(
      uniqueKeysWithValues: (event?.acks ?? []).map { ($0.node.description, $0.isAcked) })
    #expect(acks == (expected["acks"].object ?? [:]).compactMapValues(\.bool), "\(name)")
  }

  private func end(of capture: TruthCapture) throws -> MomentState {
    var options = DissectionOptions()
    // Some captures hold no discovery, or lost a part of it; what a user says with --handle.
    if capture.session.hasPrefix("f-") || capture.file.contains(".dropped") {
      options.hints = Set(
        (capture.truth["connections"].array ?? []).compactMap { $0["document_handle"].int }
      ).compactMap { UInt16(exactly: $0) }.map { HandleHint(address: nil, handle: $0) }
    }
    var keyring = Keyring()
    let secrets = capture.truth["secrets"]
    if let mesh = secrets["mesh"].string, let bytes = secrets["secret_hex"].bytes,
      let key = SecretKey(bytes)
    {
      keyring.addMesh(id: mesh, secret: key)
    }
    var reader = try CaptureReader(path: capture.path)
    // The truth counts what lies before an absurd length; reading on finds more.
    reader.stopsAtDamage = capture.file.contains(".length")
    let stream = CaptureStream(file: capture.file, reader: reader, options: options)
    var timeline = Timeline(streams: [stream], opener: keyring)
    var index = MomentIndex()
    while let row = timeline.next() { index.add(row) }
    return index.end
  }
}
