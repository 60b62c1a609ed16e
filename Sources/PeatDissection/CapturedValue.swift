public import BluetoothProtocols
public import PeatProtocol
public import WireBytes

/// The connection that carried a value, as the capturing host knew it.
public struct Link: Sendable, Equatable {
  /// This host's part in a connection.
  public enum Role: String, Sendable { case central, peripheral }

  /// Counts connections over the whole run from 1; never reused.
  public var id: Int
  /// Monitor index or pcapng interface; else 0.
  public var adapter: Int
  /// HCI connection handle, or the access address of an air capture.
  public var connection: UInt32
  /// This host's address, where the capture tells it.
  public var local: DeviceAddress?
  /// The peer's address, where the capture tells it.
  public var peer: DeviceAddress?
  /// Whether the peer's address is public or random.
  public var peerType: AddressType?
  /// The peer's identity address, where its private one is resolved.
  public var identity: DeviceAddress?
  /// This host's part in the connection.
  public var role: Role?
  /// Whether the link was heard on the air; `local` is the central then, and `peer` the peripheral.
  public var isFromAir = false
}

extension Link {
  /// Which way a value of one end went: the only place where links from the air differ.
  func direction(from sender: Side) -> ValueDirection {
    switch (sender, isFromAir) {
    case (.local, false): .sent
    case (.peer, false): .received
    case (.local, true): .toPeripheral
    case (.peer, true): .toCentral
    }
  }

  /// The device behind one end's server, where its address is known.
  ///
  /// A receiver on the air sees the tables of both ends for themselves; a host sees its own table
  /// only through the eyes of the peer that asks.
  func identity(of server: Side) -> ServerIdentity? {
    if isFromAir && server == .local {
      return local.map { ServerIdentity(side: .peer, address: $0) }
    }
    return peer.map { ServerIdentity(side: server, address: $0) }
  }
}

/// Which way a value went.
public enum ValueDirection: String, Sendable {
  case sent
  case received
  case toPeripheral = "to_peripheral"
  case toCentral = "to_central"

  /// Whether the side called `local` sent it.
  public var isFromLocal: Bool { self == .sent || self == .toPeripheral }
}

/// How a value was carried, in the words of the records.
public enum ValueOpcode: String, Sendable {
  case writeRequest = "write_request"
  case writeCommand = "write_command"
  case signedWriteCommand = "signed_write_command"
  case notification
  case indication
  case multipleNotification = "multiple_notification"
  case readResponse = "read_response"
  case readBlob = "read_blob"
  case readByTypeResponse = "read_by_type_response"
  case readMultiple = "read_multiple"
  case readMultipleVariable = "read_multiple_variable"
  case executeWrite = "execute_write"
  case advertisement

  /// Whether a client asked for the value, so that it may be the server's read answer.
  public var isRead: Bool {
    switch self {
    case .readResponse, .readBlob, .readByTypeResponse, .readMultiple, .readMultipleVariable:
      true
    case .writeRequest, .writeCommand, .signedWriteCommand, .notification, .indication,
      .multipleNotification, .executeWrite, .advertisement:
      false
    }
  }
}

/// From where it is known that a handle is the document characteristic.
public enum HandleResolution: String, Sendable {
  case discovery
  case otherConnection = "other-connection"
  case cache
  case option
  case content
}

/// What the server made of a write that it did not take.
public enum ValueOutcome: Sendable, Equatable {
  /// Refused with an ATT error code.
  case refused(UInt8)
  case cancelled

  /// The word of the records.
  public var name: String {
    switch self {
    case .refused: "refused"
    case .cancelled: "cancelled"
    }
  }
}

/// What a capture tells of a beacon besides its bytes.
public struct Advertisement: Sendable, Equatable {
  /// Which form the beacon has.
  public var form: BeaconMessage.Form
  /// The signal in dBm, where the controller knew it.
  public var rssi: Int?
  /// The advertised name, as it came.
  public var name: String?
}

