import BluetoothProtocols
import Testing

@testable import BluetoothHost

/// A client whose server the test plays by hand.
@Suite struct ATTClientTests {
  private static func client(mtu: UInt16 = 23) -> ATTClient {
    ATTClient(
      search: CharacteristicSearch(
        rank: { [BluetoothUUID(0xF47A): 0, BluetoothUUID(0xA1B2): 1][$0] },
        use: { uuid, service in
          switch (service.short, uuid.short) {
          case (0xF47A, 0xF47B), (0xA1B2, 3): [.source, .sink]
          case (0xA1B2, 2): [.source, .polled]
          default: []
          }
        }), ownMTU: mtu)
  }

  /// A client that has found the value at handle 12, by way of the answers of a plain server.
  private static func ready(properties: UInt8 = 0x1E) -> ATTClient {
    ATTClientTests.played([
      (
        [0x10, 1, 0, 0xFF, 0xFF, 0, 0x28], [0x11, 6, 1, 0, 9, 0, 0, 0x18, 10, 0, 13, 0, 0x7A, 0xF4]
      ),
      ([0x10, 14, 0, 0xFF, 0xFF, 0, 0x28], [0x01, 0x10, 14, 0, 0x0A]),
      ([0x08, 10, 0, 13, 0, 3, 0x28], [0x09, 7, 11, 0, properties, 12, 0, 0x7B, 0xF4]),
      ([0x08, 12, 0, 13, 0, 3, 0x28], [0x01, 0x08, 12, 0, 0x0A]),
      ([0x04, 13, 0, 13, 0], [0x05, 1, 13, 0, 0x02, 0x29]),
      ([0x12, 13, 0, 1, 0], [0x13]),
    ])
  }

  /// A client that got these answers to these requests.
  private static func played(_ answers: [([UInt8], [UInt8])]) -> ATTClient {
    var client = ATTClientTests.client()
    client.start(now: 0)
    for (request, answer) in answers {
      #expect(client.takeOutput() == [request])
      client.take(answer, mtu: 23, now: 1)
    }
    return client
  }

  @Test("a characteristic is found and subscribed to, one request at a time")
  func discovery() {
    var client = ATTClientTests.ready()
    let events = client.takeEvents()
    #expect(events.count == 1)
    #expect(client.found.map(\.handle) == [12])
    #expect(client.found.first?.configuration == 13)
    #expect(!client.mustPoll)
    #expect(client.isIdle)
  }

  @Test("a long value is written by parts, and read by parts")
  func longValues() {
    var client = ATTClientTests.ready()
    _ = client.takeEvents()
    let value = (0..<40).map { UInt8($0) }
    let isDone1 = client.write(value, mtu: 23, now: 2)
    #expect(isDone1)
    for offset in [0, 18, 36] {
      let part = Array(value[offset..<min(40, offset + 18)])
      #expect(client.takeOutput() == [[0x16, 12, 0, UInt8(offset), 0] + part])
      let isDone2 = client.write([1], mtu: 23, now: 2)
      #expect(!isDone2)
      client.take([0x17, 12, 0, UInt8(offset), 0] + part, mtu: 23, now: 3)
    }
    #expect(client.takeOutput() == [[0x18, 1]])
    client.take([0x19], mtu: 23, now: 4)
    #expect(client.takeEvents() == [.written(nil)])

    let isDone3 = client.read(now: 5)
    #expect(isDone3)
    #expect(client.takeOutput() == [[0x0A, 12, 0]])
    client.take([0x0B] + value[..<22], mtu: 23, now: 6)
    #expect(client.takeOutput() == [[0x0C, 12, 0, 22, 0]])
    client.take([0x0D] + value[22...], mtu: 23, now: 7)
    #expect(client.takeEvents() == [.value(value, .read, handle: 12)])
  }

  /// The services of a server that has the second kind first: what is written goes to one handle, what
  /// is read and told comes from another (protocol.md 1.1, Linux).
  private static func library(hasOther: Bool) -> [([UInt8], [UInt8])] {
    let first: [([UInt8], [UInt8])] = [
      (
        [0x10, 1, 0, 0xFF, 0xFF, 0, 0x28],
        [0x11, 6, 1, 0, 9, 0, 0xB2, 0xA1] + (hasOther ? [10, 0, 12, 0, 0x7A, 0xF4] : [])
      ),
      (
        [0x10, hasOther ? 13 : 10, 0, 0xFF, 0xFF, 0, 0x28],
        [0x01, 0x10, hasOther ? 13 : 10, 0, 0x0A]
      ),
    ]
    if hasOther {
      return first + [
        ([0x08, 10, 0, 12, 0, 3, 0x28], [0x09, 7, 11, 0, 0x0A, 12, 0, 0x7B, 0xF4])
      ]
    }
    return first + [
      (
        [0x08, 1, 0, 9, 0, 3, 0x28],
        [0x09, 7, 2, 0, 0x02, 3, 0, 1, 0, 4, 0, 0x12, 5, 0, 2, 0]
      ),
      ([0x08, 5, 0, 9, 0, 3, 0x28], [0x09, 7, 7, 0, 0x28, 8, 0, 3, 0]),
      ([0x08, 8, 0, 9, 0, 3, 0x28], [0x01, 0x08, 8, 0, 0x0A]),
      ([0x04, 6, 0, 6, 0], [0x05, 1, 6, 0, 0x02, 0x29]),
      ([0x12, 6, 0, 1, 0], [0x13]),
      ([0x04, 9, 0, 9, 0], [0x05, 1, 9, 0, 0x02, 0x29]),
      // Its indications are refused: that is no reason to do without the rest.
      ([0x12, 9, 0, 2, 0], [0x01, 0x12, 9, 0, 0x06]),
    ]
  }

