import BluetoothProtocols
package import PeatDissection
package import PeatProtocol
package import WireBytes

/// What became of one capture: the record that closes it (cli.md, "Many captures").
package struct CaptureRecord: Sendable {
  /// What a reading came to.
  package enum Outcome: String, Sendable {
    case whole, damaged, unreadable, crashed
    case timedOut = "timed-out"
  }

  /// Steps of the clock that are listed.
  private static let stepLimit = 64

  package var file: String
  package var sha256: String?
  package var bytes: UInt64?
  package var container: String?
  package var packets: Int?
  package var first: Timestamp?
  package var last: Timestamp?
  package var messages: Int?
  /// The mesh that its devices say they are of.
  package var mesh: String?
  /// The recording device: its address, and the node it is.
  package var address: String?
  package var node: NodeID?
  package var clockSteps: [ClockStep] = []
  package var outcome: Outcome
  package var offset: Int?
  package var reason: String?

  /// Makes the record of a capture of which nothing else is known.
  package init(file: String, outcome: Outcome) {
    self.file = file
    self.outcome = outcome
  }

  /// Appends the record and its line end.
  package func append(to text: inout OutputText) {
    text.append("{\"schema\":1,\"scope\":\"capture\"")
    text.field("file", file)
    text.field("sha256", sha256)
    text.field("bytes", bytes)
    text.field("container", container)
    text.field("packets", packets)
    text.field("first", first)
    text.field("last", last)
    text.field("messages", messages)
    text.field("mesh", mesh)
    if address != nil || node != nil {
      text.append(",\"recorder\":{")
      if let address {
        text.append("\"address\":")
        text.append(jsonString: address)
      }
      if let node {
        text.append(address == nil ? "\"node\":" : ",\"node\":")
        text.append(json: node)
      }
      text.append("}")
    }
    if outcome == .whole || outcome == .damaged {
      text.field("clock_steps", list: clockSteps.prefix(CaptureRecord.stepLimit)) { step, text in
        text.append("{\"frame\":")
        text.append(decimal: step.frame)
        text.append(",\"seconds\":")
        text.append(seconds: step.size, decimals: 6)
        text.append("}")
      }
    }
    text.append(",\"outcome\":")
    text.append(jsonString: outcome.rawValue)
    text.field("offset", offset)
    text.field("reason", reason)
    text.append("}\n")
  }
}
