import BluetoothProtocols
import CaptureFormats
import CaptureSharing
import CommandLineOptions
import PeatDissection
import PeatProtocol
import PeatSecurity
import PeatTimeline
import SystemIO
import WireBytes

/// The captures of a command line with pseudonyms, on disk: a command reads these in the place of
/// the user's, and no output of it can show what is not in them.
///
/// They are read as the command would read them, all together, since what one tells of handles
/// names the messages of another. What the options say of nodes and addresses is put into
/// pseudonyms as well.
struct AnonymizedCaptures {
  /// The options for the command.
  private(set) var options: RawOptions
  /// The captures' names; no name of the user's stays.
  private(set) var files: [String] = []
  /// What reading the captures meant for the status.
  private(set) var status = ExitStatus.done

  private let configuration: InspectConfiguration
  private let session: CaptureSession
  private let pseudonyms: Pseudonyms
  private let messages: MessageAnonymizer
  private let input: SpooledInput?
  private var made: [TemporaryFile] = []
  private var names: [String: String] = [:]

  /// Writes every capture anew.
  init(_ options: RawOptions, files: [String], environment: Environment) throws {
    try AnonymizedCaptures.check(options)
    var options = options
    var files = files
    if options.between.count == 1, let place = DiffCommand.place(ofNodeIn: files),
      let node = NodeID(files[place])
    {
      options.between.append(node)
      files.remove(at: place)
    }
    var reading = options
    reading.anonymize.isReading = true
    reading.isQuiet = true
    reading.verbosity = 0
    reading.progress = .never
    // What is left out of the answer is anonymised all the same.
    reading.meshID = nil
    reading.fileFormat = reading.fileFormat ?? .html
    var configuration = try InspectConfiguration(
      reading, files: files + options.against, environment: environment)
    configuration.dissection.joinsViewpoints = false
    // Nothing of other protocols is read: it is blanked.
    configuration.dissection.wanted = []
    input = files.contains("-") ? try SpooledInput() : nil
    if let input { configuration.substitutes["-"] = input.path }
    self.options = options
    self.configuration = configuration
    session = try CaptureSession(configuration)
    let key = try AnonymizedCaptures.key(options.anonymize.key)
    pseudonyms = Pseudonyms(key: key, movesTime: options.anonymize.movesTime)
    messages = MessageAnonymizer(
      pseudonyms,
      positions: options.anonymize.positions == .drop
        ? .dropping : PositionTransform(pseudonyms), keyring: session.keyring)
    try write()
    rename()
  }

  private static func check(_ options: RawOptions) throws(UsageError) {
    for (name, isGiven) in [
      ("each", options.fleet.isEach), ("follow", options.follows),
      ("bond-cache", options.bondCache != nil), ("clocks", options.fleet.clocks != nil),
      ("cdb", !options.databases.isEmpty), ("filter", !options.filters.isEmpty),
    ] where isGiven {
      throw UsageError("--anonymize does not go with --\(name)")
    }
    let moments = [("from", options.from), ("to", options.to), ("at", options.at)]
    for (name, moment) in moments where options.anonymize.movesTime {
      switch moment?.anchor {
      case .instant: break
      case .civil(let civil) where civil.year != nil: break
      default: continue
      }
      throw UsageError(
        "--anonymize-time moves the day, and --\(name) names one",
        advice: "give seconds from the first packet")
    }
  }

  // MARK: - The key

  /// Bytes of a key file.
  private static let keyLimit = 1 << 20

