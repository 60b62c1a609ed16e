import BluetoothProtocols
import CommandLineOptions
import PeatDissection
import PeatProtocol
import PeatReplay
import PeatReports
import PeatTimeline
import SystemIO
import WireBytes

/// `peat-inspect state FILE...`: the mesh and each node at one moment.
struct StateCommand {
  private let configuration: InspectConfiguration
  private let session: CaptureSession

  /// Reads the keys; the captures are opened by `run()`.
  init(_ configuration: InspectConfiguration) throws {
    let raw = configuration.raw
    if raw.fleet.isMergeable {
      if raw.format != nil, raw.format != .ndjson {
        throw UsageError("--mergeable is NDJSON", advice: "use -f ndjson")
      }
      if raw.appliesDeltas {
        throw UsageError("--mergeable: deltas can clear, which no merge can take back")
      }
    }
    self.configuration = configuration
    session = try CaptureSession(configuration)
  }

  func run() throws -> ExitStatus {
    guard try session.open(appliesDeltas: configuration.raw.appliesDeltas) else {
      return try session.finishUnopened()
    }
    let target = try session.output()
    let moment = configuration.raw.at.flatMap { session.instant(of: $0) }
    // Of one capture, nothing behind the moment is read at all.
    if let moment, session.streams.count == 1 { session.streams[0].stop(after: moment) }
    var snapshot = Snapshot()
    let view = replay(until: moment, &snapshot)
    var text = OutputText(capacity: 1 << 16)
    let isVerbose = configuration.raw.verbosity > 0
    switch configuration.format {
    case _ where configuration.raw.fleet.isMergeable:
      if let time = view.time { snapshot.reach(time.nanoseconds) }
      if snapshot.isCut {
        session.diagnostics.warn(
          "more nodes, emergencies or acks than are kept: some are left out")
      }
      text.append(snapshot: snapshot)
    case .ndjson: text.append(records: view, all: isVerbose)
    case .csv: StateCSV.append(view, all: isVerbose, to: &text)
    case .text where configuration.raw.fileFormat == .markdown:
      StateTable(view, style: configuration.style).append(markdown: &text, all: isVerbose)
    case .text where configuration.raw.fileFormat?.positions != nil:
      append(positions: view, to: &text)
    case .text: StateTable(view, style: configuration.style).append(to: &text, all: isVerbose)
    }
    try target.sink.append(text.slice)
    return try session.finish(target)
  }

  /// Where each node was last.
  private func append(positions view: MeshView, to text: inout OutputText) {
    guard let form = configuration.raw.fileFormat?.positions else { return }
    var file = PositionFile(form)
    file.begin(to: &text)
    for (node, known) in view.state.nodes.sorted(by: { $0.key < $1.key }) {
      guard let told = known.peripheral, let location = told.location else { continue }
      file.append(
        PositionFile.Fix(
          node: node, callsign: told.callsign.text, location: location, time: known.lastHeard,
          battery: told.health.battery), to: &text)
    }
    file.end(to: &text)
  }

  /// Replays the captures up to a moment.
  private func replay(until moment: Int64?, _ snapshot: inout Snapshot) -> MeshView {
    var sightings = NodeSightings()
    var known = session.start
    while let row = session.next(until: moment) {
      sightings.note(row)
      guard configuration.raw.fleet.isMergeable, row.value.outcome == nil else { continue }
      known = row.value.time ?? known
      snapshot.join(row.message, at: known ?? Timestamp(nanoseconds: 0))
    }
    session.conclude(tellsSilence: moment == nil)
    var decoder = MessageDecoder(opener: session.keyring)
    let last = session.last
    let time =
      moment.map {
        Timestamp(nanoseconds: $0, isNanosecondPrecise: last?.isNanosecondPrecise ?? false)
      } ?? last
    var elapsed: Int64?
    if let start = session.start {
      elapsed = moment == nil ? session.elapsed : time.map { max(0, $0.nanoseconds(since: start)) }
    }
    return MeshView(
      time: time, elapsed: elapsed, state: session.state, sightings: sightings,
      advertisers: advertisers.map { AdvertiserReading($0, decoder: &decoder) })
  }

  /// Everybody who was heard in any capture, ascending by address.
  private var advertisers: [Advertiser] {
    var known: [UInt64: Advertiser] = [:]
    for stream in session.streams {
      for advertiser in stream.dissector.advertisers.all {
        let address = advertiser.address.value
        known[address] = known[address].map { $0.joined(with: advertiser) } ?? advertiser
      }
    }
    return known.values.sorted { $0.address.value < $1.address.value }
  }
}

extension Advertiser {
  /// One device as several captures heard it; the later report counts where they differ.
  fileprivate func joined(with other: Advertiser) -> Advertiser {
    let isLater = (other.lastHeard?.nanoseconds ?? .min) > (lastHeard?.nanoseconds ?? .min)
    var result = isLater ? other : self
    let older = isLater ? self : other
    result.isPeat = isPeat || other.isPeat
    result.name = result.name ?? older.name
    result.serviceData = result.serviceData ?? older.serviceData
    result.beacon = result.beacon ?? older.beacon
    result.lastRSSI = result.lastRSSI ?? older.lastRSSI
    result.minimumRSSI = [minimumRSSI, other.minimumRSSI].compactMap { $0 }.min()
    result.maximumRSSI = [maximumRSSI, other.maximumRSSI].compactMap { $0 }.max()
    result.reports = reports + other.reports
    return result
  }
}
