import BluetoothProtocols
import Testing

@testable import BluetoothHost

@Suite struct H4FramerTests {
  private static let packets: [HCIPacket] = [
    .command(.reset), .event(0x0E, [1, 3, 12, 0]),
    .acl(handle: 5, boundary: .firstFlushable, [1, 2, 3]), HCIPacket(.synchronous, [1, 0, 1, 9]),
    HCIPacket(.isochronous, [1, 0, 2, 0xC0, 8, 9]), .event(0x10, []),
  ]

  @Test("every way to cut a stream gives the same packets")
  func cuts() throws {
    let stream = H4FramerTests.packets.flatMap(\.framed)
    for size in 1...stream.count {
      var framer = H4Framer()
      var packets: [HCIPacket] = []
      var start = 0
      while start < stream.count {
        let end = min(stream.count, start + size)
        packets += try framer.feed(stream[start..<end])
        start = end
      }
      #expect(packets == H4FramerTests.packets, "pieces of \(size)")
      #expect(framer.pendingCount == 0)
    }
  }

  @Test("a byte that begins no packet ends the stream, after the packets before it")
  func faults() throws {
    var framer = H4Framer()
    let reset = HCIPacket.command(.reset)
    #expect(try framer.feed(reset.framed + [0x09, 1, 2]) == [reset])
    #expect(throws: H4Fault(offset: 4, found: 9)) { try framer.feed([0x01]) }
  }

  @Test("adapters are named in one of three ways")
  func names() {
    let table: [(String, TransportName?)] = [
      ("hci0", .controller(0)), ("hci12", .controller(12)), ("hci", nil), ("hci+1", nil),
      ("hci70000", nil), ("tcp:127.0.0.1:9500", .tcp(host: "127.0.0.1", port: 9500)),
      ("tcp:[::1]:9", .tcp(host: "::1", port: 9)), ("tcp:host", nil), ("tcp::9", nil),
      ("tcp:host:0", nil), ("tcp:host:65536", nil),
      ("serial:/dev/ttyACM0", .serial(path: "/dev/ttyACM0", baud: 1_000_000)),
      ("serial:/dev/ttyACM0,115200", .serial(path: "/dev/ttyACM0", baud: 115_200)),
      ("serial:", nil), ("serial:/dev/x,0", nil), ("serial:/dev/x,fast", nil), ("eth0", nil),
    ]
    for (text, expected) in table { #expect(TransportName(text) == expected, "\(text)") }
  }
}
