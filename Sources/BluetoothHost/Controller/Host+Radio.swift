import BluetoothProtocols

extension Host {
  /// Time for a connection to come about, in milliseconds (protocol.md 8.1).
  static let connectionTimeout: UInt64 = 10_000
  /// Pause after the controller refused to advertise or scan.
  static let radioPause: UInt64 = 1_000
  /// Pause before a controller that was full is asked again, while no link ended.
  static let fullPause: UInt64 = 30_000
  /// Refusals of advertising that mean that there is no room.
  static let refusalLimit = 5

  /// Sends the next command that brings the radio from what it does to what is wanted.
  ///
  /// Scanning stops while a connection is made: many controllers do one of the two.
  mutating func reconcile() {
    guard !commands.contains(\.isRadio) else { return }
    // No address can be set while the radio uses one (Vol 4 Part E, 7.8.4 and 7.8.52).
    let isStill = !isAdvertising && !isScanning && connecting == nil
    if isStill, let nextAddress, now >= retryAddress { return setAddress(nextAddress) }
    let mayAdvertise = wantsAdvertising && !isChangingAddress
    if mayAdvertise != isAdvertising {
      let hasRoom = links.count < configuration.maximumLinks
      if !mayAdvertise || (hasRoom && now >= retryAdvertising) {
        enableAdvertising(mayAdvertise)
        return
      }
    }
    if let target, connecting == nil, !isChangingAddress {
      if isScanning {
        enableScanning(false)
      } else {
        self.target = nil
        connecting = (target.address, now &+ Host.connectionTimeout, false)
        create(target.address, target.type)
      }
      return
    }
    let mayScan = wantsScanning && !isChangingAddress
    guard connecting == nil, mayScan != isScanning, !mayScan || now >= retryScanning
    else { return }
    enableScanning(mayScan)
  }

  private mutating func enableAdvertising(_ isOn: Bool) {
    let flag: UInt8 = isOn ? 1 : 0
    if isExtended {
      send(.leSetExtendedAdvertisingEnable, [flag, 1, 0, 0, 0, 0])
    } else {
      send(.leSetAdvertisingEnable, [flag])
    }
  }

  private mutating func enableScanning(_ isOn: Bool) {
    let flag: UInt8 = isOn ? 1 : 0
    if isExtended {
      send(.leSetExtendedScanEnable, [flag, 0, 0, 0, 0, 0])
    } else {
      send(.leSetScanEnable, [flag, 0])
    }
  }

  /// 30 to 50 ms interval, 4 s supervision: the library's configuration (protocol.md 8.5).
  private mutating func create(_ address: DeviceAddress, _ type: AddressType) {
    let timing = le(24) + le(40) + le(0) + le(400) + le(0) + le(0)
    if isExtended {
      send(
        .leExtendedCreateConnection,
        [0, ownAddressType, type.rawValue] + le(address) + [1] + le(96) + le(48) + timing)
    } else {
      send(
        .leCreateConnection,
        le(96) + le(48) + [0, type.rawValue] + le(address) + [ownAddressType] + timing)
    }
  }

  /// Takes the answer to a command of the radio.
  mutating func radioAnswered(_ entry: CommandQueue.Entry, status: UInt8) {
    switch entry.opcode {
    case .leSetAdvertisingEnable, .leSetExtendedAdvertisingEnable:
      if status == 0 {
        isAdvertising = entry.parameters.first == 1
        refusedAdvertising = 0
        // There is room after all.
        if isAdvertising, let full = fullAt, links.count >= full { fullAt = nil }
      } else {
        isAdvertising = false
        refusedAdvertising += 1
        noteFull(status: status)
        retryAdvertising = now &+ (hasRoom ? Host.radioPause : Host.fullPause)
      }
    case .leSetScanEnable, .leSetExtendedScanEnable:
      if status == 0 {
        isScanning = entry.parameters.first == 1
      } else {
        isScanning = false
        retryScanning = now &+ Host.radioPause
      }
    case .leSetRandomAddress, .leSetAdvertisingSetAddress: addressAnswered(entry, status: status)
    case .leCreateConnection, .leExtendedCreateConnection:
      guard status != 0, let attempt = connecting else { return }
      connecting = nil
      noteFull(status: status)
      events.append(.connectionFailed(peer: attempt.address, status: status))
    default: break
    }
  }
}

extension HCIOpcode {
  /// Whether the command changes what the radio does.
  var isRadio: Bool {
    switch self {
    case .leSetAdvertisingEnable, .leSetExtendedAdvertisingEnable, .leSetScanEnable,
      .leSetExtendedScanEnable, .leCreateConnection, .leExtendedCreateConnection,
      .leCreateConnectionCancel, .leSetRandomAddress, .leSetAdvertisingSetAddress:
      true
    default: false
    }
  }
}
