/// What is known of one device on a USB bus, and what of it is not whole yet.
struct USBDevice: Sendable {
  /// What a device is: said by its descriptors, or shown by what it is sent and sends.
  enum Kind: Sendable {
    case unknown
    /// A Bluetooth adapter, with the number that it goes by.
    case adapter(Int)
    case other
  }

  var kind = Kind.unknown
  /// Endpoints of its Bluetooth interface, where the descriptors tell.
  private var endpoints: Set<UInt8> = []
  /// Setups of control transfers that are not done, oldest first.
  private var setups: [(id: UInt64, setup: USBTransfer.Setup)] = []
  /// Events that nearly prove a Bluetooth adapter.
  private var weakSigns = 0
  private var events = HCIStream(headerLength: 2)
  private var received = HCIStream(headerLength: 4)
  private var sent = HCIStream(headerLength: 4)

  /// Control transfers that wait for their end.
  private static let mostSetups = 64

  /// Remembers how a control transfer began.
  mutating func begin(_ id: UInt64, _ setup: USBTransfer.Setup) {
    setups.removeAll { $0.id == id }
    if setups.count >= USBDevice.mostSetups { setups.removeFirst() }
    setups.append((id, setup))
  }

  /// How the control transfer of this record began; forgotten once it is done.
  mutating func setup(of transfer: USBTransfer) -> USBTransfer.Setup? {
    guard let index = setups.firstIndex(where: { $0.id == transfer.id }) else { return nil }
    return transfer.isSubmit ? setups[index].setup : setups.remove(at: index).setup
  }

  /// Whether data of this endpoint is of the Bluetooth interface, as far as is known.
  func carriesHCI(_ endpoint: UInt8) -> Bool { endpoints.isEmpty || endpoints.contains(endpoint) }
}

extension USBDevice {
  /// What a descriptor makes of an undecided device (USB 2.0, 9.6; class codes of usb.org: wireless
  /// controller E0, radio frequency 01, Bluetooth 01).
  enum Verdict {
    case adapter, other, undecided
  }

  /// Reads a device descriptor, which begins the life of whatever has the address now.
  mutating func readDevice(_ bytes: [UInt8]) -> Verdict {
    guard bytes.count >= 8, bytes[1] == 1 else { return .undecided }
    if bytes[4] == 0xE0, bytes[5] == 1, bytes[6] == 1 { return .adapter }
    switch bytes[4] {
    // Told by the interfaces, or by nothing (vendor).
    case 0x00, 0xE0, 0xEF, 0xFF: return .undecided
    default: return .other
    }
  }

  /// Reads a configuration descriptor with the interfaces behind it.
  mutating func readConfiguration(_ bytes: [UInt8]) -> Verdict {
    guard bytes.count >= 9, bytes[1] == 2 else { return .undecided }
    let total = Int(bytes[2]) | Int(bytes[3]) << 8
    var place = 0
    var isBluetooth = false
    var mayBe = bytes.count < total
    var found: Set<UInt8> = []
    while place + 2 <= bytes.count {
      let length = Int(bytes[place])
      guard length >= 2, place + length <= bytes.count else { break }
      if bytes[place + 1] == 4, length >= 9 {
        let type = bytes[(place + 5)..<(place + 8)]
        isBluetooth = type.elementsEqual([0xE0, 1, 1])
        if bytes[place + 5] == 0xFF { mayBe = true }
      } else if bytes[place + 1] == 5, length >= 7, isBluetooth {
        found.insert(bytes[place + 2])
      }
      place += length
    }
    if !found.isEmpty {
      endpoints = found
      return .adapter
    }
    return mayBe ? .undecided : .other
  }

  /// Whether data of an undecided device proves that it is a Bluetooth adapter.
  mutating func proves(_ bytes: [UInt8], _ transfer: USBTransfer, setup: USBTransfer.Setup?) -> Bool
  {
    switch transfer.kind {
    case .isochronous: return false
    case .control: return setup.map { $0.isHCI && HCIShape.isCommand(bytes) } ?? false
    case .interrupt:
      guard transfer.isIn else { return false }
      if HCIShape.isMetaEvent(bytes) { return true }
      if HCIShape.isUsualEvent(bytes) { weakSigns += 1 }
      return weakSigns > 1
    case .bulk: return HCIShape.isWholeACL(bytes)
    }
  }

  /// Cuts data into packets, of which one may be spread over several transfers.
  mutating func packets(_ bytes: [UInt8], _ transfer: USBTransfer) -> [HCIStream.Packet] {
    let isCut = transfer.length > bytes.count
    return switch (transfer.kind, transfer.isIn) {
    case (.interrupt, true): events.feed(bytes, isCut: isCut)
    case (.bulk, true): received.feed(bytes, isCut: isCut)
    case (.bulk, false): sent.feed(bytes, isCut: isCut)
    case (.interrupt, false), (.control, _), (.isochronous, _): []
    }
  }
}

extension USBTransfer.Setup {
  /// An HCI command on the control pipe: a class request to the device or its interface
  /// (Core Specification Vol 4 Part B 2.2).
  var isHCI: Bool { (type == 0x20 || type == 0x21) && (request == 0 || request == 0xE0) }

  /// The descriptor that is asked for; nil for any other request.
  var descriptor: UInt8? { type == 0x80 && request == 6 ? UInt8(value >> 8) : nil }
}

/// HCI packets of one kind on one pipe.
struct HCIStream: Sendable {
  struct Packet {
    var bytes: [UInt8]
    /// Its length before the capture cut it.
    var length: Int
  }

  /// 2 for events, 4 for ACL data; the last one or two bytes of a header are the length.
  let headerLength: Int
  private var pending: [UInt8] = []

  init(headerLength: Int) {
    self.headerLength = headerLength
  }

  /// Takes the data of one transfer; gives the packets that it completes.
  mutating func feed(_ bytes: [UInt8], isCut: Bool) -> [Packet] {
    // The rest of a packet was lost where a whole one begins.
    if !pending.isEmpty, headerLength == 4, HCIShape.isWholeACL(bytes) { pending = [] }
    pending += bytes
    var packets: [Packet] = []
    while let length = HCIStream.length(pending[...], headerLength), pending.count >= length {
      packets.append(Packet(bytes: Array(pending[..<length]), length: length))
      pending.removeFirst(length)
    }
    if isCut, !pending.isEmpty {
      let length = HCIStream.length(pending[...], headerLength) ?? pending.count
      packets.append(Packet(bytes: pending, length: length))
      pending = []
    }
    // A transfer ends with a short packet, so that what is missing then will not come; full ones
    // have 8, 16, 32 or 64 bytes and more (USB 2.0, 5.7.3 and 5.8.3).
    if bytes.count & 7 != 0 { pending = [] }
    return packets
  }

  private static func length(_ bytes: ArraySlice<UInt8>, _ header: Int) -> Int? {
    guard bytes.count >= header else { return nil }
    let start = bytes.startIndex
    return header == 2
      ? 2 + Int(bytes[start + 1]) : 4 + Int(bytes[start + 2]) + Int(bytes[start + 3]) << 8
  }
}