  @Test("one characteristic is read and listened to, another one written")
  func sourceAndSink() {
    var client = ATTClientTests.played(ATTClientTests.library(hasOther: false))
    #expect(client.found.map(\.handle) == [5, 8])
    #expect(client.found.map(\.isSubscribed) == [true, false])
    #expect(client.mustPoll)
    _ = client.takeEvents()
    let isWritten = client.write([1, 2], mtu: 23, now: 2)
    #expect(isWritten)
    #expect(client.takeOutput() == [[0x12, 8, 0, 1, 2]])
    client.take([0x13], mtu: 23, now: 3)
    let isRead = client.read(now: 4)
    #expect(isRead)
    #expect(client.takeOutput() == [[0x0A, 5, 0]])
    // Told while the read is under way.
    client.take([0x1B, 5, 0, 9], mtu: 23, now: 5)
    client.take([0x0B, 7], mtu: 23, now: 6)
    #expect(
      client.takeEvents() == [
        .written(nil), .value([9], .notification, handle: 5), .value([7], .read, handle: 5),
      ])
  }

  @Test("of two services the better one is used, wherever it stands")
  func rank() {
    var client = ATTClientTests.played(ATTClientTests.library(hasOther: true))
    client.take([0x01, 0x08, 12, 0, 0x0A], mtu: 23, now: 2)
    #expect(client.found.map(\.handle) == [12])
    // It can be read and written, and tells nothing.
    #expect(client.mustPoll)
  }

  @Test("a long read that ends in an error gives no value, but where the value was at its end")
  func refusedParts() {
    for (code, isWhole) in [(0x07, true), (0x0B, true), (0x0E, false), (0x0F, false)]
      as [(
        UInt8, Bool
      )]
    {
      var client = ATTClientTests.ready()
      _ = client.takeEvents()
      _ = client.read(now: 2)
      let part = [UInt8](repeating: 3, count: 22)
      client.take([0x0B] + part, mtu: 23, now: 3)
      client.take([0x01, 0x0C, 12, 0, code], mtu: 23, now: 4)
      let values = client.takeEvents().filter { if case .value = $0 { true } else { false } }
      #expect(values == (isWhole ? [.value(part, .read, handle: 12)] : []), "error \(code)")
      #expect(client.isIdle)
    }
  }

  @Test("a part that comes back changed cancels the write")
  func changedEcho() {
    var client = ATTClientTests.ready()
    let isDone4 = client.write([UInt8](repeating: 1, count: 40), mtu: 23, now: 2)
    #expect(isDone4)
    _ = client.takeOutput()
    client.take([0x17, 12, 0, 0, 0, 9], mtu: 23, now: 3)
    #expect(client.takeOutput() == [[0x18, 0]])
  }

  @Test("without a response where the characteristic has no other write")
  func commands() {
    var client = ATTClientTests.ready(properties: 0x16)
    let isDone5 = client.write([1, 2], mtu: 23, now: 2)
    #expect(isDone5)
    #expect(client.takeOutput() == [[0x52, 12, 0, 1, 2]])
    #expect(client.isIdle)
    let isDone6 = client.write([UInt8](repeating: 0, count: 21), mtu: 23, now: 2)
    #expect(!isDone6)
  }

  @Test("an indication is confirmed, also of a value that nobody asked for")
  func indications() {
    var client = ATTClientTests.ready()
    _ = client.takeEvents()
    client.take([0x1D, 99, 0, 1], mtu: 23, now: 2)
    #expect(client.takeOutput() == [[0x1E]])
    #expect(client.takeEvents() == [])
    client.take([0x1B, 12, 0, 7], mtu: 23, now: 2)
    #expect(client.takeEvents() == [.value([7], .notification, handle: 12)])
  }

  @Test("a server that does not answer, or without end, or nonsense, is given up")
  func hostileServers() {
    var silent = ATTClientTests.client()
    silent.start(now: 0)
    silent.tick(now: 29_999)
    #expect(silent.takeEvents() == [])
    silent.tick(now: 30_000)
    #expect(silent.takeEvents().count == 1)

    // One service a time, of one handle each, up to the last handle.
    var endless = ATTClientTests.client()
    endless.start(now: 0)
    var requests = 0
    while let request = endless.takeOutput().first, requests < 100_000 {
      requests += 1
      let handle = Array(request[1...2])
      endless.take([0x11, 6] + handle + handle + [0x7A, 0xF4], mtu: 23, now: 1)
    }
    #expect(requests <= ATTClient.maximumAnswers + 1)
    #expect(endless.services.count <= ATTClient.maximumServices)

    // Answers that lead nowhere.
    for answer in [[0x11, 0], [0x11, 6], [0x11, 6, 0, 0, 0, 0, 0, 0], [0x11, 255, 1]] as [[UInt8]] {
      var stuck = ATTClientTests.client()
      stuck.start(now: 0)
      _ = stuck.takeOutput()
      stuck.take(answer, mtu: 23, now: 1)
      #expect(stuck.takeEvents() == [.notFound], "\(answer)")
    }

    // An answer to nothing is passed over.
    var idle = ATTClientTests.ready()
    _ = idle.takeEvents()
    for answer in [[0x13], [0x0B, 1], [0x01, 0x12, 0, 0, 1], [0x19]] as [[UInt8]] {
      idle.take(answer, mtu: 23, now: 2)
    }
    #expect(idle.takeEvents() == [])
  }
}
