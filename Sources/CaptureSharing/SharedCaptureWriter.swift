package import CaptureFormats
package import WireBytes

/// A container that a selection of packets is written in.
package enum SharedFormat: String, Sendable, CaseIterable {
  case pcapng, pcap, btsnoop
}

/// Why packets cannot be written in the container that was asked for; one sentence.
package struct UnwritablePackets: Error, CustomStringConvertible {
  package let description: String
}

/// What interfaces the packets of several captures need: one for each capture, adapter and link
/// type.
package struct InterfacePlan: Sendable {
  /// An interface; link types that name the adapter in each packet need one for all adapters.
  package struct Interface: Hashable, Sendable {
    package var capture: Int
    package var adapter: Int
    package var link: UInt16
  }

  private struct Adapter: Hashable {
    var capture: Int
    var adapter: Int
  }

  /// The interfaces in order of appearance.
  package private(set) var interfaces: [Interface] = []
  private var numbers: [Interface: Int] = [:]
  private var nanosecond: Set<Interface> = []
  private var guessing: Set<Adapter> = []
  private var monitorAdapters: [Adapter] = []
  private var renamed: [Adapter: Int] = [:]
  /// Packets of kinds that no link type carries.
  package private(set) var unwritable = 0
  /// Packets without a time.
  package private(set) var timeless = 0

  /// Makes a plan for no packet.
  package init() {}

  /// Takes a packet that will be written.
  package mutating func note(_ header: RecordHeader, of capture: Int) {
    guard let link = RecordWrapping.link(of: header, hci: .withDirection) else {
      unwritable += 1
      return
    }
    if header.time == nil { timeless += 1 }
    let adapter = Adapter(capture: capture, adapter: header.adapter)
    if header.directionGuessed { guessing.insert(adapter) }
    if link == 254, !monitorAdapters.contains(adapter), monitorAdapters.count < 4096 {
      monitorAdapters.append(adapter)
    }
    // What HCI packets are wrapped in is known only at the end: 201 stands for both here.
    let interface = Interface(
      capture: capture, adapter: link == 254 ? 0 : header.adapter, link: link)
    if numbers[interface] == nil {
      numbers[interface] = interfaces.count
      interfaces.append(interface)
    }
    if header.time?.isNanosecondPrecise == true { nanosecond.insert(interface) }
  }

  /// Ends the plan: monitors of several captures get adapter numbers of their own.
  package mutating func conclude() {
    // A reader takes an interface's number for its adapter where packets name none.
    var taken = Set(interfaces.indices.filter { interfaces[$0].link != 254 })
    for adapter in monitorAdapters where adapter.adapter != 0xFFFF {
      var number = adapter.adapter
      while taken.contains(number) { number += 1 }
      taken.insert(number)
      if number != adapter.adapter { renamed[adapter] = number }
    }
  }

  /// Whether a packet's adapter goes by another number than in its own capture.
  package var hasRenamedAdapters: Bool { !renamed.isEmpty }

  /// The link type that the interface's packets are written in.
  package func link(of interface: Interface) -> UInt16 {
    guard interface.link == 201 else { return interface.link }
    let adapter = Adapter(capture: interface.capture, adapter: interface.adapter)
    return guessing.contains(adapter) ? 187 : 201
  }

  /// Whether the interface's times count nanoseconds.
  package func isNanosecond(_ interface: Interface) -> Bool { nanosecond.contains(interface) }

  /// How a packet is written; nil where it cannot be.
  func wrapping(
    of header: RecordHeader, capture: Int
  ) -> (number: Int, hci: RecordWrapping.HCI, adapter: Int)? {
    guard let link = RecordWrapping.link(of: header, hci: .withDirection) else { return nil }
    let interface = Interface(
      capture: capture, adapter: link == 254 ? 0 : header.adapter, link: link)
    guard let number = numbers[interface] else { return nil }
    let adapter = Adapter(capture: capture, adapter: header.adapter)
    return (
      number, guessing.contains(adapter) ? .plain : .withDirection,
      renamed[adapter] ?? header.adapter
    )
  }
}

