package import FirmwareUpgrades
package import WireBytes

/// Upgrades for a person: a line a session, then its story.
package struct UpgradeText {
  private let style: TextStyle
  private let hasSeveralFiles: Bool
  private let start: Timestamp?

  /// `start` is the first packet, from which relative times count.
  package init(style: TextStyle, hasSeveralFiles: Bool, start: Timestamp?) {
    self.style = style
    self.hasSeveralFiles = hasSeveralFiles
    self.start = start
  }

  /// Appends all upgrades.
  package func append(_ sessions: [UpgradeSession], to text: inout OutputText) {
    for session in sessions { headline(session, to: &text) }
    for session in sessions {
      text.append("\n")
      append(session, to: &text)
    }
  }

  private func headline(_ session: UpgradeSession, to text: inout OutputText) {
    var parts: [String] = []
    for image in session.images {
      let name = session.images.count > 1 ? "image \(image.image) " : ""
      let version = image.newVersion ?? image.upload?.version ?? "?"
      parts.append(name + (image.oldVersion.map { "\($0) → " } ?? "") + version)
      if let upload = image.upload {
        var progress = upload.progress
        if let speed = upload.speed { progress += " at \(SMPWords.speed(speed))" }
        parts.append(progress)
      }
    }
    parts.append(session.mode?.words ?? "no mode yet")
    parts.append(verdict(session))
    let isFine = session.outcome == .confirmed
    line(
      "UPGRADE of \(session.device): \(parts.joined(separator: ", "))",
      isFine ? .name : .warning, to: &text)
  }

  private func verdict(_ session: UpgradeSession) -> String {
    let why = session.refusals.sorted { $0.key < $1.key }
      .map { "\($0.key): \($0.value)" }.joined(separator: "; ")
    return session.outcome.words.uppercased(if: session.outcome != .confirmed)
      + (why.isEmpty ? "" : " (\(why))")
  }

  private func append(_ session: UpgradeSession, to text: inout OutputText) {
    line("\(session.device)", .name, to: &text)
    for step in session.steps {
      var content = time(step.place).padded(to: 12) + "  " + step.text
      content += "  (frame \(step.place.frame)"
      if hasSeveralFiles { content += " of \(step.place.file)" }
      let isBad = [.refused, .rewind, .stuck, .unanswered].contains(step.kind)
      line(content + ")", isBad ? .warning : nil, to: &text)
    }
    if session.stepsLeftOut > 0 {
      line("and \(session.stepsLeftOut) more steps", .faint, to: &text)
    }
    for finding in session.findings {
      line("\(finding.code.rawValue): \(finding.text)", .warning, to: &text)
    }
  }

  private func time(_ place: SMPPlace) -> String {
    guard let time = place.time else { return "" }
    var text = OutputText(capacity: 16)
    if style.clock == .relative, let start {
      text.append(seconds: time.nanoseconds(since: start), decimals: 3)
      text.append(" s")
    } else {
      text.append(clock: style.civil(time), decimals: 3)
    }
    return String(decoding: text.slice, as: UTF8.self)
  }

  private func line(_ content: String, _ paint: TextStyle.Paint?, to text: inout OutputText) {
    for part in content.replacingUnsafeCharacters().broken(to: style.columns) {
      text.append(raw: (paint.map { style.paint(part, $0) } ?? part) + "\n")
    }
  }
}

extension String {
  fileprivate func uppercased(if condition: Bool) -> String { condition ? uppercased() : self }
}
