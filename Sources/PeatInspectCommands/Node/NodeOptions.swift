import BluetoothHost
import CommandLineOptions
import PeatNode
import PeatProtocol

/// What only `node` takes.
struct NodeOptions: Sendable {
  /// Which address others see.
  enum AddressChoice: Sendable {
    /// A static random one, kept with the node's state.
    case kept
    /// Resolvable private ones, each used for a quarter of an hour.
    case `private`
    /// The controller's own.
    case `public`
  }

  var transport: TransportName?
  var id: NodeID?
  var callsign: String?
  var role = NodeRole.participate
  var record: String?
  /// Nanoseconds.
  var duration: UInt64?
  var period: Int?
  var servesLibrary = true
  var isStrictlyEncrypted = false
  var address = AddressChoice.kept
  var pairing = PairingPolicy.none
  var isLegacyOnly = false
  var scans = true
  var advertises = true
  var wantsScreen = false
}

extension OptionCategory {
  static let node = OptionCategory("Node")
  static let radio = OptionCategory("Radio")
}

extension NodeOptions {
  private static let node: [Option<RawOptions>] = [
    Option(
      long: "node-id", value: "ID", category: .node, summary: "this node's id",
      discussion: """
        Without it an id is drawn at the first start and kept, with the node's counter, version, \
        address, position and battery, in $XDG_STATE_HOME/peat-inspect.
        """,
      apply: .parsed(
        \.node.id, by: { (text) throws(InvalidValue) in try SharedOptions.node(text) })),
    Option(
      long: "callsign", value: "NAME", category: .node,
      summary: "what others call this node, at most 12 bytes",
      apply: .parsed(
        \.node.callsign,
        by: { (text) throws(InvalidValue) in
          guard text.utf8.count <= Callsign.encodedSize else {
            throw InvalidValue("expected at most \(Callsign.encodedSize) bytes of UTF-8")
          }
          return text
        })),
    Option(
      long: "mesh", value: "ID", defaultValue: "DEMO", category: .node,
      summary: "the mesh to take part in", isCommon: true, apply: .text(\.mesh)),
    Option(
      long: "keys", value: "FILE", completion: .file, category: .node,
      summary: "secrets; a \"mesh ID secret HEX\" line of the mesh makes the node encrypt",
      isCommon: true, apply: .append(\.keys)),
    Option(
      long: "secret", value: "HEX", category: .node,
      summary: "the mesh's secret; a keys file keeps it out of the process list",
      apply: .text(\.secret)),
    Option(
      long: "strict-encryption", category: .node,
      summary: "with a secret, refuse messages in clear",
      apply: .set(\.node.isStrictlyEncrypted)),
    Option(
      long: "observe", category: .node,
      summary: "send nothing by itself and count nothing; serve what was heard",
      isCommon: true, apply: .set(\.node.role, to: .observe)),
    Option(
      long: "participate", category: .node, summary: "be a node like any other (default)",
      apply: .set(\.node.role, to: .participate)),
    Option(
      long: "relay", category: .node, summary: "also pass relayed messages on",
      apply: .set(\.node.role, to: .relay)),
    Option(
      long: "period", value: "SECONDS", defaultValue: "3", category: .node,
      summary: "time between two sends of the document on a link",
      apply: .integer(\.node.period, in: 1...3600)),
    Option(
      long: "compat", category: .node,
      summary: "serve the Linux nodes' service too (default)",
      discussion: """
        Linux nodes look for a service of their own, in which they read documents from one \
        characteristic and write them to another, and understand no other.
        """,
      apply: .toggle(\.node.servesLibrary)),
    Option(
      long: "screen", category: .node,
      summary: "show nodes and messages on the full screen, as monitor does",
      discussion: """
        The keys are those of monitor; ? lists them. A colon begins a line in which orders are \
        typed.
        """,
      isCommon: true,
      apply: .set(\.node.wantsScreen)),
  ]

