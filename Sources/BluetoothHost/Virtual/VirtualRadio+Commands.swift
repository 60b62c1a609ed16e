import BluetoothProtocols

extension VirtualRadio {
  mutating func takeCommand(_ bytes: [UInt8], _ index: Int) {
    guard bytes.count >= 3, bytes.count == 3 + Int(bytes[2]) else { return }
    let opcode = HCIOpcode(rawValue: UInt16(bytes[0]) | UInt16(bytes[1]) << 8)
    let parameters = Array(bytes[3...])
    if opcode.isAnsweredByStatus {
      let status = start(opcode, parameters, index)
      reply(.event(0x0F, [status, 1] + le(opcode.rawValue)), to: index)
    } else {
      let result = perform(opcode, parameters, index)
      reply(.event(0x0E, [1] + le(opcode.rawValue) + result), to: index)
    }
  }

  /// Gives the return parameters, the status first.
  private mutating func perform(
    _ opcode: HCIOpcode, _ parameters: [UInt8], _ index: Int
  ) -> [UInt8] {
    let controller = controllers[index]
    switch opcode {
    case .reset:
      for handle in controller.links.keys.sorted() {
        end(handle, index, reason: 0x16, remote: 0x08)
      }
      controllers[index].isAdvertising = false
      controllers[index].isScanning = false
      controllers[index].target = nil
      return [0]
    case .leReadFeatures:
      return [0] + le64(controller.features)
    case .leReadBufferSize: return [0] + le(controller.aclLength) + [controller.aclCount]
    case .readAddress: return [0] + le(controller.publicAddress)
    case .leSetRandomAddress: controllers[index].randomAddress = address(parameters[...])
    case .leSetAdvertisingSetAddress:
      controllers[index].randomAddress = address(parameters.dropFirst())
    case .leSetAdvertisingParameters where parameters.count >= 6:
      controllers[index].advertisingType = parameters[5]
    case .leSetExtendedAdvertisingParameters where parameters.count >= 11:
      controllers[index].advertisingType = parameters[10]
    case .leSetAdvertisingData:
      controllers[index].advertisingData = Array(
        parameters.dropFirst().prefix(Int(parameters.first ?? 0)))
    case .leSetScanResponseData:
      controllers[index].scanResponse = Array(
        parameters.dropFirst().prefix(Int(parameters.first ?? 0)))
    case .leSetExtendedAdvertisingData:
      controllers[index].advertisingData = Array(parameters.dropFirst(4))
    case .leSetExtendedScanResponseData:
      controllers[index].scanResponse = Array(parameters.dropFirst(4))
    case .leSetAdvertisingEnable, .leSetExtendedAdvertisingEnable:
      // 09: connection limit exceeded.
      if parameters.first == 1, controller.isFull { return [0x09] }
      setAdvertising(parameters.first == 1, index)
    case .leSetScanEnable, .leSetExtendedScanEnable:
      controllers[index].isScanning = parameters.first == 1
    case .leSetDataLength where parameters.count == 6:
      return lengthen(handle(parameters), index)
    case .leCreateConnectionCancel:
      guard let target = controller.target else { return [0x0C] }
      controllers[index].target = nil
      reply(opened(status: 0x02, handle: 0, role: 0, peer: target), to: index, after: 2)
    default: break
    }
    return [0]
  }

  /// Begins what an event ends; gives the status.
  private mutating func start(
    _ opcode: HCIOpcode, _ parameters: [UInt8], _ index: Int
  ) -> UInt8 {
    switch opcode {
    case .leCreateConnection where parameters.count == 25:
      guard controllers[index].target == nil else { return 0x0C }
      if controllers[index].isFull { return 0x09 }
      controllers[index].target = address(parameters[6...])
      controllers[index].connectingType = parameters[12]
    case .leExtendedCreateConnection where parameters.count == 26:
      guard controllers[index].target == nil else { return 0x0C }
      if controllers[index].isFull { return 0x09 }
      controllers[index].target = address(parameters[3...])
      controllers[index].connectingType = parameters[1]
    case .disconnect where parameters.count == 3:
      let handle = handle(parameters)
      guard controllers[index].links[handle] != nil else { return 0x02 }
      end(handle, index, reason: 0x16, remote: parameters[2])
    case .leReadRemoteFeatures where parameters.count == 2:
      return tellFeatures(handle(parameters), index)
    case .leSetPHY where parameters.count == 7:
      return changePHY(handle(parameters), index, wanted: parameters[3] & parameters[4])
    default: break
    }
    return 0
  }

  private mutating func setAdvertising(_ isOn: Bool, _ index: Int) {
    controllers[index].generation += 1
    controllers[index].isAdvertising = isOn
    guard isOn else { return }
    let first = 1 + disturbance.next(below: advertisingInterval)
    schedule(
      .advertise(index, generation: controllers[index].generation), at: now + first)
  }

  mutating func advertise(_ index: Int, _ generation: Int) {
    let sender = controllers[index]
    guard sender.isAdvertising, sender.generation == generation else { return }
    schedule(
      .advertise(index, generation: generation), at: now + advertisingInterval)
    let own = sender.address(sender.advertisingType)
    for other in controllers.indices where other != index {
      if controllers[other].target == own, !controllers[other].isFull, !sender.isFull {
        connect(central: other, peripheral: index)
        return
      }
      guard controllers[other].isScanning else { continue }
      report(sender, type: 0, sender.advertisingData, to: other)
      report(sender, type: 4, sender.scanResponse, to: other)
    }
  }

  private mutating func report(
    _ sender: VirtualController, type: UInt8, _ data: [UInt8], to index: Int
  ) {
    let own = [sender.advertisingType & 1] + le(sender.address(sender.advertisingType))
    guard controllers[index].isExtended else {
      reply(
        .event(0x3E, [0x02, 1, type] + own + [UInt8(data.count)] + data + [0xC4]), to: index)
      return
    }
    // Legacy PDUs: connectable and scannable, or a scan response to such.
    let kind: UInt16 = type == 0 ? 0x13 : 0x1B
    reply(
      .event(
        0x3E,
        [0x0D, 1] + le(kind) + own + [1, 0, 0xFF, 0x7F, 0xC4, 0, 0, 0, 0, 0, 0, 0, 0, 0]
          + [UInt8(data.count)] + data), to: index)
  }

  func opened(
    status: UInt8, handle: UInt16, role: UInt8, peer: DeviceAddress, type: UInt8 = 1
  ) -> HCIPacket {
    .event(
      0x3E,
      [0x01, status] + le(handle) + [role, type & 1] + le(peer) + le(24) + le(0) + le(400) + [0])
  }
}
