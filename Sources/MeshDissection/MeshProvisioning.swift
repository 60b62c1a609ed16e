import BluetoothMesh
import MeshSecurity
import PeatSecurity
import WireBytes

/// How one device was provisioned.
package struct ProvisioningStory: Sendable {
  /// How it ended.
  package enum Outcome: Sendable, Equatable {
    case complete
    case failed(String)
    case closed(String)
    case open
  }

  package var began: MeshPlace
  package var last: MeshPlace
  package var bearer: String
  /// The device's UUID, where the link tells it.
  package var uuid: [UInt8]?
  /// The name of the last PDU.
  package var lastPDU: String?
  package var algorithm: String?
  package var method: String?
  package var outcome = Outcome.open
  /// The address that the device was given, where its data were opened.
  package var address: String?
}

/// The provisioning PDUs of one link, and what is known of its keys.
struct ProvisioningLink: Sendable {
  var story: ProvisioningStory
  var transactions = ProvisioningTransactions()
  var isAcknowledged = false
  private var inputs: [UInt8] = []
  private var elements = 1
  private var algorithm: UInt8 = 0
  private var provisionerKey: [UInt8]?
  private var deviceKey: [UInt8]?
  private var provisionerRandom: [UInt8]?
  private var deviceRandom: [UInt8]?
  private var isRefused = false

  init(_ place: MeshPlace, bearer: String) {
    story = ProvisioningStory(began: place, last: place, bearer: bearer)
  }

  /// What a provisioning PDU is, and what it does here.
  struct Step {
    var name: String
    var opcode: String
    var parameters: String
    var fields: [MeshField] = []
    var findings: [MeshFinding] = []
    /// What was in the data, where they were opened.
    var opened: Opened?
  }

  /// Data that were opened.
  struct Opened {
    var netKey: MeshKey
    var data: ProvisioningData
    var deviceKey: MeshKey
    var elements: Int
  }

  /// Takes the next PDU.
  mutating func take(
    _ bytes: [UInt8], _ place: MeshPlace, isFromProvisioner: Bool, privateKeys: [SecretBytes]
  ) throws(DecodeError) -> Step {
    var reader = ByteReader(bytes.rawBytes, layer: .mesh)
    let pdu = try ProvisioningPDU(&reader)
    story.last = place
    previous = story.lastPDU
    var step = Step(
      name: ProvisioningWords.name(of: bytes[0]),
      opcode: Hexadecimal.string([bytes[0]]), parameters: Hexadecimal.string(bytes.dropFirst()))
    story.lastPDU = step.name
    switch pdu {
    case .invite(let seconds):
      self = ProvisioningLink(again: self)
      inputs = Array(bytes.dropFirst())
      step.fields = [MeshField("attention_seconds", seconds)]
    case .capabilities(let can):
      inputs += bytes.dropFirst()
      elements = Int(can.elements)
      step.fields = [
        MeshField("elements", can.elements),
        MeshField("algorithms", ProvisioningWords.algorithms(can.algorithms)),
        MeshField("public_key_oob", .flag(can.publicKeyTypes & 1 == 1)),
        MeshField("static_oob", .flag(can.outOfBandTypes & 1 == 1)),
        MeshField("output_size", can.outputSize), MeshField("input_size", can.inputSize),
      ]
    case .start(let start):
      inputs += bytes.dropFirst()
      algorithm = start.algorithm
      story.algorithm = ProvisioningWords.algorithm(start.algorithm)
      story.method = ProvisioningWords.method(start.method)
      step.fields = [
        MeshField("algorithm", ProvisioningWords.algorithm(start.algorithm)),
        MeshField("public_key_oob", .flag(start.publicKey == 1)),
        MeshField("authentication", ProvisioningWords.method(start.method)),
      ]
    case .publicKey(let point):
      if isFromProvisioner { provisionerKey = point } else { deviceKey = point }
      step.fields = [MeshField("of", isFromProvisioner ? "provisioner" : "device")]
      if provisionerKey != nil, provisionerKey == deviceKey {
        step.findings.append(
          MeshFinding(
            .provisioningFailed, "both ends sent the same public key: one of them only reflects"))
      }
    case .inputComplete, .complete: break
    case .confirmation:
      step.fields = [MeshField("of", isFromProvisioner ? "provisioner" : "device")]
    case .random(let bytes):
      if isFromProvisioner { provisionerRandom = bytes } else { deviceRandom = bytes }
      step.fields = [MeshField("of", isFromProvisioner ? "provisioner" : "device")]
    case .data(let sealed):
      step.opened = open(sealed, privateKeys)
      if let opened = step.opened {
        story.address = "\(opened.data.address)"
        step.fields = [
          MeshField("net_key_index", opened.data.keyIndex),
          MeshField("key_refresh", .flag(opened.data.state.isRefreshingKeys)),
          MeshField("iv_update", .flag(opened.data.state.isUpdatingIV)),
          MeshField("iv_index", opened.data.state.ivIndex),
          MeshField("address", "\(opened.data.address)"),
        ]
      }
    case .failed(let reason):
      let words = ProvisioningPDU.words(reason: reason) ?? "reason \(reason)"
      step.fields = [MeshField("reason", words)]
      if !isRefused { fail(words, &step) }
    case .record(let type, _): step.fields = [MeshField("record_pdu", type)]
    }
    if pdu == .complete { story.outcome = .complete }
    return step
  }

