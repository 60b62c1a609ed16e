public import WireBytes

/// Builds a pcapng file in memory, little-endian (formats.md 7).
public struct PcapngWriter: Sendable {
  /// The file so far.
  public private(set) var output: ByteWriter
  private var nanosecondInterfaces: [Bool] = []

  /// Begins a file with a section header; `application` names the program that writes, and
  /// `comment` says what the file is.
  public init(application: String = "", comment: String = "") {
    output = ByteWriter(capacity: 4096)
    block(0x0A0D_0D0A) { body in
      body.le32(0x1A2B_3C4D)
      body.le16(1)
      body.le16(0)
      body.le64(.max)
      if !comment.isEmpty { body.option(1, PcapngWriter.text(comment)) }
      if !application.isEmpty { body.option(4, Array(application.utf8)) }
      if !comment.isEmpty || !application.isEmpty { body.option(0, []) }
    }
  }

  /// Describes the next interface, counted from 0; its times count nanoseconds if asked.
  public mutating func interface(
    linkType: UInt16, isNanosecond: Bool = true, name: String = "", description: String = "",
    comment: String = "", snapLength: UInt32 = 262_144
  ) {
    block(1) { body in
      body.le16(linkType)
      body.le16(0)
      body.le32(snapLength)
      if !comment.isEmpty { body.option(1, PcapngWriter.text(comment)) }
      if !name.isEmpty { body.option(2, PcapngWriter.text(name)) }
      if !description.isEmpty { body.option(3, PcapngWriter.text(description)) }
      body.option(9, [isNanosecond ? 9 : 6])
      body.option(0, [])
    }
    nanosecondInterfaces.append(isNanosecond)
  }

  /// Appends an enhanced packet block; the direction is written where it is known, and how many
  /// packets were lost before this one where any were.
  public mutating func append(
    _ packet: [UInt8], interface: Int = 0, time: Timestamp, direction: RecordDirection = .unknown,
    originalLength: Int? = nil, comment: String = "", dropped: UInt64 = 0
  ) {
    let isNanosecond =
      nanosecondInterfaces.indices.contains(interface) && nanosecondInterfaces[interface]
    let raw = UInt64(max(0, isNanosecond ? time.nanoseconds : floored(time.nanoseconds, 1000)))
    block(6) { body in
      body.le32(UInt32(clamping: interface))
      body.le32(UInt32(truncatingIfNeeded: raw >> 32))
      body.le32(UInt32(truncatingIfNeeded: raw))
      body.le32(UInt32(clamping: packet.count))
      body.le32(UInt32(clamping: originalLength ?? packet.count))
      body.append(packet)
      body.pad()
      if !comment.isEmpty { body.option(1, PcapngWriter.text(comment)) }
      switch direction {
      case .received: body.option(2, [1, 0, 0, 0])
      case .sent: body.option(2, [2, 0, 0, 0])
      case .unknown: break
      }
      if dropped > 0 {
        body.option(4, (0..<8).map { UInt8(truncatingIfNeeded: dropped >> ($0 * 8)) })
      }
      if !comment.isEmpty || direction != .unknown || dropped > 0 { body.option(0, []) }
    }
  }

  /// Appends a block of any type; `fill` writes its body, which is padded to 4 bytes.
  public mutating func block(_ type: UInt32, _ fill: (inout ByteWriter) -> Void) {
    var body = ByteWriter()
    fill(&body)
    body.pad()
    let length = UInt32(clamping: body.count + 12)
    output.le32(type)
    output.le32(length)
    output.append(body.bytes)
    output.le32(length)
  }

  /// A text as an option holds it: at most 65 000 bytes, cut at the border of a character.
  private static func text(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8.prefix(65_000))
    guard bytes.count < text.utf8.count else { return bytes }
    return Array(bytes.prefix((bytes.lastIndex { $0 & 0xC0 != 0x80 } ?? 0)))
  }

  /// Takes what was written and leaves the writer empty, for writing in parts.
  public mutating func drain() -> [UInt8] { output.drain() }
}

extension ByteWriter {
  /// Appends a pcapng option: code, length, value padded to 4 bytes.
  fileprivate mutating func option(_ code: UInt16, _ value: [UInt8]) {
    le16(code)
    le16(UInt16(clamping: value.count))
    append(value)
    pad()
  }

  fileprivate mutating func pad() {
    while count & 3 != 0 { u8(0) }
  }
}
