import PeatProtocol
package import PeatTimeline
package import WireBytes

/// Findings of a run as NDJSON and CSV: one object or row a finding, the gravest first.
extension OutputText {
  /// Appends one finding as a record and its line end.
  package mutating func append(finding item: FindingReport.Item) {
    append("{\"schema\":")
    append(decimal: OutputText.schemaVersion)
    append(entry: item.code)
    append(",\"file\":")
    append(jsonString: item.file)
    if let node = item.node {
      append(",\"node\":")
      append(json: node)
    }
    if let link = item.link {
      append(",\"link\":")
      append(decimal: link)
    }
    append(",\"count\":")
    append(decimal: item.count)
    append(",\"frames\":[")
    for (index, frame) in item.frames.enumerated() {
      if index > 0 { append(",") }
      append(decimal: frame)
    }
    append("]")
    if let time = item.firstTime {
      append(",\"first\":\"")
      append(utc: time)
      append("\"")
    }
    if let time = item.lastTime {
      append(",\"last\":\"")
      append(utc: time)
      append("\"")
    }
    if let elapsed = item.elapsed {
      append(",\"elapsed\":")
      append(seconds: elapsed, decimals: item.firstTime?.isNanosecondPrecise == true ? 9 : 6)
    }
    append(",\"message\":")
    append(jsonString: item.message)
    append(advice: item.code)
    append("}\n")
  }

  /// Appends one line of the table of findings as a record and its line end.
  package mutating func append(listed code: FindingCode) {
    append("{\"schema\":")
    append(decimal: OutputText.schemaVersion)
    append(entry: code)
    append(",\"text\":")
    append(jsonString: FindingTable.entry(of: code).text)
    append(advice: code)
    append("}\n")
  }

  private mutating func append(entry code: FindingCode) {
    append(",\"code\":\"")
    append(raw: code.rawValue)
    append("\",\"severity\":\"")
    append(raw: code.severity.rawValue)
    append("\"")
  }

  private mutating func append(advice code: FindingCode) {
    let entry = FindingTable.entry(of: code)
    append(",\"advice\":")
    append(jsonString: entry.advice)
    append(",\"rule\":")
    append(jsonString: entry.rule)
  }

  /// Appends the header row of the findings' CSV.
  package mutating func appendFindingCSVHeader() {
    append("severity,code,file,node,link,count,frames,first,last,elapsed,message,advice,rule\n")
  }

  /// Appends one finding as a row and its line end.
  package mutating func append(csvFinding item: FindingReport.Item) {
    let entry = FindingTable.entry(of: item.code)
    append(raw: "\(item.code.severity.rawValue),\(item.code.rawValue),")
    append(csvField: item.file)
    append(",")
    if let node = item.node { append(csvID: node) }
    append(",")
    append(raw: item.link.map { "\($0)" } ?? "")
    append(raw: ",\(item.count),")
    append(raw: item.frames.map { "\($0)" }.joined(separator: ";"))
    append(",")
    if let time = item.firstTime { append(utc: time) }
    append(",")
    if let time = item.lastTime { append(utc: time) }
    append(",")
    if let elapsed = item.elapsed {
      append(seconds: elapsed, decimals: item.firstTime?.isNanosecondPrecise == true ? 9 : 6)
    }
    for text in [item.message, entry.advice, entry.rule] {
      append(",")
      append(csvField: text)
    }
    append("\n")
  }

  /// Appends the table of findings as CSV with its header.
  package mutating func appendFindingTableCSV() {
    append("severity,code,text,advice,rule\n")
    for code in FindingCode.allCases {
      let entry = FindingTable.entry(of: code)
      append(raw: "\(code.severity.rawValue),\(code.rawValue)")
      for text in [entry.text, entry.advice, entry.rule] {
        append(",")
        append(csvField: text)
      }
      append("\n")
    }
  }
}
