import BluetoothProtocols
import WireBytes

extension HCIOpcode {
  /// Whether a host gets on without the command's answer.
  var isDispensable: Bool {
    switch self {
    case .readLocalVersion, .readSupportedCommands, .leWriteDefaultDataLength, .leRand, .leEncrypt,
      .leReadRemoteFeatures, .leSetDataLength, .leSetPHY, .leConnectionUpdate,
      .leConnectionParameterReply, .leConnectionParameterNegativeReply:
      true
    default: false
    }
  }

  /// Four digits with 0x in front.
  var text: String { "0x\(Hexadecimal.upper(UInt64(rawValue), width: 4))" }
}

extension Host {
  /// Subevents wanted (Core Specification Vol 4 Part E, 7.8.1): bit n is subevent n + 1. The
  /// enhanced Connection Complete is left out, so that the plain one comes.
  private static let lowEnergyMask: UInt32 = 0x0002_187F

  /// Brings the controller up.
  package mutating func start(now: UInt64) {
    begin()
    settle(now)
  }

  private mutating func begin() {
    phase = .starting
    commands.reset()
    unanswered = []
    isRadioPlanned = false
    startup = [
      .readLocalVersion, .readSupportedCommands, .leReadFeatures, .setEventMask, .leSetEventMask,
      .leReadBufferSize,
      .readAddress,
    ]
    send(.reset)
  }

  /// Whether something that was asked for takes the controller's encryption; it is tried before it
  /// is relied on, because some controllers list the commands and do not have them.
  private var needsEncryption: Bool {
    hasEncryption && (configuration.privacy != nil || configuration.pairing != .none)
  }

  /// The steps that depend on what the controller can do.
  private var radioSteps: [HCIOpcode] {
    var steps: [HCIOpcode] = needsEncryption ? [.leRand, .leEncrypt] : []
    if usesRandomAddress { steps.append(.leSetRandomAddress) }
    if isExtended {
      steps.append(.leSetExtendedAdvertisingParameters)
      if usesRandomAddress { steps.append(.leSetAdvertisingSetAddress) }
      steps += [
        .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData,
        .leSetExtendedScanParameters,
      ]
    } else {
      steps += [
        .leSetAdvertisingParameters, .leSetAdvertisingData, .leSetScanResponseData,
        .leSetScanParameters,
      ]
    }
    return steps
  }

  /// Takes a startup command's answer and sends the next one.
  mutating func advanceStartup(_ opcode: HCIOpcode, status: UInt8, result: [UInt8]) {
    if status != 0, !isOptional(opcode) {
      guard isExtended, radioSteps.contains(opcode) else {
        fail(.refused(opcode, status: status))
        return
      }
      // A controller whose extended commands do not work may still have the legacy ones, which it
      // takes only after a reset (formats.md 8).
      isExtended = false
      isLegacyForced = true
      begin()
      return
    }
    if status == 0 { learn(opcode, result) }
    if opcode == .leRand || opcode == .leEncrypt, status != 0 { hasEncryption = false }
    guard hasEncryption || configuration.privacy == nil else { return fail(.noEncryption) }
    if startup.isEmpty, !isRadioPlanned {
      isRadioPlanned = true
      startup = radioSteps
    }
    guard !startup.isEmpty else {
      guard aclTotal > 0 else {
        fail(.noBuffers)
        return
      }
      phase = .running
      nextRotation = configuration.privacy.map { now &+ $0.interval }
      events.append(.started(address: address, isExtended: isExtended))
      if configuration.pairing != pairingPolicy {
        events.append(
          .refused(
            "pairing, as not supported: the controller has no LE Encrypt or LE Rand command"))
      }
      return
    }
    let next = startup.removeFirst()
    send(next, parameters(of: next))
  }

  private func isOptional(_ opcode: HCIOpcode) -> Bool {
    switch opcode {
    case .readLocalVersion, .readSupportedCommands, .setEventMask, .leWriteDefaultDataLength,
      .leRand, .leEncrypt:
      true
    default: false
    }
  }