  private mutating func fail(_ words: String, _ step: inout Step) {
    isRefused = true
    let after = previous ?? "the beginning"
    story.outcome = .failed("\(words), after \(after)")
    step.findings.append(
      MeshFinding(
        .provisioningFailed,
        "the device ended provisioning after \(after): \(words)" + advice(words)))
  }

  private func advice(_ words: String) -> String {
    switch words {
    case "confirmation failed": "; the out-of-band data of the two ends differ"
    case "cannot assign addresses": "; it has more elements than addresses were left"
    default: ""
    }
  }

  /// The PDU before the one at hand.
  private var previous: String?

  /// A provisioning that begins anew on the same link.
  private init(again link: ProvisioningLink) {
    story = link.story
    transactions = link.transactions
    isAcknowledged = link.isAcknowledged
  }

  private func open(_ sealed: [UInt8], _ privateKeys: [SecretBytes]) -> Opened? {
    guard let provisionerKey, let provisionerRandom, let deviceRandom, inputs.count == 17
    else { return nil }
    for key in privateKeys {
      let bytes = key.copy()
      guard let own = ProvisioningSession.publicKey(of: bytes) else { continue }
      // A device whose key came out of band does not send it.
      let deviceKey = self.deviceKey ?? own
      let peer =
        own == provisionerKey ? deviceKey : own == deviceKey ? provisionerKey : nil
      guard let peer, let secret = ProvisioningSession.secret(bytes, peer: peer) else { continue }
      let session = ProvisioningSession(
        secret: secret, algorithm: algorithm, inputs: inputs + provisionerKey + deviceKey)
      guard
        let keys = try? session.keys(provisioner: provisionerRandom, device: deviceRandom),
        let (netKey, data) = keys.open(sealed)
      else { continue }
      return Opened(netKey: netKey, data: data, deviceKey: keys.device, elements: elements)
    }
    return nil
  }
}

/// Words of provisioning.
enum ProvisioningWords {
  static func name(of type: UInt8) -> String {
    let names = [
      "Invite", "Capabilities", "Start", "PublicKey", "InputComplete", "Confirmation", "Random",
      "Data", "Complete", "Failed", "RecordRequest", "RecordResponse", "RecordsGet", "RecordsList",
    ]
    return Int(type) < names.count ? names[Int(type)] : "type \(type)"
  }

  static func algorithm(_ number: UInt8) -> String {
    switch number {
    case 0: "CMAC"
    case 1: "HMAC-SHA256"
    default: "\(number)"
    }
  }

  static func algorithms(_ bits: UInt16) -> String {
    let names = ["CMAC", "HMAC-SHA256"].enumerated()
      .filter { bits >> UInt16($0.offset) & 1 == 1 }.map(\.element)
    return names.isEmpty ? "none" : names.joined(separator: ", ")
  }

  static func method(_ number: UInt8) -> String {
    switch number {
    case 0: "none"
    case 1: "static"
    case 2: "output"
    case 3: "input"
    default: "\(number)"
    }
  }

  /// Why a link was closed (5.3.1.4.3).
  static func close(_ reason: UInt8) -> String {
    switch reason {
    case 0: "success"
    case 1: "timeout"
    case 2: "failure"
    default: "reason \(reason)"
    }
  }
}