/// One value that a protocol of the catalogue wants, as it was captured, before it is read.
public struct CapturedValue: Sendable {
  /// The packet that completed the value, counted in its file from 1.
  public var frame: Int
  /// Every packet that carried a part.
  public var frames: [Int]
  /// When the packet was recorded.
  public var time: Timestamp?
  /// The connection that carried it.
  public var link: Link
  /// Which way it went.
  public var direction: ValueDirection
  /// Whether the container has no direction and it was told from the traffic.
  public var isDirectionGuessed: Bool
  /// How it was carried.
  public var opcode: ValueOpcode
  /// The handle.
  public var handle: UInt16
  /// The type of the characteristic, where discovery told it.
  public var characteristic: BluetoothUUID?
  /// The type of the service that the characteristic belongs to, where discovery told it.
  public var service: BluetoothUUID?
  /// From where it is known that the handle is the document characteristic.
  public var resolution: HandleResolution?
  /// The bearer's MTU when the value was sent.
  public var mtu: Int
  /// The channel the value came on, unless it is the fixed one.
  public var channel: UInt16?
  /// What became of a write that was not taken.
  public var outcome: ValueOutcome?
  /// Which protocol it belongs to: only Peat's become messages of the timeline.
  public var owner = ValueProtocol.peat
  /// What the characteristic is for: its values may be something else than messages.
  public var role: CharacteristicRole
  /// Bytes of the value as it was sent.
  public var length: Int
  /// Bytes of the value that the capture holds: a prefix.
  public var payload: [UInt8]
  /// What came with it, where it is a beacon of an advertiser.
  public var advertisement: Advertisement?
  /// Offset in the file of the packet that completed the value.
  public var fileOffset: Int = 0
  /// What it is called in every capture, where somebody asked for that (`MessageIdentifier`).
  public var identity: UInt128?
  /// Whether the server answered the write that carried it.
  public var isAnswered = false
  /// Every place of the file where the value was seen, ascending by time, where there are several.
  public var seenIn: [Sighting] = []
  /// Whether it is the first one behind a gap: packets were lost, or the container was damaged.
  public var followsLoss: Bool = false
  /// Bytes that the sender announced, where its MTU let fewer through.
  public var announced: Int?
  /// Whether it was read in full parts, and the client did not ask for a next one.
  public var isOpenEnded = false
  /// Whether packets were lost while its parts came.
  public var spansLoss = false
  /// Whether a part is not in the capture, so that only what stands before it is known.
  var hasHole = false
  /// Gaps of the capture before it.
  var gaps = 0

  /// Steps of the recorder's clock that were found since the value before.
  public var clockSteps: [ClockStep] = []
  /// Nanoseconds that steps before it have put the recorder's clock ahead, where its time is as
  /// recorded.
  public var clockShift: Int64 = 0

  /// Whether the capture left out the value's tail.
  public var isCutByCapture: Bool { payload.count < length }
}

/// Something that went wrong below the messages.
public struct Notice: Sendable, Equatable {
  /// Stable codes of cli.md, "findings".
  public enum Code: String, Sendable, CaseIterable {
    case droppedPackets = "dropped-packets"
    case aclOverrun = "acl-overrun"
    case aclAbandonedStart = "acl-abandoned-start"
    case aclOrphanContinuation = "acl-orphan-continuation"
    case hciMalformedEvent = "hci-malformed-event"
    case badCRC = "bad-crc"
    case encryptedLink = "encrypted-link"
    case unreadableAirHeader = "unreadable-air-header"
    case airLengthFault = "air-length-fault"
    case connectionNotFollowed = "connection-not-followed"
    case discoveryCut = "discovery-cut"
    case connectionLimit = "connection-limit"
    case clockStep = "clock-step"
  }

  /// The stable code.
  public var code: Code
  /// The packet, counted in its file from 1.
  public var frame: Int
  /// When the packet was recorded.
  public var time: Timestamp?
  /// One clause for a person.
  public var text: String
}
