import CommandLineOptions
import LiveCapture
import PeatReports
import SystemIO
import WireBytes

/// `peat-inspect interfaces`: what can be captured from on this machine, and what each lacks.
struct InterfacesCommand {
  let format: RawOptions.Format
  let devices: [CaptureDevice]

  /// The output, and whether any device can be captured from.
  func text() -> OutputText {
    var text = OutputText(capacity: 512)
    switch format {
    case .text: appendTable(to: &text)
    case .ndjson: for device in devices { append(record: device, to: &text) }
    case .csv: appendCSV(to: &text)
    }
    return text
  }

  func run() throws(Errno) -> ExitStatus {
    let sink = OutputSink.standardOutput()
    try sink.append(text().bytes)
    try sink.flush()
    if devices.contains(where: \.isReady) { return .done }
    let diagnostics = OutputSink.standardError()
    if devices.isEmpty {
      try diagnostics.append("peat-inspect: \(CaptureDevice.unsupported)\n")
    } else {
      try diagnostics.append("peat-inspect: no interface can be captured from now\n")
    }
    return .missingDevice
  }

  private func appendTable(to text: inout OutputText) {
    let width = devices.map(\.name.count).max() ?? 0
    for device in devices {
      text.append(raw: device.name)
      text.append(raw: String(repeating: " ", count: width + 2 - device.name.count))
      text.append(raw: device.description)
      text.append(raw: device.isReady ? ": ready\n" : "\n")
      for lack in device.lacks {
        let indent = String(repeating: " ", count: width + 2)
        text.append(raw: "\(indent)\(lack.reason)\n")
        if let remedy = lack.remedy { text.append(raw: "\(indent)  \(remedy)\n") }
      }
    }
  }

  private func appendCSV(to text: inout OutputText) {
    text.append("name,description,ready,lacks,remedies\n")
    for device in devices {
      text.append(csvField: device.name)
      text.append(",")
      text.append(csvField: device.description)
      text.append(",")
      text.append(json: device.isReady)
      text.append(",")
      text.append(csvField: device.lacks.map(\.reason).joined(separator: ";"))
      text.append(",")
      text.append(csvField: device.lacks.compactMap(\.remedy).joined(separator: ";"))
      text.append("\n")
    }
  }

  private func append(record device: CaptureDevice, to text: inout OutputText) {
    text.append("{\"schema\":1,\"name\":")
    text.append(jsonString: device.name)
    text.append(",\"description\":")
    text.append(jsonString: device.description)
    text.append(",\"ready\":")
    text.append(json: device.isReady)
    text.append(",\"lacks\":[")
    for (index, lack) in device.lacks.enumerated() {
      if index > 0 { text.append(",") }
      text.append("{\"reason\":")
      text.append(jsonString: lack.reason)
      if let remedy = lack.remedy {
        text.append(",\"remedy\":")
        text.append(jsonString: remedy)
      }
      text.append("}")
    }
    text.append("]}\n")
  }
}

extension ToolDefinition {
  static let interfaces = Command<RawOptions>(
    name: "interfaces",
    summary: "what can be captured from, and what it lacks",
    discussion: """
      Lists libpcap's Bluetooth devices: bluetooth-monitor (everything, as btmon sees it) and \
      bluetoothN (one adapter). Below each stands what it lacks (permission, power) with the \
      command to type. Where none can be captured from the status is 5.
      """,
    options: [FormatOption.option([], csv: "one row a device", discussion: "")],
    examples: [
      Example("peat-inspect interfaces", "What there is, and the commands that are missing.")
    ],
    seeAlso: ["monitor"])
}
