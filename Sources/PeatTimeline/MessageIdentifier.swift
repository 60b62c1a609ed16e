import BluetoothProtocols
package import PeatDissection
import WireBytes

/// Names a capture's messages so that one message has the same name in every capture that holds it
/// (cli.md, "The name of a message").
///
/// The name is the FNV-1a of 128 bits of: the bytes that the capture holds; the opcode's name; the
/// handle, two bytes; the sender's address and the receiver's, six bytes each, most significant
/// first, zeros where unknown; how many equal messages the capture had before, eight bytes; numbers
/// with the least significant byte first. An address is the identity where the capture knows it.
package struct MessageIdentifier: Sendable {
  /// Different messages whose repetitions are counted; of more, repetitions share a name.
  static let limit = 1 << 20

  private var repetitions: [UInt128: UInt64] = [:]

  /// Makes one for the beginning of a capture.
  package init() {}

  /// The name of the capture's next message.
  package mutating func identity(of value: CapturedValue) -> UInt128 {
    var hash = FNV1a128()
    hash.add(value.payload)
    hash.add(value.opcode.rawValue.utf8)
    hash.add(little: value.handle)
    let link = value.link
    let ends = [link.local, link.identity ?? link.peer]
    for end in value.direction.isFromLocal ? ends : ends.reversed() {
      let address = end?.value ?? 0
      for shift in stride(from: UInt64(40), through: 0, by: -8) {
        hash.add(UInt8(truncatingIfNeeded: address >> shift))
      }
    }
    let content = hash.value
    let before = repetitions[content] ?? 0
    if before > 0 || repetitions.count < MessageIdentifier.limit {
      repetitions[content] = before &+ 1
    }
    hash.add(little: before)
    return hash.value
  }
}
