import WireBytes

/// Collects the fragments of L2CAP packets of one connection in one direction.
///
/// Core Specification Vol 3 Part A, 7.2. Nothing is read from the L2CAP header until all four bytes
/// of it are there: a first fragment may hold one byte of it, or none. Bytes that the capture left
/// out are counted and not made up.
public struct Reassembler: Sendable {
  /// Frames kept of one packet; more fragments than that come from no controller.
  private static let frameLimit = 4096
  /// Room that is kept for the next packet; the usual ones need no more.
  private static let keptRoom = 1024

  /// The bytes collected, with the L2CAP header, up to the first that the capture left out.
  public private(set) var bytes: [UInt8] = []
  /// The frames that carried them.
  public private(set) var frames: [Int] = []
  /// Bytes received so far, the left out ones included.
  private var received = 0
  private var hasGap = false
  /// Whether a packet was started.
  public private(set) var isPending = false

  /// Makes an idle reassembler.
  public init() {}

  /// What the pending packet takes of memory, in bytes.
  public var pendingBytes: Int { bytes.count + frames.count * 8 }

  /// Bytes still to come, where the L2CAP length is known.
  public var missing: Int? { announced.map { $0 - received } }

  /// Bytes of the whole packet, with the L2CAP header, once its length was read.
  public var announced: Int? {
    guard bytes.count >= 4 else { return nil }
    return 4 + (Int(bytes[0]) | Int(bytes[1]) << 8)
  }

  /// Forgets what was pending.
  public mutating func reset() {
    isPending = false
    hasGap = false
    received = 0
    bytes.removeAll(keepingCapacity: bytes.capacity <= Reassembler.keptRoom)
    frames.removeAll(keepingCapacity: frames.capacity <= Reassembler.keptRoom / 8)
  }

  /// Starts a packet with its first fragment, of which `length` bytes were sent.
  public mutating func start(_ fragment: RawSpan, length: Int, frame: Int) {
    reset()
    isPending = true
    add(fragment, length: length, frame: frame)
  }

  /// Starts a packet of `whole` bytes of which nothing is wanted and `count` were passed over: when
  /// its rest has come, it is one on a channel that nobody has.
  public mutating func start(passedOver count: Int, of whole: Int, frame: Int) {
    reset()
    guard count >= 4, count <= whole, whole - 4 <= Int(UInt16.max) else { return }
    isPending = true
    received = count
    frames.append(frame)
    let announced = UInt16(truncatingIfNeeded: whole - 4)
    bytes = [UInt8(truncatingIfNeeded: announced), UInt8(announced >> 8)]
    bytes.append(contentsOf: repeatElement(0, count: count - 2))
  }

  /// Adds a fragment, of which `length` bytes were sent.
  public mutating func add(_ fragment: RawSpan, length: Int, frame: Int) {
    received += length
    if frames.count < Reassembler.frameLimit { frames.append(frame) }
    if !hasGap {
      bytes.append(contentsOf: [UInt8](fragment))
      hasGap = fragment.byteCount < length
    }
  }

  /// What the packet is now.
  public var state: State {
    if hasGap && bytes.count < 4 { return .unusable }
    guard let announced else { return .partial }
    if received < announced { return .partial }
    if received > announced {
      return .overrun(announced: announced, received: received)
    }
    return .complete
  }

  /// How far a pending packet is.
  public enum State: Sendable, Equatable {
    case partial, complete, unusable
    case overrun(announced: Int, received: Int)
  }
}
