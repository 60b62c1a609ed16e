import MeshDissection

extension FindingCode {
  /// The code of a finding on a mesh, which has the same name.
  init(_ code: MeshFindingCode) {
    self =
      switch code {
      case .noKey: .meshNoKey
      case .noKeyOpens: .meshNoKeyOpens
      case .noAppKey: .meshNoAppKey
      case .noDeviceKey: .meshNoDeviceKey
      case .micDamaged: .meshMicDamaged
      case .wrongIV: .meshWrongIV
      case .replay: .meshReplay
      case .sequenceReset: .meshSequenceReset
      case .relayAltered: .meshRelayAltered
      case .ttlZero: .meshTtlZero
      case .segmentsUnacked: .meshSegmentsUnacked
      case .ackCancelled: .meshAckCancelled
      case .configUnanswered: .meshConfigUnanswered
      case .requestUnanswered: .meshRequestUnanswered
      case .configRefused: .meshConfigRefused
      case .filterDrops: .meshFilterDrops
      case .filterMismatch: .meshFilterMismatch
      case .sarOrder: .meshSarOrder
      case .sarTimeout: .meshSarTimeout
      case .beaconForged: .meshBeaconForged
      case .ivBackwards: .meshIvBackwards
      case .keysMixed: .meshKeysMixed
      case .notBound: .meshNotBound
      case .unknownOpcode: .meshUnknownOpcode
      case .badLength: .meshBadLength
      case .defaultKey: .meshDefaultKey
      case .provisioningFailed: .meshProvisioningFailed
      case .provisioningStopped: .meshProvisioningStopped
      case .malformed: .meshMalformed
      }
  }
}

