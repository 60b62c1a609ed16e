import BluetoothProtocols
import WireBytes

extension Host {
  /// Answers a signalling command (Core Specification Vol 3 Part A, 4). This host opens no
  /// channels of its own and takes none.
  mutating func receiveSignal(_ handle: UInt16, _ bytes: [UInt8]) {
    var reader = ByteReader(bytes.rawBytes, layer: .l2cap)
    guard let code = try? reader.u8(), let identifier = try? reader.u8(),
      let length = try? reader.le16(), Int(length) == reader.remaining, identifier != 0
    else { return }
    switch code {
    case 0x01, 0x07, 0x13, 0x15, 0x16, 0x18, 0x1A: return
    case 0x06:
      guard let destination = try? reader.le16(), let source = try? reader.le16() else { return }
      // Invalid channel identifier: both are told back.
      signal(handle, 0x01, identifier, le(2) + le(destination) + le(source))
    case 0x12: answerUpdate(handle, identifier, &reader)
    // 0002: the protocol is not supported.
    case 0x14: signal(handle, 0x15, identifier, [0, 0, 0, 0, 0, 0, 0, 0] + le(2))
    case 0x17: signal(handle, 0x18, identifier, [0, 0, 0, 0, 0, 0] + le(2))
    default: signal(handle, 0x01, identifier, le(0))
    }
  }

  private mutating func answerUpdate(
    _ handle: UInt16, _ identifier: UInt8, _ reader: inout ByteReader
  ) {
    guard links[handle]?.isCentral == true else {
      signal(handle, 0x01, identifier, le(0))
      return
    }
    guard let wanted = try? ConnectionParameters(&reader), wanted.isValid else {
      signal(handle, 0x13, identifier, le(1))
      return
    }
    // One at a time: a peer that asks without end must not fill the queue.
    guard !commands.contains({ $0 == .leConnectionUpdate }) else {
      signal(handle, 0x13, identifier, le(1))
      return
    }
    signal(handle, 0x13, identifier, le(0))
    var writer = ByteWriter()
    writer.le16(handle)
    wanted.encode(into: &writer)
    writer.le32(0)
    send(.leConnectionUpdate, writer.bytes)
  }

  private mutating func signal(
    _ handle: UInt16, _ code: UInt8, _ identifier: UInt8, _ data: [UInt8]
  ) {
    sendFrame(
      handle, channel: L2CAPChannel.signalling,
      L2CAPEncoder.signal(code: code, identifier: identifier, data))
  }
}
