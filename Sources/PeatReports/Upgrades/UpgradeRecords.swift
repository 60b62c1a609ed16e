package import FirmwareUpgrades
import PeatTimeline
import SMPProtocol
package import WireBytes

/// Upgrades as NDJSON and CSV (docs/upgrades.md): times are UTC.
package struct UpgradeRecords {
  private let hasSeveralFiles: Bool

  package init(hasSeveralFiles: Bool) { self.hasSeveralFiles = hasSeveralFiles }

  /// Appends one upgrade as a record and its line end.
  package func append(_ session: UpgradeSession, to text: inout OutputText) {
    text.append("{\"schema\":")
    text.append(decimal: OutputText.schemaVersion)
    text.append(",\"scope\":\"upgrade\"")
    text.field("device", session.device)
    text.field("from", session.first.time)
    text.field("until", session.last.time)
    text.field("file", hasSeveralFiles ? session.first.file : nil)
    text.field("mode", session.mode?.rawValue)
    text.field("outcome", session.outcome.rawValue)
    if let isConfirmed = session.isConfirmed { text.field("confirmed", isConfirmed) }
    text.field("links", frames: session.links)
    text.field("reset", session.reset != nil)
    text.field("returned", session.hasReturned)
    if session.unanswered > 0 { text.field("unanswered", session.unanswered) }
    text.field("images", list: session.images) { append($0, to: &$1) }
    text.field("refusals", list: session.refusals.sorted { $0.key < $1.key }) { entry, text in
      text.append("{\"of\":")
      text.append(jsonString: entry.key)
      text.field("why", entry.value)
      text.append("}")
    }
    text.field("mtu", session.mtu)
    if let interval = session.interval {
      text.append(key: "interval_ms")
      text.append(raw: "\(interval)")
    }
    text.field("steps", list: session.steps) { append($0, to: &$1) }
    if session.stepsLeftOut > 0 { text.field("steps_left_out", session.stepsLeftOut) }
    text.field("findings", list: session.findings) { append($0, to: &$1) }
    text.append("}\n")
  }

  private func append(_ image: UpgradeImage, to text: inout OutputText) {
    text.append("{\"image\":")
    text.append(decimal: image.image)
    text.field("old_version", image.oldVersion)
    text.field("old_hash", image.oldHash.map { Hexadecimal.string($0) })
    text.field("version", image.newVersion ?? image.upload?.version)
    text.field("hash", image.newHash.map { Hexadecimal.string($0) })
    text.field("tested", image.isTested)
    text.field("confirm_asked", image.isConfirmAsked)
    if let state = image.state {
      text.field("slot", state.slot)
      text.field("active", state.isActive)
      text.field("pending", state.isPending)
      text.field("confirmed", state.isConfirmed)
      text.field("permanent", state.isPermanent)
    }
    if let upload = image.upload {
      text.append(key: "upload")
      text.append("{\"acknowledged\":")
      text.append(decimal: upload.acknowledged)
      text.field("length", upload.length)
      text.field("percent", upload.percent)
      text.field("complete", upload.isComplete)
      if let isMatch = upload.isMatch { text.field("match", isMatch) }
      text.field("sha", upload.hash.map { Hexadecimal.string($0) })
      text.field("requests", upload.requests)
      text.field("sent", upload.sent)
      text.field("rewinds", upload.rewinds)
      text.field("resumes", upload.resumes)
      text.append(key: "seconds")
      text.append(seconds: upload.nanoseconds, decimals: 6)
      if let speed = upload.speed, speed < 1e15 {
        text.field("bytes_per_second", Int(speed.rounded()))
      }
      text.append("}")
    }
    text.append("}")
  }

  private func append(_ step: UpgradeStep, to text: inout OutputText) {
    text.append("{\"step\":\"")
    text.append(raw: step.kind.rawValue)
    text.append("\"")
    text.field("time", step.place.time)
    text.field("file", hasSeveralFiles ? step.place.file : nil)
    text.field("frame", step.place.frame)
    text.field("link", step.place.link)
    text.field("text", step.text)
    text.append("}")
  }

  private func append(_ finding: UpgradeFinding, to text: inout OutputText) {
    text.append("{\"code\":\"")
    text.append(raw: finding.code.rawValue)
    text.append("\"")
    text.field("severity", FindingCode(finding.code).severity.rawValue)
    text.field("message", finding.text)
    text.field("frames", frames: finding.frames)
    text.append("}")
  }

  /// Appends the header row of the CSV.
  package func appendCSVHeader(to text: inout OutputText) {
    text.append("device,from,until,image,old_version,version,hash,mode,outcome,confirmed,")
    text.append("acknowledged,length,percent,seconds,bytes_per_second,rewinds,resumes,reset,")
    text.append("returned,links,refusals,findings,file\n")
  }

  /// Appends one row for each image of an upgrade.
  package func append(csv session: UpgradeSession, to text: inout OutputText) {
    func time(_ time: Timestamp?) -> String {
      guard let time else { return "" }
      var text = OutputText(capacity: 32)
      text.append(utc: time)
      return String(decoding: text.slice, as: UTF8.self)
    }
    func number(_ value: Int?) -> String { value.map { "\($0)" } ?? "" }
    let refusals = session.refusals.sorted { $0.key < $1.key }
      .map { "\($0.key): \($0.value)" }.joined(separator: "; ")
    for image in session.images {
      let upload = image.upload
      var row = [session.device, time(session.first.time), time(session.last.time)]
      row += ["\(image.image)", image.oldVersion ?? ""]
      row.append(image.newVersion ?? upload?.version ?? "")
      row.append(image.newHash.map { "0x" + Hexadecimal.string($0) } ?? "")
      row += [session.mode?.rawValue ?? "", session.outcome.rawValue]
      row.append(session.isConfirmed.map { "\($0)" } ?? "")
      row += [number(upload?.acknowledged), number(upload?.length), number(upload?.percent)]
      row.append(upload.map { SMPWords.seconds($0.nanoseconds) } ?? "")
      row.append(number(upload?.speed.map { Int(min($0, 1e15).rounded()) }))
      row += [number(upload?.rewinds), number(upload?.resumes)]
      row += ["\(session.reset != nil)", "\(session.hasReturned)"]
      row.append(session.links.map { "\($0)" }.joined(separator: ";"))
      row.append(refusals)
      row.append(session.findings.map(\.code.rawValue).joined(separator: ";"))
      row.append(session.first.file)
      text.append(csvRow: row)
    }
  }
}
