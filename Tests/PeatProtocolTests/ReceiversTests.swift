import PeatProtocol
import PeatTestSupport
import Testing

@Suite struct ReceiversTests {
  private func notes(_ hex: String, _ delivery: Delivery = .unknown) -> [String: String] {
    let bytes = hexBytes(hex.filter { !$0.isWhitespace }) ?? []
    var decoder = MessageDecoder()
    let message = decoder.decode(bytes)
    let notes = Receivers.notes(message, bytes: bytes, delivery: delivery)
    return Dictionary(uniqueKeysWithValues: notes.map { ($0.receiver.rawValue, $0.text) })
  }

  @Test("a document without anything odd needs no note")
  func plain() {
    #expect(notes("01000000 78563412 01000000 78563412 0100000000000000") == [:])
    // Battery only: both codecs read the same.
    #expect(
      notes(
        """
        02000000 78563412 00000000 AB002300 78563412 00000000 01 535749465400000000000000
        50000000 00 0000000000000000 00
        """) == [:])
  }

  @Test("an M5Stack that stands upright loses its peripheral at every Rust receiver")
  func droppedPeripheral() {
    #expect(
      notes(
        """
        02000000 78563412 00000000 AB002300 78563412 00000000 01 535749465400000000000000
        50040000 00 0000000000000000 00
        """) == ["rust": "drops peripheral"])
  }

  @Test("health in the reference's order is misread by Android")
  func misreading() {
    let found = notes(
      """
      02000000 78563412 00000000 AB002300 78563412 00000000 01 535749465400000000000000
      50010048 00 0000000000000000 00
      """)
    #expect(found["rust"] == nil)
    #expect(found["android"] == "misreads heart rate, activity and alerts")
  }

  @Test("Android's own document is misread by Rust")
  func kotlin() {
    let found = notes(
      """
      01000000 78563412 01000000 78563412 0100000000000000 AB002C00 78563412 00000000 01
      414E44524F49440000000000 64000000 01 0300FC6A0A8D010000 00 00FC6A0A8D010000
      """)
    #expect(found["rust"] == "misreads time")
    #expect(found["android"] == nil)
  }

  @Test("the collisions of protocol.md 2.9")
  func collisions() {
    let rest = "000000 78563412 01000000 78563412 0100000000000000"
    #expect(notes("ac" + rest) == ["android": "takes it as a marker list"])
    #expect(notes("af" + rest)["android"] == "takes it as an app message and re-broadcasts it")
    #expect(
      notes("b2" + rest)["rust"] == "takes it as a delta and drops it; on_ble_data reads it")
    #expect(notes("b2" + rest, .write)["ios"] == "reads it, as for every write")
    #expect(notes("b0" + rest)["rust"]?.contains("key exchange") == true)
  }

  @Test("over 256 bytes the firmware drops, over 512 Android skips notifications")
  func sizes() {
    let entries = (1...22).map { String(format(UInt32($0))) + "0100000000000000" }.joined()
    let found = notes("01000000 78563412 16000000" + entries)
    #expect(found == ["m5stack": "drops (over 256 bytes)"])
    let more = (1...44).map { String(format(UInt32($0))) + "0100000000000000" }.joined()
    #expect(
      notes("01000000 78563412 2c000000" + more, .notification)["android"]
        == "skips it (over 512 bytes)")
  }

  @Test("long writes arrive in parts at iOS and Android")
  func longWrites() {
    let found = notes("01000000 78563412 00000000", .longWrite)
    #expect(found.keys.sorted() == ["android", "ios"])
  }

  @Test("a delta is not merged by Rust and not read by M5Stack")
  func delta() {
    let found = notes(
      "b200 78563412 00fc6a0a8d010000 0100 0100785634120500000000000000 0500000000000000")
    #expect(
      found["rust"] == "does not merge its counters and emergency; on_ble_data drops it")
    #expect(found["android"] == "adds the counter totals to its own")
    #expect(found["m5stack"] == "drops it")
  }

  @Test("the sentence names only what is lost, and why")
  func sentence() {
    let notes = [
      ReceiverNote(.rust, "drops peripheral"),
      ReceiverNote(.android, "misreads time", isLoss: false),
      ReceiverNote(.m5stack, "drops (over 256 bytes)"),
    ]
    let dropped = [Dropped(.peripheral, .drop, at: 38, "activity 4 is above 3")]
    let document = Document(node: NodeID(rawValue: 1))
    let message = Message(
      .document, body: .document(DecodedDocument(document: document, dropped: dropped)))
    #expect(
      Receivers.sentence(notes, about: message)
        == "Rust drops peripheral (activity 4 is above 3); M5Stack drops (over 256 bytes).")
    #expect(Receivers.sentence([notes[1]], about: message) == nil)
  }

  private func format(_ node: UInt32) -> String {
    [0, 8, 16, 24].map {
      let byte = UInt8(truncatingIfNeeded: node >> UInt32($0))
      return (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }
}
