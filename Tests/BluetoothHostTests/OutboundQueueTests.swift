import BluetoothHost
import SystemIO
import Testing

/// A queue in front of a descriptor that the test plays by hand.
@Suite struct OutboundQueueTests {
  private static let wouldWait = Errno(code: 11, call: "write")

  @Test("packets go out whole, in order, and one with each write")
  func order() throws {
    var queue = OutboundQueue()
    try queue.append([1, 2, 3], now: 0)
    try queue.append([4, 5], now: 0)
    var writes: [[UInt8]] = []
    var room = 2
    try queue.drain(now: 1) { (bytes) throws(Errno) in
      guard room > 0 else { throw OutboundQueueTests.wouldWait }
      let part = bytes.prefix(room)
      writes.append([UInt8](part))
      room -= part.count
      return part.count
    }
    #expect(writes == [[1, 2]])
    #expect(!queue.isEmpty)
    try queue.drain(now: 2) { (bytes) throws(Errno) in
      writes.append([UInt8](bytes))
      return bytes.count
    }
    #expect(writes == [[1, 2], [3], [4, 5]])
    #expect(queue.isEmpty)
    #expect(queue.deadline == nil)
  }

  @Test("who takes nothing for ten seconds is given up, who takes a little is not")
  func stall() throws {
    var queue = OutboundQueue()
    try queue.append([1, 2, 3], now: 5_000)
    #expect(queue.deadline == 15_000)
    let takeNothing = { (_: ArraySlice<UInt8>) throws(Errno) -> Int in
      throw OutboundQueueTests.wouldWait
    }
    try queue.drain(now: 14_999, write: takeNothing)
    var isTaken = false
    try queue.drain(now: 14_999) { (_) throws(Errno) in
      guard !isTaken else { throw OutboundQueueTests.wouldWait }
      isTaken = true
      return 1
    }
    try queue.drain(now: 24_998, write: takeNothing)
    #expect(throws: OutboundQueue.Fault.stalled(seconds: 10)) {
      try queue.drain(now: 24_999, write: takeNothing)
    }
  }

  @Test("what waits is bounded")
  func bound() throws {
    var queue = OutboundQueue()
    let packet = [UInt8](repeating: 0, count: 1_024)
    for _ in 0..<256 { try queue.append(packet, now: 0) }
    #expect(throws: OutboundQueue.Fault.full) { try queue.append(packet, now: 0) }
  }

  @Test("what the system refuses is passed on")
  func failure() throws {
    var queue = OutboundQueue()
    try queue.append([1], now: 0)
    let broken = Errno(code: 32, call: "write")
    #expect(throws: OutboundQueue.Fault.system(broken)) {
      try queue.drain(now: 0) { (_) throws(Errno) in throw broken }
    }
  }
}
