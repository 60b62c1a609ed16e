import BluetoothHost
import BluetoothProtocols
import SystemIO
import Testing

/// The transport with a real socket at the other end.
@Suite struct H4TransportTests {
  @Test("a controller that stops reading is given up after ten seconds, without waiting for it")
  func unread() throws {
    let listener = try Listener(address: "127.0.0.1", port: 0)
    var transport = try H4Transport(.tcp(host: "127.0.0.1", port: listener.port))
    let accepted = listener.accept()
    let connection = try #require(accepted)
    let packet = HCIPacket.acl(
      handle: 1, boundary: .firstNonFlushable, [UInt8](repeating: 0, count: 16_000)[...])
    // What the kernel holds for the two sockets is full at some time.
    for _ in 0..<10_000 where !transport.isWaiting { try transport.send(packet, now: 1_000) }
    let deadline = transport.deadline
    #expect(deadline == 11_000)
    try transport.flush(now: 10_999)
    let expected =
      "127.0.0.1:\(listener.port): the controller has read nothing for 10 s"
    do throws(TransportError) {
      try transport.flush(now: 11_000)
      Issue.record("the transport still waits")
    } catch {
      #expect("\(error)" == expected)
    }
    _ = connection.descriptor
  }

  @Test("what waits for a controller that does not read is bounded")
  func overflow() throws {
    let listener = try Listener(address: "127.0.0.1", port: 0)
    var transport = try H4Transport(.tcp(host: "127.0.0.1", port: listener.port))
    let packet = HCIPacket.acl(
      handle: 1, boundary: .firstNonFlushable, [UInt8](repeating: 0, count: 16_000)[...])
    do throws(TransportError) {
      for _ in 0..<10_000 { try transport.send(packet, now: 0) }
      Issue.record("the queue took 160 MB")
    } catch {
      #expect("\(error)".contains("more than 262144 bytes wait"))
    }
  }

  @Test("what waited goes out as soon as the controller reads on, in order")
  func resume() throws {
    let listener = try Listener(address: "127.0.0.1", port: 0)
    var transport = try H4Transport(.tcp(host: "127.0.0.1", port: listener.port))
    let accepted = listener.accept()
    let connection = try #require(accepted)
    var sent: [UInt8] = []
    for index in 0..<10_000 where !transport.isWaiting {
      let data = [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: 16_000)
      let packet = HCIPacket.acl(handle: 1, boundary: .firstNonFlushable, data[...])
      sent += packet.framed
      try transport.send(packet, now: 0)
    }
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while received.count < sent.count {
      if case .moved(let count) = connection.receive(into: &buffer) {
        received += buffer[0..<count]
      } else {
        let ready = try Readiness.wait(
          for: [connection.descriptor, transport.descriptor],
          writing: transport.isWaiting ? transport.descriptor : nil, milliseconds: 5_000)
        try #require(ready.contains(true))
      }
      try transport.flush(now: 1)
    }
    #expect(received == sent)
    let isWaiting = transport.isWaiting
    #expect(!isWaiting)
    let packets = try transport.receive()
    #expect(packets == [], "nothing came, and nothing waits for it")
  }

  @Test("a port without a listener is refused, one that never answers is timed out")
  func noConnection() throws {
    let port = try Listener(address: "127.0.0.1", port: 0).port
    let refused = #expect(throws: Errno.self) {
      _ = try FileDescriptor.connect(host: "127.0.0.1", port: port, milliseconds: 1_000)
    }
    #expect(refused?.isRefused == true)
    // Connections that nobody accepts stay in the listener's backlog, also when they were closed;
    // where it is full, the kernel drops what comes.
    let listener = try Listener(address: "127.0.0.1", port: 0)
    var timedOut: Errno?
    for _ in 0..<2048 where timedOut == nil {
      do throws(Errno) {
        _ = try FileDescriptor.connect(
          host: "127.0.0.1", port: listener.port, milliseconds: 200)
      } catch {
        timedOut = error
      }
    }
    #expect(timedOut?.isTimeout == true)
  }
}
