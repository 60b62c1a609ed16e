import BluetoothProtocols
import CaptureFormats
import CaptureSharing
import CommandLineOptions
import PeatDissection
import PeatProtocol
import PeatReports
import PeatTimeline
import SystemIO
import WireBytes

/// `peat-inspect -f pcapng -o FILE`: the capture again, with only the packets that matter.
///
/// The captures are read three times: for their messages, for the packets that these need, and to
/// write those. What is remembered between is a bit a packet, and the comments on disk.
struct ShareCommand {
  private let configuration: InspectConfiguration
  private let session: CaptureSession
  private let format: SharedFormat
  private let spooled: SpooledInput?

  /// Reads the keys; the captures are opened by `run()`.
  init(_ configuration: InspectConfiguration, format: SharedFormat) throws {
    if configuration.raw.follows {
      throw UsageError("--follow prints lines; a capture is written once, at the end")
    }
    if configuration.output == nil && FileDescriptor.standardOutput.isTerminal {
      throw UsageError(
        "-f \(format.rawValue) is not for a terminal",
        advice: "give a file, such as '-o small.pcapng'")
    }
    var configuration = configuration
    if configuration.files.contains("-"), configuration.substitutes["-"] == nil {
      let input = try SpooledInput()
      configuration.substitutes["-"] = input.path
      spooled = input
    } else {
      spooled = nil
    }
    self.format = format
    self.configuration = configuration
    session = try CaptureSession(configuration)
  }

  func run() throws -> ExitStatus {
    guard try session.open(engine: FindingEngine(), givesRepeats: true) else {
      return session.status
    }
    let comments = try CommentStore()
    var wanted = try readMessages(comments)
    session.conclude()
    addAdvertisers(&wanted)
    var plan = InterfacePlan()
    let kept = try selectPackets(wanted.map(\.packets), &plan)
    plan.conclude()
    tell(plan)
    let target = try session.output()
    let written = try write(plan, kept, comments, to: target.sink)
    if !configuration.raw.isQuiet, configuration.raw.verbosity > 0 {
      session.diagnostics.say("\(counted(written, "packet")) written")
    }
    return try session.finish(target)
  }

  // MARK: - Messages

  /// What is known of one capture's wanted messages.
  private struct Wanted {
    var packets = WantedPackets()
    var nodes: Set<NodeID> = []
    var addresses: Set<DeviceAddress> = []
  }

  private func readMessages(_ comments: CommentStore) throws(Errno) -> [Wanted] {
    var places: [String: Int] = [:]
    for (place, stream) in session.streams.enumerated() { places[stream.file] = place }
    var wanted = session.streams.map { _ in Wanted() }
    let comment = PacketComment(
      opened: configuration.raw.share.includesOpened ? session.keyring : nil)
    while let row = session.next() {
      guard let place = places[row.file] else { continue }
      let isWanted = session.selects(row)
      wanted[place].packets.note(row, isWanted: isWanted)
      guard isWanted else { continue }
      if let node = row.message.node { wanted[place].nodes.insert(node) }
      let link = row.value.link
      for address in [link.local, link.peer, link.identity] {
        if let address { wanted[place].addresses.insert(address) }
      }
      if format == .pcapng {
        try comments.add(comment.text(of: row), to: row.value.frame, of: place)
      }
    }
    return wanted
  }

  /// The advertising of Peat nodes: of all, or where messages are selected, of theirs.
  private func addAdvertisers(_ wanted: inout [Wanted]) {
    let raw = configuration.raw
    let isSelecting =
      !raw.nodes.isEmpty || !raw.peers.isEmpty || !raw.kinds.isEmpty || !raw.events.isEmpty
      || raw.changedOnly || !raw.filters.isEmpty
    let window = session.window()
    var decoder = MessageDecoder(opener: session.keyring)
    for (place, stream) in session.streams.enumerated() {
      for advertiser in stream.dissector.advertisers.all where advertiser.isPeat {
        let node = AdvertiserReading(advertiser, decoder: &decoder).node
        guard
          !isSelecting || wanted[place].addresses.contains(advertiser.address)
            || node.map({ wanted[place].nodes.contains($0) }) == true
        else { continue }
        wanted[place].packets.advertisers.insert(advertiser.address)
      }
      let from = window.from ?? .min
      wanted[place].packets.span = from...max(from, window.to ?? .max)
    }
  }

  // MARK: - Packets

