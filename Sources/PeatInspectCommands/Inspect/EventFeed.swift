import BluetoothProtocols
import PeatDissection
import PeatProtocol
import PeatReplay
import PeatTimeline
import WireBytes

/// Which events of connections a timeline shows, and where they belong between its rows.
struct EventFeed {
  private enum Wish {
    case nothing
    /// Text shows by itself what an emergency that is not acknowledged by all may hang on.
    case whatMatters
    case everything
  }

  private let wish: Wish
  private let raw: RawOptions
  private var queue = EventQueue()
  private var ends = EndNodes()

  init(_ configuration: InspectConfiguration) {
    raw = configuration.raw
    wish = EventFeed.wish(configuration)
  }

  private static func wish(_ configuration: InspectConfiguration) -> Wish {
    let raw = configuration.raw
    if raw.showsEvents { return .everything }
    // Who asks for some messages gets those.
    let isSelecting =
      !raw.nodes.isEmpty || !raw.kinds.isEmpty || !raw.events.isEmpty || raw.changedOnly
      || !raw.filters.isEmpty
    guard configuration.format == .text, !isSelecting else { return .nothing }
    return raw.verbosity > 0 ? .everything : .whatMatters
  }

  /// What the dissector must tell for it.
  static func prepare(_ configuration: inout InspectConfiguration) {
    let wish = wish(configuration)
    configuration.dissection.tellsLinkEvents = wish != .nothing
    // Silences show only where nothing is passed over.
    configuration.dissection.countsHandles = wish == .everything
  }

  /// What is to be shown before a row, or behind the last one.
  mutating func due(before item: TimelineItem?, _ session: CaptureSession) -> [TimelineEvent] {
    guard wish != .nothing else { return [] }
    let streams = session.streams
    let start = session.start
    let state = session.state
    for (index, stream) in streams.enumerated() {
      let events = stream.takeLinkEvents().map { event in
        var event = event
        if let link = event.link {
          event.link?.id = session.assignLinkNumber(link.id, stream: index)
        }
        return TimelineEvent(
          file: stream.file, event: event,
          elapsed: start.flatMap { start in event.time.map { $0.nanoseconds(since: start) } })
      }
      queue.add(events, stream: index)
    }
    let row = item?.carried
    let place = row.flatMap { row in streams.firstIndex { $0.file == row.file } } ?? 0
    let due = queue.take(before: row, stream: place).compactMap { event -> TimelineEvent? in
      guard isWanted(event, state), session.windowContains(event.event.time) else { return nil }
      var event = event
      if let link = event.event.link {
        event.localNode = ends.node(link: link.id, isLocal: true, link.local)
        event.peerNode = ends.node(link: link.id, isLocal: false, link.identity ?? link.peer)
      }
      return event
    }
    if case .peat(let row)? = item { ends.note(row) }
    return due
  }

  private func isWanted(_ event: TimelineEvent, _ state: MeshState) -> Bool {
    if !raw.peers.isEmpty {
      let addresses = [event.event.link?.peer, event.event.link?.identity]
      guard addresses.contains(where: { $0.map { raw.peers.contains($0.description) } ?? false })
      else { return false }
    }
    if wish == .everything { return true }
    guard let emergency = state.emergency, !emergency.isAckedByAll else { return false }
    switch event.event.kind {
    case .connected, .disconnected, .lost, .silent, .clockStep: return true
    case .encrypted, .mtu, .parameters, .phy, .serviceChanged: return false
    }
  }
}
