import WireBytes

extension CaptureReader {
  /// What is said of every stream without container.
  static var h4Note: String {
    "an H4 stream without a container: no time is known, packets count in the order of the stream"
  }

  /// Reads one packet of a bare H4 stream: type byte, header, data (Core Specification Vol 4 Part A
  /// 2).
  mutating func stepH4(_ out: inout PendingRecord) throws(CaptureError) -> Step {
    guard try window.has(1) else { return .end }
    guard let header = H4Shape.header(window.u8(0)) else {
      return .damaged(window.u8(0) == 0 ? .zeros : .implausible)
    }
    guard try window.has(header) else {
      return .damaged(.cutHeader(have: window.available, need: header))
    }
    let length = header + H4Shape.size(window, 0)
    guard try window.has(length) else {
      return .damaged(.cutRecord(have: window.available, need: length))
    }
    // The type byte alone would follow any stream of small numbers.
    if !H4Shape.isPlausible(window, 0) {
      let isFollowed = try window.has(length + 4) && H4Shape.isPlausible(window, length)
      if !isFollowed, window.available != length { return .damaged(.implausible) }
    }
    frames &+= 1
    take(
      &out, .h4(window.u8(0), .unknown, front: 1), ahead: 0, captured: length, original: length,
      time: nil, adapter: 0, drops: 0, length: length)
    return .record
  }

  /// The length of a packet that is beyond doubt.
  mutating func plausibleH4(_ ahead: Int) -> Int? {
    guard window.available >= ahead + 5, let header = H4Shape.header(window.u8(ahead)),
      window.available >= ahead + header, H4Shape.isPlausible(window, ahead)
    else { return nil }
    return header + H4Shape.size(window, ahead)
  }
}

/// The shape of packets in an H4 stream.
enum H4Shape {
  /// Bytes of type and header of a packet of this type; nil for no known type.
  static func header(_ type: UInt8) -> Int? {
    switch type {
    case 1, 3: 4
    case 2, 5: 5
    case 4: 3
    default: nil
    }
  }

  /// Bytes of data that a header announces, which must be in the window.
  static func size(_ window: borrowing ByteWindow, _ ahead: Int) -> Int {
    switch window.u8(ahead) {
    case 1, 3: Int(window.u8(ahead + 3))
    case 2: Int(window.u16(ahead + 3, .little))
    case 5: Int(window.u16(ahead + 3, .little) & 0x3FFF)
    default: Int(window.u8(ahead + 2))
    }
  }

  /// Whether a header can be one, by opcode, event code or handle; as much of the packet as is in
  /// the window is looked at.
  static func isPlausible(_ window: borrowing ByteWindow, _ ahead: Int) -> Bool {
    let left = window.available - ahead
    guard left >= 1, let header = header(window.u8(ahead)), left >= header else { return false }
    let size = size(window, ahead)
    switch window.u8(ahead) {
    case 1: return HCIShape.isOpcode(window.u8(ahead + 1), window.u8(ahead + 2))
    case 2:
      let handle = window.u16(ahead + 1, .little)
      guard handle & 0x0FFF <= 0x0EFF, handle >> 12 & 3 != 3, size <= 4096 else { return false }
      // A start has an L2CAP header, whose packet is no shorter than this part of it.
      guard handle >> 12 & 1 == 0, size >= 4, left >= header + 4 else { return true }
      return Int(window.u16(ahead + 5, .little)) + 4 >= size && window.u16(ahead + 7, .little) != 0
    case 3: return window.u16(ahead + 1, .little) & 0x0FFF <= 0x0EFF
    case 4:
      let code = window.u8(ahead + 1)
      guard size >= 1, left >= header + size else { return size >= 1 && isEvent(code) }
      return isEvent(code) && isLength(window, ahead, code, size)
    default: return window.u16(ahead + 1, .little) & 0x0FFF <= 0x0EFF && size > 0
    }
  }

  private static func isEvent(_ code: UInt8) -> Bool {
    (0x01...0x3F).contains(code) || (0x48...0x5A).contains(code) || code == 0xFF
  }

  /// Whether the length of the events that every session has is their own.
  private static func isLength(
    _ window: borrowing ByteWindow, _ ahead: Int, _ code: UInt8, _ size: Int
  ) -> Bool {
    switch code {
    case 0x01, 0x10, 0x1A: size == 1
    case 0x03: size == 11
    case 0x04: size == 10
    case 0x06, 0x1B: size == 3
    case 0x05, 0x08, 0x0F: size == 4
    case 0x0E: size >= 3
    case 0x13: size == 1 + 4 * Int(window.u8(ahead + 3))
    case 0x3E: size >= 2
    default: true
    }
  }
}

extension FormatSniffer {
  /// Packets that must follow each other before bytes without any magic are taken for H4.
  private static let h4Chain = 8

  /// A bare H4 stream (formats.md 1): at least three packets in a row, or two and nothing else,
  /// with a command or an event among them. The last resort, as H4 has no mark to go by.
  static func h4Stream(_ window: inout ByteWindow) throws(CaptureError) -> Found? {
    var ahead = 0
    var packets = 0
    var hasControl = false
    while packets < h4Chain {
      guard try window.has(ahead + 1) else { break }
      guard let header = H4Shape.header(window.u8(ahead)) else { return nil }
      guard try window.has(ahead + header) else { break }
      let length = header + H4Shape.size(window, ahead)
      _ = try window.has(ahead + length)
      guard H4Shape.isPlausible(window, ahead) else { return nil }
      if window.available < ahead + length { break }
      hasControl = hasControl || window.u8(ahead) == 1 || window.u8(ahead) == 4
      ahead += length
      packets += 1
    }
    let isWhole = window.available == ahead
    guard hasControl, packets >= (isWhole ? 2 : 3) else { return nil }
    var found = Found(format: .h4, order: .little, link: .hciH4)
    found.notes = [CaptureReader.h4Note]
    return found
  }
}
