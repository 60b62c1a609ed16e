import FirmwareUpgrades
import SMPProtocol
import Testing
import WireBytes

/// Messages of one connection put together and paired.
struct UpgradeTests {
  /// A message with an empty map: header of docs/upgrades.md, 2, version 2.
  private func value(
    op: UInt8, sequence: UInt8, isFromClient: Bool, frame: Int, body: [UInt8] = [0xA0]
  ) -> SMPValue {
    let bytes = [8 | op, 0, 0, UInt8(body.count), 0, 1, sequence, 0] + body
    return SMPValue(
      bytes: bytes, length: bytes.count, isFromClient: isFromClient, frames: [frame],
      place: SMPPlace(file: "a", frame: frame, time: nil, link: 1))
  }

  @Test func `answers in another order belong to the requests of their numbers`() {
    var link = SMPLink()
    // 254, 255, 0, 1: the number wraps.
    for (index, sequence) in [254, 255, 0, 1].enumerated() {
      let packet = link.take(
        value(op: 0, sequence: UInt8(sequence), isFromClient: true, frame: index + 1))
      #expect(packet?.transaction == index + 1)
    }
    #expect(link.waiting.count == 4)
    for (sequence, transaction) in [(0, 3), (254, 1), (1, 4), (255, 2)] {
      let packet = link.take(
        value(op: 1, sequence: UInt8(sequence), isFromClient: false, frame: 9))
      #expect(packet?.transaction == transaction)
    }
    #expect(link.waiting.isEmpty)
    // An answer that nobody asked for has no transaction.
    let stray = link.take(value(op: 1, sequence: 7, isFromClient: false, frame: 10))
    #expect(stray != nil && stray?.transaction == nil)
  }

  @Test func `a request whose number is used anew is given up`() {
    var link = SMPLink()
    _ = link.take(value(op: 0, sequence: 5, isFromClient: true, frame: 1))
    let next = link.take(value(op: 0, sequence: 5, isFromClient: true, frame: 2))
    #expect(next?.replaced?.place.frame == 1 && link.waiting.count == 1)
  }

  @Test func `requests that nobody answers do not grow without bound`() {
    var link = SMPLink()
    for sequence in 0..<1000 {
      _ = link.take(
        value(op: 0, sequence: UInt8(sequence % 256), isFromClient: true, frame: sequence + 1))
    }
    #expect(link.waiting.count == 64)
  }
}