  /// The run's key: as given, from a file, or drawn.
  private static func key(_ text: String?) throws -> [UInt8] {
    guard let text else {
      var generator = SystemRandomNumberGenerator()
      return (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
    if text.utf8.count >= 32, let bytes = Hexadecimal.bytes(text) { return bytes }
    let bytes = try FileDescriptor.open(readOnly: text).readAll(limit: keyLimit)
    guard bytes.count >= 16 else {
      throw UsageError("--anonymize-key \(UsageError.quoted(text)): is shorter than 16 bytes")
    }
    return bytes
  }

  // MARK: - Writing

  private mutating func write() throws {
    for key in session.keyring.identityResolvingKeys {
      pseudonyms.learn(resolvingKey: key.key.copy())
    }
    let isOpen = try session.open(givesRepeats: true)
    defer { status = session.status }
    guard isOpen else { return }
    for stream in session.streams {
      try CaptureAnonymizer.learnKeys(of: AnonymizedCaptures.reopen(stream), pseudonyms)
    }
    let plans = try readMessages()
    session.conclude(tellsSilence: false)
    for (place, stream) in session.streams.enumerated() {
      let file = try TemporaryFile()
      let anonymizer = try CaptureAnonymizer(
        AnonymizedCaptures.reopen(stream), plans: plans[place], messages: messages,
        keepsForeign: options.anonymize.keepsForeign)
      try anonymizer.write(to: file, application: "peat-inspect \(ToolDefinition.version)")
      made.append(file)
      let name = "anonymised-\(place + 1)"
      options.anonymize.made = options.anonymize.made ?? MadeCaptures()
      options.anonymize.made?.paths[name] = try file.path()
      names[stream.file] = name
    }
  }

  private static func reopen(_ stream: CaptureStream) throws -> CaptureAnonymizer.Reopen {
    guard let reopen = stream.reopen else {
      throw UsageError("\(stream.file): can be read only once", advice: "save it to a file first")
    }
    return reopen
  }

  /// What stands for each message, by capture.
  private func readMessages() throws -> [ValuePlans] {
    var plans: [ValuePlans] = []
    var places: [String: Int] = [:]
    for (place, stream) in session.streams.enumerated() {
      places[stream.file] = place
      plans.append(try ValuePlans())
    }
    while let row = session.next() {
      guard let place = places[row.file] else { continue }
      let value = row.value
      let substitute = messages.value(
        value.payload,
        context: MessageContext(role: value.role, isReadAnswer: value.opcode.isRead),
        isWhole: value.payload.count == value.length && row.cutBy == nil)
      try plans[place].add(
        value.payload, as: substitute, handle: value.handle, frames: value.frames + [value.frame])
    }
    return plans
  }

  /// Says on stderr what the result can still tell, where the result does not say it itself.
  func tellNote() {
    if AnonymityNote(options).text.isEmpty { session.diagnostics.say(note) }
  }

  // MARK: - The options

  /// Puts what the options name into pseudonyms.
  private mutating func rename() {
    let streams = session.streams.map(\.file)
    options.against = options.against.map(name)
    files = streams.compactMap { names[$0] }.filter { !options.against.contains($0) }
    options.nodes = options.nodes.map(pseudonym)
    options.between = options.between.map(pseudonym)
    options.peers = options.peers.map { DeviceAddress($0).map(pseudonym) ?? $0 }
    options.handles = options.handles.map { text in
      guard let hint = HandleText.parse(text), let address = hint.address else { return text }
      return "\(pseudonym(address))=\(HandleText.text(hint.handle))"
    }
    options.offsets = options.offsets.map { offset in
      FileOffset(file: name(of: offset.file), nanoseconds: offset.nanoseconds)
    }
    options.keys = []
    options.mesh = nil
    options.meshID = options.meshID.map {
      String(decoding: pseudonyms.mesh(Array($0.utf8)), as: UTF8.self)
    }
    options.secret = nil
    options.fleet.inputName = nil
    options.allMembers = false
    options.words = ["--anonymize"]
    var made = options.anonymize.made
    made?.keyring = keyring
    made?.note = note
    options.anonymize.made = made
  }

  /// An archive goes by the name of its first member that was read.
  private func name(of given: String) -> String {
    names[given] ?? session.streams.first { $0.file.hasPrefix(given + "!") }
      .flatMap { names[$0.file] } ?? given
  }

  private func pseudonym(_ node: NodeID) -> NodeID {
    NodeID(rawValue: pseudonyms.node(node.rawValue))
  }

  private func pseudonym(_ address: DeviceAddress) -> String {
    DeviceAddress(value: pseudonyms.address(address.value)).description
  }

  /// What opens the anonymised frames, and resolves the anonymised addresses.
  private var keyring: Keyring {
    var keyring = messages.derived
    for key in session.keyring.identityResolvingKeys {
      keyring.add(
        .irk(
          IdentityResolvingKey(
            address: pseudonyms.address(key.address),
            key: SecretBytes(pseudonyms.resolvingKey(key.key.copy())))))
    }
    return keyring
  }

  /// What anonymised captures still tell.
  private var note: String {
    let choices = options.anonymize
    var parts = [
      "who talks with whom and how often", "lengths", "handles and services of devices",
      "signal strength", "what kind of node each is",
    ]
    parts.insert(
      choices.movesTime ? "the time of day" : "when it was (--anonymize-time moves the day)", at: 0)
    if choices.positions != .drop {
      parts.append(
        "the shape of ways, which one known road puts back on the map (--positions drop)")
    }
    if choices.keepsForeign { parts.append("values of other characteristics, kept as they were") }
    return "anonymised: names, addresses, ids, keys and texts are pseudonyms, Bluetooth Mesh and "
      + "firmware upgrades are blanked; what could still identify somebody: "
      + parts.joined(separator: ", ")
  }
}
