import PeatProtocol
import PeatReplay
import PeatReports
import PeatTestSupport
import Testing
import WireBytes

@Suite struct MessageJSONTests {
  private func json(_ hex: String, as kind: MessageKind? = nil) -> String {
    var decoder = MessageDecoder()
    let message = decoder.decode(hexBytes(hex.filter { !$0.isWhitespace }) ?? [], as: kind)
    var text = OutputText()
    text.append(messageFields: message)
    return String(decoding: text.bytes, as: UTF8.self)
  }

  @Test("a document without anything prints counter and dropped all the same")
  func smallestDocument() {
    #expect(
      json("020000000f0e7f2000000000")
        == #""kind":"document","node":"207F0E0F","document":{"version":2,"node":"207F0E0F","#
        + #""codec":"rust","counter":{},"total":0,"dropped":[]}"#)
  }

  @Test("a counter that claims too much is malformed at its count")
  func malformedCounter() {
    #expect(
      json("2b0000008d470c16ffffffff")
        == #""kind":"malformed","reason":"counter claims 4294967295 entries, at most 256","offset":8"#
    )
    #expect(
      json("0300000078563412020000007856341201000000")
        == #""kind":"malformed","reason":"counter claims 2 entries (24 bytes), 8 bytes left","offset":8"#
    )
  }

  @Test("a cut value tells how many bytes are missing")
  func incomplete() {
    var text = OutputText()
    text.append(messageFields: .incomplete(captured: 3, of: 24))
    #expect(
      String(decoding: text.bytes, as: UTF8.self)
        == #""kind":"incomplete","reason":"21 of 24 bytes were not recorded","offset":3"#)
  }

  @Test("protocol.md example 3: emergency, location and acks")
  func emergency() {
    let text = json(
      """
      07000000 78563412 02000000 78563412 0500000000000000 D4C3B2A1 0200000000000000
      AB003900 78563412 00000000 01 414C5048412D310000000000 55010248 01 0300FC6A0A8D010000
      00FC6A0A8D010000 01 00001642 0080F4C2 01 0000C842
      AC001A00 78563412 00FC6A0A8D010000 02000000 7856341201 D4C3B2A100
      """)
    #expect(
      text
        == #""kind":"document","node":"12345678","document":{"version":7,"node":"12345678","#
        + #""codec":"rust","counter":{"12345678":5,"A1B2C3D4":2},"total":7,"#
        + #""peripheral":{"id":"12345678","type":"soldier_sensor","callsign":"ALPHA-1","#
        + #""health":{"battery":85,"activity":"walking","alerts":["low_battery"],"heart_rate":72},"#
        + #""event":{"type":"emergency","time":1705276800000},"time":1705276800000,"#
        + #""location":{"latitude":37.5,"longitude":-122.25,"altitude":100.0}},"#
        + #""emergency":{"source":"12345678","time":1705276800000,"acked":["12345678"],"#
        + #""pending":["A1B2C3D4"]},"dropped":[]}"#)
  }

  @Test("protocol.md example 4: a chat message")
  func chat() {
    let text = json(
      """
      02000000 78563412 01000000 78563412 0100000000000000 AD002400 0100 78563412
      00FC6A0A8D010000 05414C504841 024869 01 00000000 0000000000000000
      """)
    #expect(
      text.contains(
        #""chat":[{"origin":"12345678","time":1705276800000,"sender":"ALPHA","text":"Hi","#
          + #""broadcast":true,"ack_wanted":false}],"dropped":[]}"#))
  }

  @Test("a dropped peripheral says why and what it would have said")
  func droppedPeripheral() {
    let text = json(
      """
      2a000000 8d470c16 00000000 AB002300 8d470c4c 8d470c16 01 414243000000000000000000
      50040048 00 00FC6A0A8D010000 00
      """)
    #expect(
      text.contains(
        #""dropped":[{"section":"peripheral","offset":38,"rule":"drop","#
          + #""reason":"activity 4 is above 3","raw":4,"content":{"id":"4C0C478D","#
          + #""parent":"160C478D","type":"soldier_sensor","callsign":"ABC","#
          + #""health":{"battery":80,"activity":"unknown_4","alerts":[],"heart_rate":72},"#
          + #""time":1705276800000}}]}"#))
  }

  @Test("a location that is not a number appears in content as text")
  func notANumber() {
    let text = json(
      """
      2a000000 8d470c16 00000000 AB002C00 8d470c4c 8d470c16 01 414243000000000000000000
      50000048 00 00FC6A0A8D010000 01 0000c07f 00000000 00
      """)
    #expect(
      text.contains(
        #"{"section":"location","offset":51,"rule":"drop","#
          + #""reason":"latitude nan is outside -90 to 90","#
          + #""content":{"latitude":"nan","longitude":0.0}}"#))
    #expect(!text.contains(#""location":{"#))
  }

  @Test("protocol.md example 12: a document of Android's codec")
  func kotlin() {
    let text = json(
      """
      01000000 78563412 01000000 78563412 0100000000000000 AB002C00 78563412 00000000 01
      414E44524F49440000000000 64000000 01 0300FC6A0A8D010000 00 00FC6A0A8D010000
      """)
    #expect(text.contains(#""codec":"kotlin""#))
    #expect(text.contains(#""time":436550860800000}"#))
    #expect(
      text.contains(
        #""kotlin":{"id":"12345678","type":"soldier_sensor","callsign":"ANDROID","#
          + #""health":{"battery":100,"activity":"still","alerts":[]},"#
          + #""event":{"type":"emergency","time":1705276800000},"time":1705276800000}"#))
  }

  @Test("protocol.md example 13: a plain document that looks like a delta")
  func collision() {
    #expect(
      json("B2000000 78563412 01000000 78563412 0100000000000000").hasPrefix(
        #""kind":"document","node":"12345678","collides":"b2","document":{"version":178,"#))
  }

  @Test("protocol.md example 6: a delta")
  func delta() {
    let text = json(
      """
      B200 78563412 00FC6A0A8D010000 0400
      0100 78563412 0500000000000000 0500000000000000
      02 0100000000000000 2300 7856341200000000 01 414C5048412D310000000000 55000000 00
      0000000000000000 00
      04 D4C3B2A1 00FC6A0A8D010000
      1000 78563412 00FC6A0A8D010100 2300 107856341200000000 00FC6A0A8D010000 01000000 0100
      78563412 00FC6A0A8D010000
      """)
    let expected = [
      #""kind":"delta","node":"12345678","delta":{"origin":"12345678","time":1705276800000,"#,
      #""response":false,"dialect":"rust","operations":["#,
      #"{"op":"counter","counter_id":0,"node":"12345678","amount":5,"time":5},"#,
      #"{"op":"peripheral","time":1,"peripheral":{"id":"12345678","type":"soldier_sensor","#,
      #""callsign":"ALPHA-1","health":{"battery":85,"activity":"still","alerts":[]},"time":0}},"#,
      #"{"op":"ack","node":"A1B2C3D4","emergency_time":1705276800000},"#,
      #"{"op":"app","type":"c0","op_code":0,"source":"12345678","time":283180253510656,"#,
      #""payload":"107856341200000000"#,
    ].joined()
    #expect(text.hasPrefix(expected))
    #expect(text.hasSuffix(#"]}"#))
  }

  @Test("protocol.md example 7: a relay envelope shows what it holds")
  func relay() {
    #expect(
      json(
        """
        B102 000102030405060708090A0B0C0D0E0F 0007 78563412 0C000000
        010000007856341200000000
        """)
        == #""kind":"relay","node":"12345678","relay":{"ack_wanted":false,"broadcast":true,"#
        + #""message_id":"000102030405060708090a0b0c0d0e0f","hops":0,"max_hops":7,"#
        + #""origin":"12345678","payload_bytes":12},"inner":{"kind":"document","#
        + #""node":"12345678","document":{"version":1,"node":"12345678","codec":"rust","#
        + #""counter":{},"total":0,"dropped":[]}}"#)
  }

  @Test("protocol.md example 8: key exchange and a message between two nodes")
  func peers() {
    #expect(
      json("B00078563412007B4E909BBE7FFE44C465A220037D608EE35897D31EF972F07F74892CB0F73F13")
        == #""kind":"key_exchange","node":"12345678","key_exchange":{"sender":"12345678","#
        + #""ephemeral":false,"public_key":"#
        + #""7b4e909bbe7ffe44c465a220037d608ee35897d31ef972f07f74892cb0f73f13"}"#)
    #expect(
      json(
        """
        AF00 D4C3B2A1 78563412 0000000000000000 202122232425262728292A2B
        E690 B88A3666704E772E56ADDAD2303F84D2
        """)
        == #""kind":"peer_encrypted","node":"12345678","peer_encrypted":{"recipient":"A1B2C3D4","#
        + #""sender":"12345678","counter":0,"nonce":"202122232425262728292a2b","#
        + #""ciphertext_bytes":2},"unopened":"no-key""#)
  }

  @Test("protocol.md example 10: canned messages without and with acknowledgements")
  func canned() {
    let plain = "AF10 78563412 00000000 00FC6A0A8D010000 01000000"
    #expect(
      json(plain)
        == #""kind":"canned","node":"12345678","canned":{"message":"check_in","#
        + #""source":"12345678","time":1705276800000,"sequence":1,"acks":[]}"#)
    #expect(
      json(plain + "0100 78563412 00FC6A0A8D010000").contains(
        #""acks":[{"node":"12345678","time":1705276800000}]}"#))
    #expect(
      json(plain + String(repeating: "00", count: 64)).hasSuffix(#""signature":"unchecked"}"#))
  }

  @Test("an encrypted frame without a key shows its head; a short one says so")
  func encrypted() {
    #expect(
      json(
        "AE00 101112131415161718191A1B F46D9E6500799414C5278BC8 CB408B6E4D476D2A8182AB925AF26E4F")
        == #""kind":"encrypted","encrypted":{"flags":0,"nonce":"101112131415161718191a1b","#
        + #""ciphertext_bytes":12},"unopened":"no-key""#)
    #expect(
      json("AE0069df6e0c1aa5b3303dc6fa31304d687ea0e6441e").hasSuffix(
        #""ciphertext_bytes":0},"unopened":"too-short""#))
  }

  @Test("protocol.md example 9: beacons in both clear forms")
  func beacons() {
    #expect(
      json("1081 12345678 01 98FF88 4B 0102 000000", as: .beacon)
        == #""kind":"beacon","node":"12345678","beacon":{"form":"full","version":1,"#
        + #""capabilities":["lite_node","can_relay"],"hierarchy":"squad","geohash":"98ff88","#
        + #""battery":75,"sequence":258}"#)
    #expect(
      json("1081 12345678 01 4B 0102", as: .beacon).hasSuffix(
        #""hierarchy":"squad","battery":75,"sequence":258}"#))
  }

  @Test("a four-byte value is a node id")
  func nodeID() {
    #expect(
      json("78563412") == #""kind":"node_id","node":"12345678","node_id":{"node":"12345678"}"#)
  }

  @Test("text from the air cannot leave its JSON string")
  func hostileText() {
    let callsign = "3c227d0a5ce280a8e280ae00"
    let text = json(
      "2a000000 8d470c16 00000000 AB002300 8d470c4c 00000000 01" + callsign
        + "50000048 00 00FC6A0A8D010000 00")
    #expect(text.contains(#""callsign":"\u003c\"}\u000a\\\u2028\u202e""#))
  }
}

@Suite struct EffectJSONTests {
  @Test("an effect prints its updates in the spelling of their descriptions")
  func effect() {
    let node = NodeID(rawValue: 0x207F_0E0F)
    let updates: [Update] = [
      .node(node), .counter(node, 5), .event(node, .ping, time: 7), .emergency(node, time: 8),
      .ack(node, source: NodeID(rawValue: 1), time: 8),
    ]
    var text = OutputText()
    text.append(json: Effect(isChanged: true, firstSeen: updates, meshTotal: 5))
    let names = updates.map { "\"\($0.description)\"" }.joined(separator: ",")
    #expect(
      String(decoding: text.bytes, as: UTF8.self)
        == "{\"changed\":true,\"first_seen\":[\(names)],\"mesh_total\":5}")
    #expect(updates[4].description == "ack:207F0E0F=00000001@8")
  }

  @Test("receivers print as an object in their order")
  func receivers() {
    var text = OutputText()
    text.append(json: [
      ReceiverNote(.rust, "drops peripheral"), ReceiverNote(.m5stack, "drops (over 256 bytes)"),
    ])
    #expect(
      String(decoding: text.bytes, as: UTF8.self)
        == #"{"rust":"drops peripheral","m5stack":"drops (over 256 bytes)"}"#)
  }
}
