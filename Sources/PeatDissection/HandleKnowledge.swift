public import BluetoothProtocols
import PeatProtocol

/// What is known of servers beyond the connection at hand: earlier connections, the user's hints,
/// and, in a second reading, what the first one learnt.
struct HandleKnowledge: Sendable {
  /// Devices and connections remembered; a capture with more forgets none and learns no further.
  static let limit = 4096

  /// Tables by device, for connections without discovery (formats.md 11).
  private(set) var byIdentity: [ServerIdentity: AttributeTable] = [:]
  /// Tables of closed connections whose values came before their discovery.
  private(set) var late: [ServerKey: AttributeTable] = [:]
  /// Handles settled by what their values were (cli.md, `content`).
  var byContent: [ServerKey: Set<UInt16>] = [:]
  /// The user's hints; without an address they hold for every server.
  var hints: [HandleHint] = []
  let characteristics: DocumentCharacteristics

  init(characteristics: DocumentCharacteristics, hints: [HandleHint]) {
    self.characteristics = characteristics
    self.hints = hints
  }

  /// Remembers what discovery said of a device.
  mutating func remember(_ table: AttributeTable, of identity: ServerIdentity) {
    if byIdentity[identity] != nil || byIdentity.count < HandleKnowledge.limit {
      byIdentity[identity] = table
    }
  }

  /// Remembers a closed connection's table for values of it that wait.
  mutating func rememberLate(_ table: AttributeTable, of key: ServerKey) {
    if late.count < HandleKnowledge.limit, !table.isEmpty { late[key] = table }
  }

  /// What a handle is by the connection's own table.
  func verdict(of handle: UInt16, by table: AttributeTable) -> HandleVerdict {
    if let found = table.characteristic(at: handle) {
      let service = table.service(containing: handle)?.uuid
      guard let role = characteristics.role(of: found.uuid, in: service) else {
        return .unwanted
      }
      return .wanted(
        ResolvedHandle(
          role: role, characteristic: found.uuid, service: service, resolution: .discovery))
    }
    return table.isKnownOther(handle) ? .unwanted : .unresolved
  }

  /// What a handle is by anything but the connection's own table so far.
  func verdict(
    of handle: UInt16, key: ServerKey, identity: ServerIdentity?
  ) -> HandleVerdict {
    if let table = late[key] {
      let verdict = verdict(of: handle, by: table)
      if verdict != .unresolved { return verdict }
    }
    if let identity, let table = byIdentity[identity] {
      switch verdict(of: handle, by: table) {
      case .wanted(var resolved):
        resolved.resolution = .otherConnection
        return .wanted(resolved)
      case .unwanted: return .unwanted
      case .unresolved: break
      }
    }
    for hint in hints where hint.handle == handle {
      if hint.address == nil || hint.address == identity?.address {
        return .wanted(ResolvedHandle(role: .document, resolution: .option))
      }
    }
    if byContent[key]?.contains(handle) == true {
      return .wanted(ResolvedHandle(role: .document, resolution: .content))
    }
    return .unresolved
  }
}

/// A handle that the user says is the document characteristic.
public struct HandleHint: Sendable, Equatable {
  /// The peer it holds for; nil for every server.
  public var address: DeviceAddress?
  /// The handle.
  public var handle: UInt16

  /// Makes a hint for one peer, or for every server.
  public init(address: DeviceAddress?, handle: UInt16) {
    self.address = address
    self.handle = handle
  }
}