  private mutating func learn(_ opcode: HCIOpcode, _ result: [UInt8]) {
    var reader = ByteReader(result.rawBytes, layer: .hci)
    switch opcode {
    case .readSupportedCommands:
      // Octet 27: bit 6 LE Encrypt, bit 7 LE Rand (Vol 4 Part E, 6.27).
      guard result.count > 27 else { return }
      hasEncryption = result[27] & 0xC0 == 0xC0
    case .leReadFeatures:
      guard let features = try? reader.le64() else { return }
      localFeatures = features
      isExtended =
        features & LinkFeature.extendedAdvertising != 0 && !configuration.isLegacyOnly
        && !isLegacyForced
      if features & LinkFeature.dataLength != 0 { startup.append(.leWriteDefaultDataLength) }
    case .leReadBufferSize:
      guard let length = try? reader.le16(), let count = try? reader.u8() else { return }
      setBuffers(length: Int(length), count: Int(count))
      // No buffers of its own: LE shares those of BR/EDR.
      if length == 0 || count == 0 { startup.insert(.readBufferSize, at: 0) }
    case .readBufferSize:
      guard let length = try? reader.le16(), (try? reader.skip(1)) != nil,
        let count = try? reader.le16()
      else { return }
      setBuffers(length: Int(length), count: Int(count))
    case .readAddress:
      guard let value = try? reader.le48() else { return }
      publicAddress = DeviceAddress(value: value)
    case .leRand: addressSeed = Host.addressSeed(result)
    case .leEncrypt:
      guard configuration.privacy != nil else { return }
      randomAddress = Host.privateAddress(seed: addressSeed, hash: result)
    default: break
    }
  }

  private mutating func setBuffers(length: Int, count: Int) {
    aclLength = max(length, 1)
    aclTotal = length == 0 ? 0 : count
    aclCredits = aclTotal
  }

  private func parameters(of opcode: HCIOpcode) -> [UInt8] {
    let own = ownAddressType
    switch opcode {
    case .setEventMask: return [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBF, 0x3D]
    case .leSetEventMask:
      let mask = Host.lowEnergyMask
      return le(UInt16(truncatingIfNeeded: mask)) + le(UInt16(truncatingIfNeeded: mask >> 16))
        + [0, 0, 0, 0]
    case .leWriteDefaultDataLength: return le(251) + le(2120)
    case .leEncrypt:
      return (configuration.privacy?.resolvingKey ?? LegacyPairing.temporaryKey)
        + Host.padded(seed: addressSeed)
    case .leSetRandomAddress: return le(address)
    case .leSetAdvertisingSetAddress: return [0] + le(address)
    case .leSetAdvertisingParameters:
      // 100 to 150 ms, connectable and scannable, all channels.
      return le(160) + le(240) + [0, own, 0, 0, 0, 0, 0, 0, 0, 7, 0]
    case .leSetAdvertisingData: return padded(configuration.advertisingData)
    case .leSetScanResponseData: return padded(configuration.scanResponseData)
    case .leSetScanParameters:
      // Active, 60 ms interval, 30 ms window.
      return [1] + le(96) + le(48) + [own, 0]
    case .leSetExtendedAdvertisingParameters:
      // Set 0 with legacy PDUs, which every scanner hears: connectable, scannable, legacy.
      return [0] + le(0x0013) + [160, 0, 0, 240, 0, 0, 7, own, 0, 0, 0, 0, 0, 0, 0]
        + [0, 0x7F, 1, 0, 1, 0, 0]
    case .leSetExtendedAdvertisingData: return whole(configuration.advertisingData)
    case .leSetExtendedScanResponseData: return whole(configuration.scanResponseData)
    case .leSetExtendedScanParameters: return [own, 0, 1, 1] + le(96) + le(48)
    default: return []
    }
  }

  private func padded(_ data: [UInt8]) -> [UInt8] {
    let data = data.prefix(31)
    return [UInt8(data.count)] + data + [UInt8](repeating: 0, count: 31 - data.count)
  }

  private func whole(_ data: [UInt8]) -> [UInt8] {
    let data = data.prefix(31)
    return [0, 3, 1, UInt8(data.count)] + data
  }
}
