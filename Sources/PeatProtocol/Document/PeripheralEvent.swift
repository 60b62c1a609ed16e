public import WireBytes

/// What happened at a node (protocol.md 3); an open set, the reference reads others as `none`.
public struct EventType: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
  /// The number on the wire.
  public var rawValue: UInt8
  /// Makes a type from its number.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// 0: nothing.
  public static let none = EventType(rawValue: 0)
  /// 1: a sign of life.
  public static let ping = EventType(rawValue: 1)
  /// 2: help is wanted.
  public static let needAssist = EventType(rawValue: 2)
  /// 3: someone is in distress.
  public static let emergency = EventType(rawValue: 3)
  /// 4: on the way.
  public static let moving = EventType(rawValue: 4)
  /// 5: arrived.
  public static let inPosition = EventType(rawValue: 5)
  /// 6: an emergency is acknowledged.
  public static let ack = EventType(rawValue: 6)

  /// Whether the reference knows the number.
  public var isKnown: Bool { rawValue <= 6 }

  /// The name in records; other numbers are `unknown_N`.
  public var name: String {
    switch rawValue {
    case 0: "none"
    case 1: "ping"
    case 2: "need_assist"
    case 3: "emergency"
    case 4: "moving"
    case 5: "in_position"
    case 6: "ack"
    default: "unknown_\(rawValue)"
    }
  }
}

/// The latest event of a peripheral: 9 bytes (protocol.md 2.5).
public struct PeripheralEvent: Hashable, Sendable, BitwiseCopyable {
  /// What happened.
  public var type: EventType
  /// Milliseconds since 1970 as the sender wrote them.
  public var time: UInt64

  /// Bytes on the wire.
  public static let encodedSize = 9

  /// Makes an event from its parts.
  public init(type: EventType, time: UInt64) {
    self.type = type
    self.time = time
  }

  /// Appends the 9 bytes.
  public func encode(into writer: inout ByteWriter) {
    writer.u8(type.rawValue)
    writer.le64(time)
  }

  /// Reads the 9 bytes at `offset`; nil and a note of why where the reference refuses them.
  static func read(
    _ bytes: borrowing DocumentBytes, _ offset: Int, log: inout [Dropped]
  ) -> PeripheralEvent? {
    let type = EventType(rawValue: bytes.u8(offset))
    let time = bytes.le64(offset &+ 1)
    if time != 0 && time < Document.earliestTime {
      let reason = "event time \(time) is before 2020"
      log.append(
        Dropped(
          .event, .drop, at: offset + 1, reason, raw: time, content: content(type, time)))
      return nil
    }
    if !type.isKnown {
      log.append(
        Dropped(
          .event, .clamp, at: offset, "event type \(type.rawValue) is unknown, read as none",
          raw: UInt64(type.rawValue)))
      return PeripheralEvent(type: .none, time: time)
    }
    return PeripheralEvent(type: type, time: time)
  }

  static func content(_ type: EventType, _ time: UInt64) -> [ContentField] {
    [ContentField("type", .text(type.name)), ContentField("time", .integer(time))]
  }
}
