import CommandLineOptions
import PeatProtocol
import PeatTimeline
import SystemIO

/// Everything that the command line can say, before it is checked against anything else.
struct RawOptions: Sendable {
  enum Format: String, Sendable, CaseIterable { case text, csv, ndjson }
  /// Formats that are a file of their own and not lines of text.
  enum FileFormat: String, Sendable, CaseIterable {
    case sqlite, html, pcapng, pcap, btsnoop
    case markdown, geojson, kml, dot
  }
  enum Clock: Sendable { case local, utc, relative }
  enum ProgressChoice: String, Sendable, CaseIterable { case auto, always, never }

  /// A time as typed: where it counts from is known only with the capture.
  struct Moment: Sendable, Equatable {
    enum Anchor: Sendable, Equatable {
      /// Nanoseconds from the first packet.
      case start(Int64)
      /// Nanoseconds before the last packet.
      case end(Int64)
      /// Nanoseconds since 1970.
      case instant(Int64)
      /// A date and time, or a time on the first day, in the zone shown.
      case civil(CivilMoment)
    }

    var anchor: Anchor
    var text: String
  }

  /// The words of the command line behind the tool's name, for what says how it was made.
  var words: [String] = []
  var format: Format?
  var fileFormat: FileFormat?
  var decodesAs: DecodedKind?
  var monitor = MonitorOptions()
  var output: String?
  var at: Moment?
  var appliesDeltas = false
  var from: Moment?
  var to: Moment?
  var nodes: [NodeID] = []
  /// Callsigns that stand for nodes; `NodeNames` turns them into `nodes`.
  var nodeNames: [String] = []
  /// The Peat mesh whose messages alone are read.
  var meshID: String?
  var peers: [String] = []
  var kinds: [MessageKind] = []
  var events: [String] = []
  var changedOnly = false
  var filters: [String] = []
  var failOn: Severity?
  var listsFindings = false
  var onlyFindings: [FindingCode] = []
  var ignoredFindings: [FindingCode] = []
  var leastSeverity: Severity?
  var handles: [String] = []
  var characteristics: [String] = []
  var allCharacteristics = false
  var bondCache: String?
  var allMembers = false
  var follows = false
  var showsEvents = false
  var keys: [String] = []
  var databases: [String] = []
  var mesh: String?
  /// The mesh of the settings file, where the command line names none.
  var defaultMesh: String?
  var ignoresSettings = false
  var secret: String?
  var clock = Clock.local
  var color = Terminal.ColorChoice.auto
  var progress = ProgressChoice.auto
  var isStrict = false
  var alignsClocks = true
  var offsets: [FileOffset] = []
  var between: [NodeID] = []
  /// Nanoseconds.
  var statisticsInterval: Int64?
  var against: [String] = []
  /// What of two runs is compared, instead of their states.
  var comparedParts: Set<RunDifference.Part> = []
  var hasExitCode = false
  var isQuiet = false
  var verbosity = 0
  var node = NodeOptions()
  var share = ShareChoices()
  var anonymize = AnonymizeChoices()
  var fleet = FleetOptions()
}
