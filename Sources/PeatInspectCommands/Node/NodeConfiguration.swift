import BluetoothHost
import BluetoothProtocols
import CaptureFormats
import CommandLineOptions
import PeatNode
import PeatProtocol
import PeatReports
import PeatSecurity
import SystemIO

/// The options of `node`, checked against each other; nothing is opened yet.
struct NodeConfiguration {
  /// The mesh of the reference's demos (protocol.md 1.4).
  static let defaultMesh = "DEMO"

  var transport: TransportName
  var adapter: String
  var mesh: String
  var recording: RecordingOptions?
  var format: RawOptions.Format
  var style: TextStyle
  var raw: RawOptions

  init(_ raw: RawOptions, environment: Environment) throws(UsageError) {
    guard let transport = raw.node.transport else {
      throw UsageError("'node' needs --hci ADAPTER", advice: "such as --hci hci0")
    }
    self.transport = transport
    switch transport {
    case .controller(let index): adapter = "hci\(index)"
    case .tcp(let host, let port): adapter = "tcp:\(host):\(port)"
    case .serial(let path, _): adapter = "serial:\(path)"
    }
    mesh = raw.mesh ?? raw.defaultMesh ?? NodeConfiguration.defaultMesh
    // `PEAT_<mesh>-<node>` has to fit a scan response, and readers split it at the first dash
    // (protocol.md 1.3).
    guard (1...15).contains(mesh.utf8.count), !mesh.utf8.contains(0x2D) else {
      throw UsageError("--mesh takes 1 to 15 bytes without a dash")
    }
    if raw.node.isStrictlyEncrypted, raw.secret == nil, raw.keys.isEmpty {
      throw UsageError("--strict-encryption needs --keys FILE or --secret HEX")
    }
    if raw.node.wantsScreen { try NodeConfiguration.checkScreen(raw, environment) }
    var raw = raw
    // Where keys are loaded, a mesh without a secret is a mistake.
    raw.mesh = raw.secret == nil ? nil : mesh
    if let record = raw.node.record {
      guard let format = RecordingFormat(path: record) else {
        throw UsageError("--write takes a name that ends in .btsnoop or .pcapng")
      }
      recording = RecordingOptions(path: record, format: format)
    }
    let shared = try InspectConfiguration(raw, files: [], environment: environment)
    self.raw = raw
    format = shared.format
    style = shared.style
  }

  /// What `--screen` says where there is none.
  static let noScreen = UsageError("--screen needs a terminal that can show a full screen")

  private static func checkScreen(
    _ raw: RawOptions, _ environment: Environment
  ) throws(UsageError) {
    if raw.format != nil { throw UsageError("--screen prints no rows, so that it takes no -f") }
    guard FileDescriptor.standardOutput.isTerminal, environment.has("TERM"),
      environment["TERM"] != "dumb"
    else { throw noScreen }
  }

  /// What the live node is told.
  func live(_ state: NodeState) -> LiveConfiguration {
    var live = LiveConfiguration()
    live.role = raw.node.role
    live.randomAddress =
      switch raw.node.address {
      case .kept: state.address
      case .private, .public: nil
      }
    if raw.node.address == .private {
      live.privacy = AddressPrivacy(resolvingKey: SecureRandom.bytes(16))
    }
    live.pairing = raw.node.pairing
    live.servesLibrary = raw.node.servesLibrary
    live.isLegacyOnly = raw.node.isLegacyOnly
    live.scans = raw.node.scans
    live.advertises = raw.node.advertises
    if let seconds = raw.node.period { live.period = UInt64(seconds) * 1_000 }
    return live
  }

  /// What the model of the node is told.
  func meshConfiguration(_ state: NodeState, secret: SecretKey?) -> MeshConfiguration {
    var configuration = MeshConfiguration(
      node: state.node, meshID: mesh, callsign: Callsign(raw.node.callsign ?? "INSPECT"))
    configuration.encryptionSecret = secret
    configuration.isStrict = raw.node.isStrictlyEncrypted
    configuration.maximumPeers = 64
    return configuration
  }

  /// The name under which the node's state is kept: one node for each mesh and id, or adapter.
  var stateName: String {
    "node-" + (raw.node.id.map { "\($0)" } ?? adapter) + "-" + mesh
  }
}
