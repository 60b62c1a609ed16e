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
}
