/// A stream that is no H4 stream: where, and the byte found in place of a packet type.
public struct H4Fault: Error, Sendable, Equatable, BitwiseCopyable {
  /// Bytes of the stream before the fault.
  public var offset: Int
  /// The byte found.
  public var found: UInt8

  /// Makes a fault from its parts.
  public init(offset: Int, found: UInt8) {
    self.offset = offset
    self.found = found
  }
}

/// Cuts a byte stream in H4 framing into packets (Core Specification Vol 4 Part A, 2).
///
/// Holds at most one packet that is not whole. H4 has no marks to find a boundary again: after a
/// wrong type byte the stream cannot be followed, and every later call fails too.
public struct H4Framer: Sendable {
  private var buffer: [UInt8] = []
  private var consumed = 0
  private var fault: H4Fault?

  /// Makes a framer at the start of a stream.
  public init() {}

  /// Bytes that wait for the rest of their packet.
  public var pendingCount: Int { buffer.count }

  /// Takes bytes of any number and gives the packets that they complete.
  ///
  /// - Throws: `H4Fault` where a packet type is unknown; the packets before it are given by the
  ///   call before, or lost with the stream.
  public mutating func feed(_ bytes: some Sequence<UInt8>) throws(H4Fault) -> [HCIPacket] {
    if let fault { throw fault }
    buffer.append(contentsOf: bytes)
    var packets: [HCIPacket] = []
    var start = 0
    while start < buffer.count {
      guard let type = HCIPacketType(rawValue: buffer[start]) else {
        let found = H4Fault(offset: consumed + start, found: buffer[start])
        fault = found
        guard packets.isEmpty else { break }
        throw found
      }
      let body = start + 1
      guard buffer.count - body >= type.headerSize,
        let size = type.payloadSize(buffer[body..<(body + type.headerSize)])
      else { break }
      let end = body + type.headerSize + size
      guard end <= buffer.count else { break }
      packets.append(HCIPacket(type, Array(buffer[body..<end])))
      start = end
    }
    buffer.removeFirst(start)
    consumed += start
    return packets
  }
}
