import PeatProtocol
import PeatTestSupport
import Testing
import WireBytes

/// Android's own frames; the bytes are written out from the tables of protocol.md 7.3 and 7.7.
@Suite struct AndroidFrameTests {
  private let node = NodeID(rawValue: 0x1234_5678)

  @Test("a marker list is read up to its first bad marker")
  func markers() throws {
    // One marker "A" of type "t" at 1.0, 2.0, 3.0 by "B" at time 5; a second with a uid of 37.
    let good = hexBytes("014101740000803f0000004000004040014205" + "00000000000000") ?? []
    let header = hexBytes("ac785634120200") ?? []
    let list = try MarkerList(bytes: header + good + [37] + [UInt8](repeating: 0x41, count: 37))
    #expect(list.node == node)
    #expect(list.announcedCount == 2)
    #expect(
      list.markers == [
        MarkerList.Marker(
          uid: "A", type: "t", latitude: 1, longitude: 2, height: 3, callsign: "B", time: 5)
      ])
    #expect(list.stop?.offset == header.count + good.count)
    let single = MarkerList(node: node, markers: list.markers)
    #expect(single.encoded == (hexBytes("ac785634120100") ?? []) + good)
    #expect(throws: FormatFault.self) { try MarkerList(bytes: Array(header.prefix(6))) }
  }

  @Test("a chat frame has its reply fields as far as they are there")
  func chat() throws {
    let frame = hexBytes("ad03" + "78563412" + "0500000000000000" + "0141" + "024869") ?? []
    let plain = try ChatFrame(bytes: frame)
    #expect(
      plain
        == ChatFrame(
          origin: node, timestamp: 5, sender: "A", text: "Hi", requiresAcknowledgement: true))
    #expect(plain.encoded == frame)
    let reply = try ChatFrame(bytes: frame + [1, 0, 0, 0] + [2, 0, 0, 0, 0, 0, 0, 0])
    #expect(reply.replyNode == NodeID(rawValue: 1))
    #expect(reply.replyTimestamp == 2)
    #expect(try ChatFrame(bytes: frame + [1, 0, 0, 0]).replyTimestamp == nil)
    #expect(throws: FormatFault.self) { try ChatFrame(bytes: Array(frame.dropLast())) }
  }

  @Test("Android's delta fields are read, and unknown bytes stepped over one at a time")
  func delta() throws {
    let header = hexBytes("b20078563412" + "0500000000000000" + "0600") ?? []
    let fields =
      "100000803f0000004000004040" + "1155480102" + "120241" + "42" + "1303" + "0700000000000000"
    let value = try KotlinDelta(bytes: header + [0x77] + (hexBytes(fields) ?? []))
    #expect(
      value.operations == [
        .skipped(0x77), .location(latitude: 1, longitude: 2, altitude: 3),
        .health(Health(battery: 85, activity: .walking, alerts: .lowBattery, heartRate: 72)),
        .callsign("AB"), .event(type: .emergency, timestamp: 7),
      ])
    // Six operations were announced, five bytes of them followed.
    #expect(value.stop?.offset == header.count + 1 + fields.utf8.count / 2)
  }
}
