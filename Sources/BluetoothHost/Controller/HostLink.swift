import BluetoothProtocols

/// One connection as the host keeps it.
struct HostLink: Sendable {
  /// Bytes that wait to be sent before values are refused.
  static let congestion = 8_192
  /// Bytes that wait before a peer that asks without taking answers is cut off.
  static let overflow = 65_536

  let handle: UInt16
  let isCentral: Bool
  let peer: DeviceAddress
  let peerType: AddressType
  /// Tells a link from an earlier one with the same handle.
  let serial: Int
  /// This host's address on the link, and whether it is public (0) or random (1).
  let own: (address: DeviceAddress, type: UInt8)
  var mtu = 23
  var reassembler = Reassembler()
  /// Whether the rest of a frame that is too long is passed over.
  var isSkipping = false
  var server: ATTServer
  var client: ATTClient?
  /// Fragments that wait for room in the controller: the first ones of a frame start it.
  var fragments: [(isStart: Bool, bytes: [UInt8])] = []
  var waitingBytes = 0
  /// Packets that the controller has not given back.
  var inFlight = 0
  var isClosing = false
  var pairing: LegacyPairing?
  /// Pairings that were begun.
  var pairingCount = 0
  var isEncrypted = false
  /// 1: LE 1M, 2: LE 2M, 3: LE Coded (Vol 4 Part E, 7.7.65.12).
  var phy: (sent: UInt8, received: UInt8) = (1, 1)
  /// Longest payload on the air, in bytes.
  var dataLength: (sent: UInt16, received: UInt16) = (27, 27)
}