  private static let radio: [Option<RawOptions>] = [
    Option(
      long: "hci", value: "ADAPTER", category: .radio,
      summary: "the controller: hci0, tcp:HOST:PORT, or serial:PATH[,BAUD]",
      discussion: """
        hciN is a controller of this machine, which must be down and not in use by bluetoothd, and \
        takes CAP_NET_ADMIN. tcp: and serial: speak HCI in H4 framing, with virtual controllers, \
        other machines, or boards with Zephyr's hci_uart.
        """,
      isCommon: true,
      apply: .parsed(
        \.node.transport,
        by: { (text) throws(InvalidValue) in
          guard let name = TransportName(text) else {
            throw InvalidValue(
              "expected hci0, tcp:HOST:PORT, or serial:PATH[,BAUD], such as "
                + "serial:/dev/ttyACM0,115200")
          }
          return name
        })),
    Option(
      long: "write", short: "w", value: "FILE", completion: .file, category: .radio,
      summary: "record all HCI packets, as .btsnoop or .pcapng", isCommon: true,
      apply: .text(\.node.record)),
    Option(
      long: "duration", value: "TIME", category: .radio,
      summary: "end after so long, such as 60, 90s, 10m or 12h",
      apply: .parsed(
        \.node.duration,
        by: { (text) throws(InvalidValue) in try DurationText.parse(text) })),
    Option(
      long: "public-address", category: .radio,
      summary: "use the controller's public address, not a static random one",
      apply: .set(\.node.address, to: .public)),
    Option(
      long: "private-address", category: .radio,
      summary: "use private addresses that change every 15 minutes",
      discussion: """
        Resolvable private addresses of a key that is drawn at each start and told to nobody. \
        Advertising and scanning rest for a moment while the address changes; links stay.
        """,
      apply: .set(\.node.address, to: .private)),
    Option(
      long: "pairing", value: "HOW",
      choices: [
        Choice("none", "refuse it as not supported"),
        Choice("just-works", "pair without asking anybody"),
      ],
      defaultValue: "none", category: .radio, summary: "what to do where a peer wants to pair",
      discussion: """
        none refuses pairing as not supported: no reference node asks for it, and the mesh has \
        encryption of its own. just-works pairs without asking anybody (LE legacy pairing, no \
        bonding, no protection against someone in between), for peers that insist; the node \
        asks for it itself only where a peer refuses an unencrypted link.
        """,
      apply: .choice(\.node.pairing)),
    Option(
      long: "legacy", category: .radio,
      summary: "use legacy advertising and scanning commands on every controller",
      apply: .set(\.node.isLegacyOnly)),
    Option(
      long: "scan", category: .radio, summary: "look for others and connect to them (default)",
      apply: .toggle(\.node.scans)),
    Option(
      long: "advertise", category: .radio, summary: "let others find this node (default)",
      apply: .toggle(\.node.advertises)),
  ]

  /// Options of the reading commands that make sense for a node.
  private static let shared: [Option<RawOptions>] =
    SharedOptions.output.filter { $0.long != "output" }
    + SharedOptions.diagnostics.filter { $0.long != "progress" }

  static let all = radio + node + shared
}

extension ToolDefinition {
  static let node = Command<RawOptions>(
    name: "node",
    summary: "take part in a mesh as a node",
    discussion: """
      Brings a Bluetooth controller up, advertises, looks for nodes of the mesh, connects, \
      exchanges and merges documents, and prints each message that it sends or receives as inspect \
      would print it from the recording.

      On a terminal orders are typed at a prompt, with a history (up and down) and completion \
      (Tab); Ctrl-D ends the node. Else they are read from standard input, one a line. They are: \
      \(NodeOrder.synopsis). The end of such input does not end the node: quit or --duration does.

      A controller that goes (unplugged, switched off, its connection closed) is waited for: the node \
      goes on with what it knew when it is back. One that is not there at the start ends it with \
      status 5. A controller has room for so many links; where more peers want one, they take turns.

      The node's id is drawn at the first start with a controller and a mesh, and kept for them; \
      --node-id gives one that is the same with every controller.

      SIGINT and SIGTERM end the node with status 0. Pairing is refused as not supported \
      (see --pairing), and relaying is off unless asked for.
      """,
    options: NodeOptions.all,
    examples: [
      Example(
        "peat-inspect node --hci hci0 --mesh DEMO",
        "A node of the mesh DEMO on this machine's first controller."),
      Example(
        "peat-inspect node --hci tcp:127.0.0.1:9500 --observe -w session.btsnoop",
        "Watches a mesh through a virtual controller, and records the session."),
    ],
    seeAlso: ["inspect"])
}