/// Writes packets of one or several captures into one file, as they were captured.
package struct SharedCaptureWriter {
  /// What is said of an interface.
  package struct Label {
    package var name: String
    package var description: String
    package var comment: String

    /// Makes a label from its parts.
    package init(name: String, description: String, comment: String) {
      self.name = name
      self.description = description
      self.comment = comment
    }
  }

  private let plan: InterfacePlan
  private var pcapng: PcapngWriter?
  private var pcap: PcapWriter?
  private var btsnoop: BTSnoopWriter?
  private var isMonitor = false
  private var isNanosecond = false
  /// What the recorder of each capture had lost by the packet written last.
  private var drops: [Int: UInt32] = [:]
  /// The same, summed over the file.
  private var lost: UInt32 = 0

  /// Begins a file.
  ///
  /// - Throws: `UnwritablePackets` where the container cannot say what the packets need.
  package init(
    _ format: SharedFormat, plan: InterfacePlan, application: String, comment: String,
    label: (InterfacePlan.Interface) -> Label
  ) throws(UnwritablePackets) {
    self.plan = plan
    switch format {
    case .pcapng:
      var writer = PcapngWriter(application: application, comment: comment)
      for interface in plan.interfaces {
        let label = label(interface)
        writer.interface(
          linkType: plan.link(of: interface), isNanosecond: plan.isNanosecond(interface),
          name: label.name, description: label.description, comment: label.comment)
      }
      pcapng = writer
    case .pcap:
      let links = Set(plan.interfaces.map(plan.link))
      guard links.count <= 1, plan.interfaces.count <= 1 || links == [254] else {
        throw UnwritablePackets(
          description: "pcap holds one interface, and these packets are of "
            + "\(plan.interfaces.count): use -f pcapng")
      }
      isNanosecond = plan.interfaces.contains(where: plan.isNanosecond)
      pcap = PcapWriter(linkType: UInt32(links.first ?? 201), isNanosecond: isNanosecond)
    case .btsnoop:
      let links = Set(plan.interfaces.map(plan.link))
      if let other = links.first(where: { $0 != 254 && $0 != 201 }) {
        throw UnwritablePackets(
          description: other == 187
            ? "btsnoop tells each packet's direction, and this capture does not: use -f pcapng"
            : "btsnoop holds HCI packets, and these are from the air: use -f pcapng")
      }
      guard links.count <= 1, plan.interfaces.count <= 1 || links == [254] else {
        throw UnwritablePackets(
          description: "btsnoop of HCI packets holds one adapter, and these packets are of "
            + "\(plan.interfaces.count): use -f pcapng")
      }
      isMonitor = links == [254]
      btsnoop = BTSnoopWriter(datalink: isMonitor ? 2001 : 1002)
    }
  }

  /// Appends a packet, stamped with `time`.
  package mutating func append(
    _ record: StoredRecord, of capture: Int, time: Timestamp?, comment: String
  ) {
    let header = record.header
    guard let place = plan.wrapping(of: header, capture: capture) else { return }
    let time = time ?? Timestamp(nanoseconds: 0)
    let front = RecordWrapping.front(of: header, hci: place.hci, adapter: place.adapter)
    let before = drops[capture] ?? 0
    drops[capture] = header.drops
    // Behind a damaged place something is missing, and nobody knows how much.
    let more = header.drops > before ? header.drops - before : header.followsDamage ? 1 : 0
    lost &+= more
    let original = header.originalLength + front.count
    if pcapng != nil {
      pcapng?.append(
        front + record.payload, interface: place.number, time: time,
        direction: header.directionGuessed ? .unknown : header.direction,
        originalLength: original, comment: comment, dropped: UInt64(more))
    } else if pcap != nil {
      pcap?.append(front + record.payload, time: time, originalLength: original)
    } else if isMonitor {
      btsnoop?.append(
        record.payload,
        flags: UInt32(truncatingIfNeeded: place.adapter) << 16 | UInt32(header.monitorOpcode),
        time: time, originalLength: header.originalLength, drops: lost)
    } else {
      let isControl = header.content == .command || header.content == .event
      btsnoop?.append(
        Array(front.suffix(1)) + record.payload,
        flags: (header.direction == .received ? 1 : 0) | (isControl ? 2 : 0), time: time,
        originalLength: header.originalLength + 1, drops: lost)
    }
  }

  /// Takes what was written since the last call.
  package mutating func drain() -> [UInt8] {
    (pcapng?.drain() ?? []) + (pcap?.drain() ?? []) + (btsnoop?.drain() ?? [])
  }
}
