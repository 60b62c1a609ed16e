/// What a pcapng file has said so far.
struct PcapngState: Sendable {
  /// Interfaces of the current section; a new section counts from 0 again.
  var interfaces: [PcapngInterface] = []
  /// Whether a section header was seen.
  var hasSection = false
  /// The first interface that is not read, for the message of a file that has no other.
  var refused: (offset: Int, reason: String)?
  /// Which adapter each packet is of.
  var adapters = AdapterNumbering()
  /// Packets that the recorder says it lost.
  var drops: UInt32 = 0
  /// What is said of lost packets, by interface of this section.
  private var losses: [UInt32: InterfaceLosses] = [:]
  /// Packets of interfaces that are not read, in order of appearance.
  private(set) var unread: [UnreadInterface] = []

  /// A new section: interfaces and their counts begin anew.
  mutating func beginSection() {
    hasSection = true
    interfaces = []
    losses = [:]
  }

  /// A packet of an interface says how many were lost right before it.
  mutating func addDrops(_ count: UInt64, interface: UInt32) {
    note(interface) { $0.byPackets = $0.byPackets.addingSaturated(count) }
  }

  /// The statistics of an interface say how many it lost in all.
  mutating func noteDrops(total: UInt64, interface: UInt32) {
    note(interface) { $0.byStatistics = max($0.byStatistics, total) }
  }

  /// Both ways of telling count the same packets: the larger number holds.
  private mutating func note(_ interface: UInt32, _ change: (inout InterfaceLosses) -> Void) {
    // Packets of interfaces that nothing describes are refused; so are their counts.
    guard Int(interface) < interfaces.count else { return }
    var counts = losses[interface] ?? InterfaceLosses()
    let before = counts.total
    change(&counts)
    losses[interface] = counts
    drops = UInt32(clamping: UInt64(drops).addingSaturated(counts.total - before))
  }

  /// Counts a packet of an interface whose link type is not read.
  mutating func passOver(_ number: Int?, _ link: LinkType) {
    if let index = unread.firstIndex(where: { $0.number == number && $0.link == link }) {
      unread[index].packets += 1
    } else if unread.count < PcapngState.mostUnread {
      unread.append(UnreadInterface(number: number, link: link, packets: 1))
    }
  }

  /// Interfaces of an unreadable kind that are named.
  private static let mostUnread = 64
}

/// Packets lost on one interface, by the two places that tell of them.
private struct InterfaceLosses: Sendable {
  /// The sum of what packets say (`epb_dropcount`, or the count in old packet blocks).
  var byPackets: UInt64 = 0
  /// The latest total of interface statistics.
  var byStatistics: UInt64 = 0

  var total: UInt64 { max(byPackets, byStatistics) }
}

/// An interface whose packets are passed over.
struct UnreadInterface: Sendable {
  /// Its number in its section; nil for what lies behind a header that says its link type.
  var number: Int?
  var link: LinkType
  var packets: Int

  /// A sentence for the user.
  var note: String {
    let place = number.map { " of interface \($0)" } ?? ""
    return "\(packets) packet\(packets == 1 ? "" : "s")\(place) passed over: \(link.refusal)"
  }
}

extension UInt64 {
  fileprivate func addingSaturated(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
