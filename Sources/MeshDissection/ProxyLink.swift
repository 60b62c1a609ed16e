package import BluetoothMesh

/// A connection to a proxy: the messages in parts, and the proxy's filter as its client set it
/// (Mesh Protocol 1.1, 6.4 to 6.7).
package struct ProxyLink: Sendable {
  /// Addresses of a filter that are kept.
  private static let limit = 4096

  package private(set) var began: MeshPlace
  package private(set) var last: MeshPlace
  /// Which addresses pass, as far as the messages say.
  package private(set) var filter = ProxyConfiguration.Filter.accept
  package private(set) var addresses: Set<MeshAddress> = []
  /// The client's own addresses: those that it sent from.
  package private(set) var clients: Set<MeshAddress> = []
  /// The proxy's own address, once it answered.
  package internal(set) var proxy: MeshAddress?
  /// Which database its network is of.
  package internal(set) var database = 0
  package private(set) var sent = 0
  package private(set) var received = 0
  private var reassemblers: [MeshChannel: ProxyReassembler] = [:]
  private var frames: [MeshChannel: [Int]] = [:]

  init(_ place: MeshPlace) {
    began = place
    last = place
  }

  /// What a value brought, with every packet of the message.
  mutating func take(
    _ pdu: ProxyPDU, _ channel: MeshChannel, _ place: MeshPlace
  ) -> (step: ProxyReassembler.Step, frames: [Int]) {
    last = place
    var reassembler = reassemblers[channel] ?? ProxyReassembler()
    let step = reassembler.take(pdu, at: place.time)
    reassemblers[channel] = reassembler
    var all = frames[channel] ?? []
    if pdu.part == .whole || pdu.part == .first { all = [] }
    if all.count < 256 { all += place.frames }
    frames[channel] = step == .waiting ? all : nil
    return (step, all)
  }

  mutating func count(isFromClient: Bool) {
    if isFromClient { sent += 1 } else { received += 1 }
  }

  /// Whether the proxy lets messages to an address through to its client.
  package func passes(_ address: MeshAddress) -> Bool {
    addresses.contains(address) == (filter == .accept)
  }

  /// The client sent a message: its address passes from then on.
  mutating func noteClient(_ source: MeshAddress) {
    if clients.count < ProxyLink.limit { clients.insert(source) }
    switch filter {
    case .accept: if addresses.count < ProxyLink.limit { addresses.insert(source) }
    case .reject: addresses.remove(source)
    }
  }

  /// The client changed the filter, or the proxy told of it; gives what is wrong with it.
  mutating func configure(_ message: ProxyConfiguration) -> MeshFinding? {
    switch message {
    case .setFilter(let kind):
      filter = kind
      addresses = []
    case .add(let new):
      for address in new where addresses.count < ProxyLink.limit { addresses.insert(address) }
    case .remove(let old): for address in old { addresses.remove(address) }
    case .status(let kind, let size):
      defer { filter = kind }
      guard kind != filter || Int(size) != addresses.count else { return nil }
      return MeshFinding(
        .filterMismatch,
        "the proxy says \(ProxyLink.words(kind)) of \(size), and what was sent makes it "
          + "\(ProxyLink.words(filter)) of \(addresses.count)")
    case .other: break
    }
    return nil
  }

  package static func words(_ filter: ProxyConfiguration.Filter) -> String {
    filter == .accept ? "an accept list" : "a reject list"
  }
}
