public import BluetoothProtocols
public import WireBytes

/// Something that happened to a connection, or to the recording of it, besides its values.
public struct LinkEvent: Sendable, Equatable {
  /// What happened.
  public enum Kind: Sendable, Equatable {
    case connected(ConnectionPace?)
    case disconnected(Disconnection)
    case encrypted(Bool)
    /// The ATT MTU of the fixed channel was agreed.
    case mtu(Int)
    case parameters(ConnectionPace)
    case phy(LinkPHY)
    /// A server's handles of this range mean something else from here on.
    case serviceChanged(start: UInt16, end: UInt16)
    /// The recorder lost so many packets.
    case lost(Int)
    /// Nothing was recorded of the connection for so many nanoseconds.
    case silent(Int64)
    /// The recorder's clock moved by so many nanoseconds.
    case clockStep(Int64)
  }

  /// What happened.
  public var kind: Kind
  /// The packet that shows it, counted in its file from 1.
  public var frame: Int
  /// When that packet was recorded.
  public var time: Timestamp?
  /// The connection; nil for what befell the recording.
  public var link: Link?

  /// The name of the records (cli.md, event rows).
  public var name: String {
    switch kind {
    case .connected: "connected"
    case .disconnected: "disconnected"
    case .encrypted: "encrypted"
    case .mtu: "mtu"
    case .parameters: "parameters"
    case .phy: "phy"
    case .serviceChanged: "service_changed"
    case .lost, .silent: "gap"
    case .clockStep: "clock_step"
    }
  }
}

/// The radio's speed in both ways: 1 for LE 1M, 2 for LE 2M, 3 for LE Coded.
public struct LinkPHY: Sendable, Equatable {
  /// From the local side.
  public var sent: UInt8
  /// From the peer.
  public var received: UInt8

  /// The name of a PHY: `1M`, `2M`, `coded`.
  public static func name(_ phy: UInt8) -> String {
    switch phy {
    case 1: "1M"
    case 2: "2M"
    case 3: "coded"
    default: "\(phy)"
    }
  }
}

/// How a connection ended.
public enum Disconnection: Sendable, Equatable {
  /// With a reason of the controller error codes (Core Specification Vol 1 Part F).
  case reason(UInt8, by: Ender?)
  /// The host reset its controller.
  case reset
  /// Its handle was given to another connection; how it ended is not recorded.
  case replaced

  /// Who ended it.
  public enum Ender: String, Sendable {
    case local, peer
  }

  /// Who ended it, where it is known and was not the radio.
  public var endedBy: Ender? {
    switch self {
    case .reason(_, let ender): ender
    case .reset: .local
    case .replaced: nil
    }
  }

  /// The name of the reason in records.
  public var name: String {
    switch self {
    case .reset: "controller_reset"
    case .replaced: "not_recorded"
    case .reason(let code, _): Disconnection.names[code] ?? "error_0x\(Disconnection.hex(code))"
    }
  }

  /// The name of the reason in sentences.
  public var words: String { name.split(separator: "_").joined(separator: " ") }

  private static func hex(_ code: UInt8) -> String {
    let digits = String(code, radix: 16)
    return digits.utf8.count == 1 ? "0" + digits : digits
  }

  private static let names: [UInt8: String] = [
    0x05: "authentication_failure", 0x06: "key_missing", 0x08: "connection_timeout",
    0x13: "remote_user_ended_it", 0x14: "remote_low_on_resources", 0x15: "remote_power_off",
    0x16: "local_host_ended_it", 0x1A: "remote_feature_missing", 0x1F: "unspecified_error",
    0x22: "response_timeout", 0x28: "instant_passed", 0x29: "pairing_with_unit_key",
    0x3B: "parameters_not_accepted", 0x3D: "integrity_check_failed",
    0x3E: "failed_to_be_established", 0x3F: "connection_timeout",
  ]
}

/// Events on their way out of a dissector; everything in it is bounded.
struct LinkStory: Sendable {
  /// Events that wait to be taken; of more, the later ones are only counted.
  private static let limit = 65_536
  /// Nanoseconds without a packet that are told as a gap.
  static let silence: Int64 = 30_000_000_000

  private var waiting: [LinkEvent] = []
  /// Events that found no room.
  private(set) var lost = 0
  /// Events given out, over the whole reading.
  private var given = 0
  /// Events of a second reading that the first one gave out.
  private var toSkip = 0

  mutating func add(_ event: LinkEvent) {
    if toSkip > 0 {
      toSkip -= 1
    } else if waiting.count < LinkStory.limit {
      waiting.append(event)
    } else {
      lost += 1
    }
  }

  mutating func take() -> [LinkEvent] {
    given += waiting.count
    defer { waiting = [] }
    return waiting
  }

  /// The story of a second reading, which tells anew only what was not given out.
  var again: LinkStory {
    var story = LinkStory()
    story.toSkip = given
    story.given = given
    return story
  }
}
