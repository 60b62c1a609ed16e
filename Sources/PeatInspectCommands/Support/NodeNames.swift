import CommandLineOptions
import PeatProtocol
import PeatTimeline
import SystemIO

/// Callsigns on the command line: which nodes they are, by a reading of the captures beforehand.
///
/// A name that a node takes later holds from its first message on, so that all is read first.
struct NodeNames {
  /// Names told apart.
  private static let limit = 16_384
  /// Names that an error tells.
  private static let shown = 8

  private var nodes: [String: Set<NodeID>] = [:]
  private var spellings: [String: String] = [:]

  /// The options with every callsign of `--node` turned into the node's id.
  ///
  /// - Parameter canRead: false where the files are no captures that can be read beforehand.
  /// - Throws: `UsageError` where no node bears a name, or several do.
  static func resolved(
    _ options: RawOptions, files: [String], canRead: Bool = true, environment: Environment
  ) throws -> RawOptions {
    guard !options.nodeNames.isEmpty else { return options }
    guard canRead, !files.contains("-"), !options.follows else {
      throw UsageError(
        "--node: \(UsageError.quoted(options.nodeNames[0])) is no node id",
        advice: "callsigns need a capture that can be read twice: give the id, as 207F0E2E")
    }
    var options = options
    let names = try NodeNames(options, files: files, environment: environment)
    options.nodes += try options.nodeNames.map { try names.node($0) }
    options.nodeNames = []
    return options
  }

  private init(_ options: RawOptions, files: [String], environment: Environment) throws {
    var reading = RawOptions()
    reading.handles = options.handles
    reading.characteristics = options.characteristics
    reading.allCharacteristics = options.allCharacteristics
    reading.allMembers = options.allMembers
    reading.keys = options.keys
    reading.mesh = options.mesh
    reading.secret = options.secret
    reading.isQuiet = true
    reading.progress = .never
    let session = try CaptureSession(
      InspectConfiguration(reading, files: files + options.against, environment: environment))
    guard try session.open() else { return }
    while let row = session.next() {
      guard let document = row.document?.document,
        let name = document.peripheral?.callsign.text, !name.isEmpty
      else { continue }
      let key = name.lowercased()
      guard nodes[key] != nil || nodes.count < NodeNames.limit else { continue }
      nodes[key, default: []].insert(document.node)
      spellings[key] = name
    }
  }

  private func node(_ name: String) throws(UsageError) -> NodeID {
    let found = (nodes[name.lowercased()] ?? []).sorted()
    if found.count == 1 { return found[0] }
    let title = "--node: \(UsageError.quoted(name))"
    if found.count > 1 {
      let ids = found.prefix(NodeNames.shown).map(\.description).joined(separator: ", ")
      throw UsageError(
        "\(title) is the callsign of \(found.count) nodes", advice: "give one of \(ids)")
    }
    let known = spellings.values.sorted()
    guard !known.isEmpty else {
      throw UsageError("\(title) is no node id, and no node in the captures has a callsign")
    }
    let more = known.count > NodeNames.shown ? " and \(known.count - NodeNames.shown) more" : ""
    let names = known.prefix(NodeNames.shown).map { UsageError.quoted($0) }.joined(separator: ", ")
    throw UsageError(
      "\(title) is no node id and no callsign in the captures", advice: "there are \(names)\(more)")
  }
}
