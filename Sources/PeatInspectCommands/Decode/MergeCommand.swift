import CommandLineOptions
import PeatProtocol
import PeatReports
import PeatSecurity
import SystemIO
import WireBytes

/// `peat-inspect merge HEX HEX...`: documents merged as a receiving node does.
///
/// The first document is the node's own state, each further one is a step. What encryption or a
/// relay envelope holds counts where a node would take it (protocol.md 2.9); what is no document
/// changes nothing, as at a node, which drops it.
struct MergeCommand {
  private let configuration: DecodeConfiguration
  private var decoder: MessageDecoder<Keyring>
  private var diagnostics: Diagnostics
  private var hex = HexInput()
  private var state: DocumentMerge?
  private var changed: [Bool] = []

  /// Reads the keys.
  init(_ configuration: DecodeConfiguration) throws {
    self.configuration = configuration
    if configuration.raw.fleet.isMergeable {
      throw UsageError("--mergeable goes with --states")
    }
    if configuration.isUpgrade { throw UsageError("--as smp: only documents can be merged") }
    try OutputGuard(configuration.raw, captures: configuration.inputs.isEmpty ? ["-"] : [])
      .check(configuration.output, option: "--output")
    let keys = try KeyLoading(configuration.raw)
    decoder = MessageDecoder(opener: keys.keyring)
    diagnostics = Diagnostics(isQuiet: configuration.raw.isQuiet, style: configuration.style)
    for warning in keys.warnings { diagnostics.warn(warning) }
  }

  mutating func run() throws(Errno) -> ExitStatus {
    if configuration.inputs.isEmpty {
      var lines = HexLines(.standardInput)
      while let line = try lines.next(whenIdle: { () throws(Errno) in }) {
        take(lines.text.extracting(line), name: "-: line \(lines.number)")
      }
    } else {
      for (index, input) in configuration.inputs.enumerated() {
        take(Array(input.utf8).rawBytes, name: "argument \(index + 1)")
      }
    }
    diagnostics.finish()
    guard let state = state?.document else {
      if diagnostics.status == .done { diagnostics.say("no document to merge") }
      return max(diagnostics.status, .damaged)
    }
    let target = try OutputTarget(
      path: configuration.output, configuration.isText ? .text : .ndjson, configuration.style)
    var text = OutputText(capacity: 4096)
    if configuration.isText {
      text.append(merged: state, changed: changed, style: configuration.style)
    } else {
      text.append(merged: state, changed: changed)
    }
    try target.sink.append(text.slice)
    try target.finish()
    return diagnostics.status
  }

  /// Merges one input; what is no document is reported.
  private mutating func take(_ text: RawSpan, name: String) {
    guard let document = document(text, name: name) else {
      if state != nil { changed.append(false) }
      return
    }
    if state == nil {
      state = DocumentMerge(document)
    } else {
      changed.append(state?.merge(document) ?? false)
    }
  }

  private mutating func document(_ text: RawSpan, name: String) -> Document? {
    do throws(FormatFault) {
      try hex.read(text)
    } catch {
      complain("\(name): \(error.reason) at character \(error.offset)")
      return nil
    }
    let message = decoder.decode(hex.bytes, as: configuration.kind)
    if let document = message.dispatchedDocument?.document { return document }
    if let reason = message.innermost.unopened {
      complain("\(name): kind \(message.kind.rawValue) is not opened: \(reason.rawValue)")
    } else if let fault = message.innermost.fault {
      complain("\(name): \(fault.reason), offset \(fault.offset)")
    } else {
      complain("\(name): kind \(message.kind.rawValue) is no plain document")
    }
    return nil
  }

  private mutating func complain(_ text: String) {
    diagnostics.raise(to: .damaged)
    diagnostics.report(text, code: "no-document")
  }
}
