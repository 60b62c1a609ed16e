package import SMPProtocol

/// What is wrong with an upgrade or one of its messages; the raw value is the stable code.
package enum UpgradeCode: String, Sendable, CaseIterable {
  case refused = "smp-refused"
  case unanswered = "smp-unanswered"
  case rewind = "smp-offset-rewind"
  case resumed = "smp-resumed"
  case uploadShort = "smp-upload-short"
  case uploadRepeated = "smp-upload-repeated"
  case notConfirmed = "smp-not-confirmed"
  case noReturn = "smp-no-return"
  case reverted = "smp-reverted"
  case alreadyPending = "smp-already-pending"
  case mtuTooSmall = "smp-mtu-too-small"
  case hashMismatch = "smp-hash-mismatch"
  case badCBOR = "smp-bad-cbor"
  case cut = "smp-cut"
  case slow = "smp-slow"
}

/// A finding with one sentence for a person.
package struct UpgradeFinding: Sendable, Equatable {
  package var code: UpgradeCode
  package var text: String
  /// The packets that show it, where it is not on the message's own row.
  package var place: SMPPlace?
  package var frames: [Int]

  init(_ code: UpgradeCode, _ text: String, at place: SMPPlace? = nil, frames: [Int] = []) {
    self.code = code
    self.text = text
    self.place = place
    self.frames = frames.isEmpty ? place.map { [$0.frame] } ?? [] : frames
  }
}

/// What each message shows by itself and with its request.
enum PacketRules {
  static func check(_ packet: SMPPacket, _ findings: inout [UpgradeFinding]) {
    if !packet.cut.isEmpty {
      findings.append(
        UpgradeFinding(.cut, "the message before it never became whole", frames: packet.cut))
    }
    switch packet.content {
    case .damaged(let error):
      findings.append(UpgradeFinding(.badCBOR, "the body cannot be read: \(error)"))
    case .incomplete:
      findings.append(UpgradeFinding(.cut, "the capture left out a part of it"))
    case .whole(let message):
      if message.trailing > 0 {
        findings.append(
          UpgradeFinding(
            .badCBOR, "\(message.trailing) bytes stand behind the body's map"))
      }
      if message.hasDuplicateKeys {
        findings.append(UpgradeFinding(.badCBOR, "a key of the body stands there twice"))
      }
      if packet.header.operation.isResponse, let refusal = SMPRefusal(message.body) {
        check(refusal, packet, &findings)
      }
    }
  }

  private static func check(
    _ refusal: SMPRefusal, _ packet: SMPPacket, _ findings: inout [UpgradeFinding]
  ) {
    let what = SMPWords.title(packet.header, packet.request?.ask)
    findings.append(UpgradeFinding(.refused, "\(what) refused: \(SMPWords.text(refusal))"))
    let isUpload = packet.header.group == 1 && packet.header.command == 1
    if refusal.group == 1 && refusal.code == 28
      || isUpload && refusal.group == nil && [6, 10].contains(refusal.code)
    {
      findings.append(
        UpgradeFinding(.alreadyPending, "an earlier image waits for a reset or its confirmation"))
    }
    if refusal.group == 1 && [8, 24].contains(refusal.code) {
      findings.append(
        UpgradeFinding(.hashMismatch, "the server has no image with the hash that was named"))
    }
  }
}

/// Commands and refusals in words.
package enum SMPWords {
  /// The command, more exactly where the request says more.
  package static func title(_ header: SMPHeader, _ ask: SMPRequest.Ask?) -> String {
    switch ask {
    case .mark(_, let isConfirm): isConfirm ? "image confirmation" : "image test"
    case .upload, .erase, .other, nil:
      SMPNames.command(header.command, of: header.group)
        ?? "command \(header.command) of group \(header.group)"
    }
  }

  /// Why a server refused: the code in words with its group, and the server's own words.
  package static func text(_ refusal: SMPRefusal) -> String {
    let group = refusal.group.map { SMPNames.group($0) ?? "group \($0)" }
    var text = refusal.words ?? "unknown code"
    text += " (" + (group.map { "\($0) " } ?? "") + "code \(refusal.code))"
    if let reason = refusal.reason, !reason.isEmpty { text += ", \"\(reason)\"" }
    return text
  }

  /// Bytes as a person reads them.
  package static func hash(_ bytes: [UInt8]) -> String {
    bytes.prefix(4).map { byte in
      let digits = String(byte, radix: 16)
      return byte < 16 ? "0" + digits : digits
    }.joined()
  }
}