  private func selectPackets(
    _ wanted: [WantedPackets], _ plan: inout InterfacePlan
  ) throws -> [FrameSet?] {
    var kept: [FrameSet?] = []
    for (place, stream) in session.streams.enumerated() {
      guard let reopen = stream.reopen else {
        throw UsageError("\(stream.file): can be read only once", advice: "save it to a file first")
      }
      var reader = try reopen()
      var selection = PacketSelection(wanted[place])
      let keepsAll = configuration.raw.share.keepsAllPackets
      // What cannot be read on was told when the messages were read.
      while !keepsAll, let record = try? reader.next() {
        selection.take(record, at: stream.corrected(record.time))
      }
      let frames = keepsAll ? nil : selection.kept
      kept.append(frames)
      var again = try reopen()
      while let record = try? again.next() {
        if isWritten(record.header, frames, of: stream) { plan.note(record.header, of: place) }
      }
    }
    return kept
  }

  /// A packet that another capture has too is written from there.
  private func isWritten(_ header: RecordHeader, _ kept: FrameSet?, of stream: CaptureStream)
    -> Bool
  {
    if CaptureAnonymizer.isFiller(header) { return false }
    let frame = header.frame
    if let repeated = stream.dissector.repeated, repeated.contains(frame) { return false }
    return kept?.contains(frame) ?? true
  }

  private func tell(_ plan: InterfacePlan) {
    if plan.unwritable > 0 {
      session.diagnostics.warn(
        "\(counted(plan.unwritable, "packet")) of kinds that are not read here left out")
    }
    if plan.timeless > 0 {
      session.diagnostics.warn(
        "\(counted(plan.timeless, "packet")) without a time: stamped 1970-01-01")
    }
    if plan.hasRenamedAdapters {
      session.diagnostics.warn(
        "adapters of several captures had one number: those of later captures got others")
    }
  }

  private func write(
    _ plan: InterfacePlan, _ kept: [FrameSet?], _ comments: CommentStore, to sink: OutputSink
  ) throws -> Int {
    var writer: SharedCaptureWriter
    do throws(UnwritablePackets) {
      writer = try SharedCaptureWriter(
        format, plan: plan, application: "peat-inspect \(ToolDefinition.version)",
        comment: about, label: label)
    } catch {
      throw UsageError("\(error)")
    }
    var feeds: [RecordFeed] = []
    for stream in session.streams {
      if let reopen = stream.reopen { feeds.append(RecordFeed(try reopen())) }
    }
    var written = 0
    while let place = earliest(feeds) {
      guard let record = feeds[place].take() else { continue }
      let frame = record.header.frame
      guard isWritten(record.header, kept[place], of: session.streams[place]) else { continue }
      let time =
        configuration.raw.share.appliesClocks
        ? session.streams[place].corrected(record.header.time) : record.header.time
      writer.append(
        record, of: place, time: time, comment: try comments.comment(on: frame, of: place))
      written += 1
      try sink.append(writer.drain())
    }
    try sink.append(writer.drain())
    return written
  }

  /// The capture whose next record is the earliest by the common clock; each keeps its own order.
  private func earliest(_ feeds: [RecordFeed]) -> Int? {
    var best: (place: Int, time: Int64)?
    for (place, feed) in feeds.enumerated() {
      guard let record = feed.peek() else { continue }
      let time = session.streams[place].corrected(record.header.time)?.nanoseconds ?? .min
      if let best, best.time <= time { continue }
      best = (place, time)
    }
    return best?.place
  }

  // MARK: - What the file says of itself

  private var about: String {
    let names = session.streams.map(\.file.withoutFolder).joined(separator: ", ")
    var text = "peat-inspect: the packets of \(names) that carry Peat messages, and what these need"
    if configuration.raw.share.keepsAllPackets {
      text = "peat-inspect: the packets of \(names), with Peat messages decoded in comments"
    }
    if let made = configuration.raw.anonymize.made { text += "; \(made.note)" }
    return text.replacingUnsafeCharacters()
  }

  private func label(_ interface: InterfacePlan.Interface) -> SharedCaptureWriter.Label {
    let stream = session.streams[interface.capture]
    let name = stream.file.withoutFolder.replacingUnsafeCharacters()
    var description = "\(name), \(stream.dissector.summary.replacingUnsafeCharacters())"
    if interface.adapter != 0 { description += ", adapter \(interface.adapter)" }
    return SharedCaptureWriter.Label(
      name: interface.adapter == 0 ? name : "\(name):\(interface.adapter)",
      description: description, comment: clock(of: stream))
  }

  private func clock(of stream: CaptureStream) -> String {
    guard let clock = stream.clock else { return "" }
    let what =
      configuration.raw.share.appliesClocks
      ? "stamps are by the first capture's clock; its own was ahead by" : "clock ahead by"
    return "peat-inspect: \(what) \(clock.offset) ns at \(clock.origin) ns since 1970, "
      + "drift \(clock.drift * 1e6) ppm"
  }
}

extension String {
  /// The last part of a path.
  fileprivate var withoutFolder: String {
    lastIndex(of: "/").map { String(self[index(after: $0)...]) } ?? self
  }
}