extension FindingTable {
  /// What is to be said of the codes of a mesh; the rules are those of the Mesh Protocol 1.1.
  static func meshEntry(of code: FindingCode) -> Entry {
    switch code {
    case .meshNoKey:
      Entry(
        .note, "a network PDU bears the name of a key that is not given",
        "Give the mesh's database with --cdb, or one that has this network's keys.",
        "Mesh Protocol 1.1, 3.9.6.3")
    case .meshNoKeyOpens:
      Entry(
        .note, "a net key has the name of a PDU's key and does not open it",
        "Compare the key and the IV index; another network may bear the same name.",
        "Mesh Protocol 1.1, 3.9.6.3")
    case .meshNoAppKey:
      Entry(
        .note, "no application key opens a message",
        "Export the database anew, with the application keys and the labels of virtual addresses.",
        "Mesh Protocol 1.1, 3.6.2")
    case .meshNoDeviceKey:
      Entry(
        .note, "no device key opens a message",
        "Export the database anew, with device keys: partial exports leave them out.",
        "Mesh Protocol 1.1, 3.6.2")
    case .meshMicDamaged:
      Entry(
        .warning, "an application key bears the name and does not open the message",
        "Look for a second key of the same name, or for a node that damages messages.",
        "Mesh Protocol 1.1, 3.6.2")
    case .meshWrongIV:
      Entry(
        .error, "a node seals with an IV index that the network does not use",
        "Let the node hear a beacon, or provision it anew: others cannot open what it says.",
        "Mesh Protocol 1.1, 3.11.5")
    case .meshReplay:
      Entry(
        .warning,
        "a PDU was sent again when it is no copy any more, or with an IV index that is behind",
        "Look for a recorder that sends it again, or a node that lost its counter.",
        "Mesh Protocol 1.1, 3.9.8")
    case .meshSequenceReset:
      Entry(
        .error, "a node's sequence number fell: receivers ignore it",
        "Keep the sequence number over restarts, or remove the node and provision it anew.",
        "Mesh Protocol 1.1, 3.9.8")
    case .meshRelayAltered:
      Entry(
        .warning, "a relayed copy differs from the PDU that was sent",
        "Update the relay: copies that it changes open nowhere.",
        "Mesh Protocol 1.1, 3.4.6.3")
    case .meshTtlZero:
      Entry(
        .warning, "a PDU's TTL lets it reach the proxy alone",
        "Send with the default TTL to nodes behind the proxy.",
        "Mesh Protocol 1.1, 3.4.4.4")
    case .meshSegmentsUnacked:
      Entry(
        .warning, "a message in segments was never wholly acknowledged",
        "See whether the receiver is in reach, and which segments are missing.",
        "Mesh Protocol 1.1, 3.5.3.3")
    case .meshAckCancelled:
      Entry(
        .warning, "a receiver gave a message in segments up",
        "Send it later: the receiver was busy or out of room.",
        "Mesh Protocol 1.1, 3.5.3.4")
    case .meshConfigUnanswered:
      Entry(
        .error, "a configuration request was never answered",
        "See how far it got, and whether the node is in reach and has the same keys and IV index.",
        "Mesh Protocol 1.1, 4.4.1")
    case .meshRequestUnanswered:
      Entry(
        .warning, "an acknowledged request to one node was never answered",
        "See how far it got, and whether the node's model is bound to the key.",
        "Mesh Protocol 1.1, 3.7.5")
    case .meshConfigRefused:
      Entry(
        .warning, "a node refused a configuration",
        "Correct the request by the status that the message names.",
        "Mesh Protocol 1.1, 4.3.5")
    case .meshFilterDrops:
      Entry(
        .warning, "the proxy's filter keeps answers from its client",
        "Add the client's own address and its groups to the filter, or send once more.",
        "Mesh Protocol 1.1, 6.4")
    case .meshFilterMismatch:
      Entry(
        .note, "the proxy's filter is not what its client made it",
        "Set the filter anew after each connection.",
        "Mesh Protocol 1.1, 6.7")
    case .meshSarOrder:
      Entry(
        .warning, "parts of a proxy message came out of order",
        "Correct the sender's segmentation: a device ends the connection for it.",
        "Mesh Protocol 1.1, 6.3.2")
    case .meshSarTimeout:
      Entry(
        .warning, "the parts of a proxy message took too long",
        "Look at the connection: parts must come within 20 s.",
        "Mesh Protocol 1.1, 6.6")
    case .meshBeaconForged:
      Entry(
        .warning, "a beacon of a known network is not authentic",
        "Look for a sender with another key, or for damage.",
        "Mesh Protocol 1.1, 3.10.3")
    case .meshIvBackwards:
      Entry(
        .warning, "a beacon's IV index is lower than an earlier one's",
        "Look for a node that was away, or for a recorder that sends old beacons again.",
        "Mesh Protocol 1.1, 3.11.6")
    case .meshKeysMixed:
      Entry(
        .note, "the old net key is used though the new one is in force",
        "Wait until the refresh has reached the sender, or update its key.",
        "Mesh Protocol 1.1, 3.11.4")
    case .meshNotBound:
      Entry(
        .note, "a message's application key is bound to no model of its receiver",
        "Bind the model to the key, or export the database anew.",
        "Mesh Protocol 1.1, 3.7.3")
    case .meshUnknownOpcode:
      Entry(
        .note, "the opcode of a message is not known",
        "Nodes ignore it; a newer model may define it.",
        "Mesh Protocol 1.1, 3.7.3")
    case .meshBadLength:
      Entry(
        .warning, "a message's length is not its opcode's",
        "Correct the sender: nodes ignore it without a word.",
        "Mesh Protocol 1.1, 3.7.3")
    case .meshDefaultKey:
      Entry(
        .warning, "a key is one that everybody knows",
        "Make random keys; those of examples protect nothing.",
        "Mesh Protocol 1.1, 3.9.6")
    case .meshProvisioningFailed:
      Entry(
        .error, "provisioning failed",
        "Look at the reason and at the PDU before it.",
        "Mesh Protocol 1.1, 5.4.4")
    case .meshProvisioningStopped:
      Entry(
        .warning, "provisioning ended before it was complete",
        "Look at the last PDU: its receiver is gone, or refused without a word.",
        "Mesh Protocol 1.1, 5.4")
    case .meshMalformed:
      Entry(
        .note, "a value of a mesh makes no sense",
        "Look at its sender: every receiver ignores it.",
        "Mesh Protocol 1.1, 3.4")
    default: Entry(.note, "a finding", "Look at its message.", "docs/mesh.md")
    }
  }
}
