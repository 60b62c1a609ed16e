package import PeatTimeline
package import WireBytes

/// The clock of one capture as `align` tells it (cli.md, "Clocks").
package struct ClockRecord: Sendable {
  package var file: String
  /// The capture on whose clock it is put; nil where it shares nothing with any.
  package var reference: String?
  /// Captures of one number are on one clock.
  package var group: Int
  package var outcome: Alignment.Outcome
  package var clock: ClockCorrection?
  /// Of a clock that was put, the stretch that is aligned.
  package var stretch: Int?

  /// Makes a record from its parts.
  package init(
    file: String, reference: String?, group: Int, outcome: Alignment.Outcome,
    clock: ClockCorrection?, stretch: Int?
  ) {
    self.file = file
    self.reference = reference
    self.group = group
    self.outcome = outcome
    self.clock = clock
    self.stretch = stretch
  }

  private var name: String {
    switch outcome {
    case .reference: "reference"
    case .given: "given"
    case .estimated: "estimated"
    case .kept: "alone"
    }
  }

  private var offset: Int64? {
    switch outcome {
    case .reference: clock == nil ? 0 : nil
    case .given(let offset), .estimated(_, let offset): offset
    case .kept: nil
    }
  }

  private var fit: ClockFit? {
    if case .estimated(let fit, _) = outcome { fit } else { nil }
  }

  private var reason: String? {
    if case .kept(let reason) = outcome { reason } else { nil }
  }

  /// Appends the record and its line end.
  package func append(to text: inout OutputText) {
    text.append("{\"schema\":1,\"scope\":\"clock\"")
    text.field("file", file)
    text.field("group", group)
    text.field("reference", reference)
    text.field("outcome", name)
    seconds("offset", offset, &text)
    seconds("uncertainty", fit?.uncertainty, &text)
    if let fit, fit.driftUncertainty != nil {
      text.append(key: "drift_ppm")
      text.append(raw: "\(rounded(fit.correction.drift))")
    }
    if let deviation = fit?.driftUncertainty {
      text.append(key: "drift_uncertainty_ppm")
      text.append(raw: "\(rounded(deviation))")
    }
    if let fit {
      text.append(",\"messages\":{\"of_reference\":")
      text.append(decimal: fit.pairs.forward)
      text.append(",\"own\":")
      text.append(decimal: fit.pairs.backward)
      text.append("}")
      text.field("consistent", fit.isConsistent)
    }
    text.field("stretch", stretch)
    text.field("reason", reason)
    if name != "alone" {
      text.field("origin_ns", clock?.origin ?? 0)
      text.field("offset_ns", clock?.offset ?? 0)
      text.append(key: "drift")
      text.append(raw: "\(clock?.drift ?? 0)")
    }
    text.append("}\n")
  }

  /// Appends the header of the CSV.
  package static func appendHeader(to text: inout OutputText) {
    text.append(
      "file,group,reference,outcome,offset,uncertainty,drift_ppm,messages,consistent,reason\n")
  }

  /// Appends a row of the CSV.
  package func append(csv text: inout OutputText) {
    text.append(csvField: file)
    text.append(raw: ",\(group),")
    text.append(csvField: reference ?? "")
    text.append(raw: ",\(name),")
    if let offset { text.append(seconds: offset, decimals: 9) }
    text.append(",")
    if let uncertainty = fit?.uncertainty { text.append(seconds: uncertainty, decimals: 9) }
    text.append(",")
    if let fit, fit.driftUncertainty != nil {
      text.append(raw: "\(rounded(fit.correction.drift))")
    }
    text.append(",")
    if let fit { text.append(decimal: fit.pairs.forward + fit.pairs.backward) }
    text.append(",")
    if let fit { text.append(json: fit.isConsistent) }
    text.append(",")
    text.append(csvField: reason ?? "")
    text.append("\n")
  }

  /// The record as one line for a person.
  package var line: String {
    var line = OutputText(capacity: 128)
    line.append(raw: "\(file.replacingUnsafeCharacters()): ")
    switch outcome {
    case .reference: line.append("the clock of ")
    case .given, .estimated: break
    case .kept(let reason):
      line.append(raw: "on its own: \(reason)")
      return String(decoding: line.slice, as: UTF8.self)
    }
    line.append(raw: "group \(group)")
    if let offset, name != "reference" {
      line.append(offset < 0 ? ", " : ", +")
      line.append(seconds: offset, decimals: 6)
      line.append(" s")
    }
    if let uncertainty = fit?.uncertainty {
      line.append(" (+- ")
      line.append(seconds: uncertainty, decimals: 4)
      line.append(" s)")
    }
    if let fit, fit.driftUncertainty != nil {
      line.append(raw: ", drift \(rounded(fit.correction.drift)) ppm")
    }
    if let fit {
      line.append(raw: ", from \(fit.pairs.forward + fit.pairs.backward) messages")
      if !fit.isConsistent { line.append(", no steady clock explains them") }
    }
    return String(decoding: line.slice, as: UTF8.self)
  }

  /// Parts in a million with one decimal.
  private func rounded(_ part: Double) -> Double { (part * 1e7).rounded() / 10 }

  private func seconds(_ key: StaticString, _ value: Int64?, _ text: inout OutputText) {
    guard let value else { return }
    text.append(key: key)
    text.append(seconds: value, decimals: 9)
  }
}
