import BluetoothProtocols

/// Private addresses that change now and then (Core Specification Vol 3 Part C, 10.7.1).
extension Host {
  /// Whether the radio is kept still for a new address.
  var isChangingAddress: Bool { nextAddress != nil && now >= retryAddress }

  /// Begins to make a new address where it is time to.
  mutating func rotateAddress() {
    guard phase == .running, let privacy = configuration.privacy, let due = nextRotation,
      now >= due
    else { return }
    nextRotation = now &+ privacy.interval
    // Where the last one still waits for the radio, that one is new enough.
    guard nextAddress == nil, !jobs.contains(where: \.isOfAddress) else { return }
    compute(.addressSeed)
  }

  /// The random bits of an address: the two on top are 01, which tells a resolvable one.
  static func addressSeed(_ random: [UInt8]) -> UInt32 {
    let bits = random.prefix(3).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let seed = bits & 0x3F_FFFF
    // All zeros and all ones are not allowed (Vol 6 Part B, 1.3.2.2).
    return 0x40_0000 | (seed == 0 || seed == 0x3F_FFFF ? 1 : seed)
  }

  /// The seed as the block that is encrypted (`ah` of Vol 3 Part H, 2.2.2).
  static func padded(seed: UInt32) -> [UInt8] {
    (0..<16).map { $0 < 4 ? UInt8(truncatingIfNeeded: seed >> UInt32(8 * $0)) : 0 }
  }

  /// The address: the seed above the 24 lowest bits of its encryption.
  static func privateAddress(seed: UInt32, hash: [UInt8]) -> DeviceAddress {
    let low = hash.prefix(3).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return DeviceAddress(value: UInt64(seed) << 24 | low)
  }

  mutating func setAddress(_ address: DeviceAddress) {
    send(.leSetRandomAddress, le(address))
    if isExtended { send(.leSetAdvertisingSetAddress, [0] + le(address)) }
  }

  /// Takes the answer to a command that sets the address: the last one of them counts.
  mutating func addressAnswered(_ entry: CommandQueue.Entry, status: UInt8) {
    guard let address = nextAddress else { return }
    guard status == 0 else {
      // Tried again when the radio is still once more.
      retryAddress = now &+ Host.radioPause
      return
    }
    guard entry.opcode == .leSetAdvertisingSetAddress || !isExtended else { return }
    nextAddress = nil
    randomAddress = address
    events.append(.addressChanged(address))
  }
}
