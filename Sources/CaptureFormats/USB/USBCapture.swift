import WireBytes

/// The Bluetooth adapters of a USB capture: what they are sent and send, as HCI packets.
struct USBCapture: Sendable {
  /// A packet with what is said of it.
  struct Packet: Sendable {
    var header: RecordHeader
    var bytes: [UInt8]
  }

  /// Devices that are told apart; a bus has at most 127.
  private static let mostDevices = 4096

  private var devices: [USBAddress: USBDevice] = [:]
  private var adapters: Set<Int> = []
  /// Packets that wait to be given; the first ones are given already.
  private var ready: [Packet] = []
  private var given = 0
  /// The bytes of the packet given last.
  private(set) var current: [UInt8] = []

  /// Devices met.
  var deviceCount: Int { devices.count }
  /// Bluetooth adapters among them.
  var adapterCount: Int { adapters.count }

  /// The next packet's header, whose bytes are in `current` then.
  mutating func takeReady() -> RecordHeader? {
    guard given < ready.count else { return nil }
    let packet = ready[given]
    given += 1
    if given == ready.count {
      ready.removeAll(keepingCapacity: true)
      given = 0
    }
    current = packet.bytes
    return packet.header
  }

  /// Takes one transfer; gives whether it had HCI packets, or a part of one.
  ///
  /// `make` builds the header of a packet: what it is, which way it went, of which adapter, and how
  /// long it was; `preferred` is the number that an adapter gets where it is free.
  mutating func take(
    _ transfer: USBTransfer, _ bytes: [UInt8], preferred: Int,
    make: (RecordContent, RecordDirection, Int, Int) -> RecordHeader
  ) -> Bool {
    guard devices[transfer.address] != nil || devices.count < USBCapture.mostDevices else {
      return false
    }
    // Taken out, so that what it holds is not copied.
    var device = devices.removeValue(forKey: transfer.address) ?? USBDevice()
    defer { devices[transfer.address] = device }
    var setup = transfer.setup
    if let setup {
      device.begin(transfer.id, setup)
    } else if transfer.kind == .control {
      setup = device.setup(of: transfer)
    }
    guard transfer.hasData else { return false }
    if transfer.isIn, let descriptor = setup?.descriptor {
      learn(descriptor, bytes, &device, preferred)
      return false
    }
    if case .unknown = device.kind, device.proves(bytes, transfer, setup: setup) {
      device.kind = .adapter(number(preferred))
    }
    guard case .adapter(let adapter) = device.kind else { return false }
    if transfer.kind == .control {
      guard !transfer.isIn, let setup, setup.isHCI, bytes.count >= 3 else { return false }
      let length = max(bytes.count, transfer.length)
      ready.append(Packet(header: make(.command, .sent, adapter, length), bytes: bytes))
      return true
    }
    guard transfer.kind != .isochronous, device.carriesHCI(transfer.endpoint) else { return false }
    let content: RecordContent = transfer.kind == .interrupt ? .event : .acl
    for packet in device.packets(bytes, transfer) {
      let header = make(content, transfer.isIn ? .received : .sent, adapter, packet.length)
      ready.append(Packet(header: header, bytes: packet.bytes))
    }
    return true
  }

  /// Reads a descriptor; one of a device begins anew, as its address may be another one's now.
  private mutating func learn(
    _ descriptor: UInt8, _ bytes: [UInt8], _ device: inout USBDevice, _ preferred: Int
  ) {
    let verdict: USBDevice.Verdict
    switch descriptor {
    case 1: verdict = device.readDevice(bytes)
    case 2: verdict = device.readConfiguration(bytes)
    default: return
    }
    switch (verdict, device.kind) {
    case (.undecided, _), (.adapter, .adapter): return
    case (.adapter, _): device.kind = .adapter(number(preferred))
    case (.other, _): device.kind = .other
    }
  }

  /// The first free number from the preferred one on.
  private mutating func number(_ preferred: Int) -> Int {
    var number = preferred
    while adapters.contains(number) { number += 1 }
    adapters.insert(number)
    return number
  }
}

extension CaptureReader {
  /// Takes a record of a USB capture and moves over it; its packets are given afterwards.
  mutating func takeTransfer(
    _ link: LinkType, ahead: Int, captured: Int, time: Timestamp?, interface: Int, drops: UInt32,
    length: Int
  ) -> Step {
    let transfer =
      switch link {
      case .usbmon:
        window.usbmonTransfer(ahead: ahead, captured: captured, header: 48, order: order)
      case .usbmonPadded:
        window.usbmonTransfer(ahead: ahead, captured: captured, header: 64, order: order)
      default: window.usbpcapTransfer(ahead: ahead, captured: captured)
      }
    var hasPackets = false
    if let transfer, transfer.kind != .isochronous {
      let bytes = (0..<transfer.count).map { window.u8(transfer.ahead + $0) }
      let offset = window.offset + transfer.ahead
      let frame = frames
      let followsDamage = damageCount > toldDamages
      hasPackets = usb.take(transfer, bytes, preferred: interface) {
        RecordHeader(
          frame: frame, time: time, adapter: $2, originalLength: $3, fileOffset: offset,
          drops: drops, content: $0, direction: $1, followsDamage: followsDamage)
      }
      if hasPackets { toldDamages = damageCount }
    }
    window.keep = window.position
    window.position += length
    return hasPackets ? .held : .skipped
  }
}
