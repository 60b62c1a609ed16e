import SMPProtocol
import WireBytes

/// What is known of a connection once the captures were read.
package struct SMPLinkLife: Sendable {
  /// Where it ended; nil where it was open at the capture's end.
  package var end: SMPPlace?
  /// How it ended, in words.
  package var words: String?
  /// The connection interval in milliseconds, where the capture tells it.
  package var interval: Double?

  package init(end: SMPPlace?, words: String?, interval: Double?) {
    self.end = end
    self.words = words
    self.interval = interval
  }
}

/// All SMP of a run: messages out of values, and upgrades out of messages.
package struct SMPStory: Sendable {
  /// Connections whose messages are put together; of more, the oldest are forgotten.
  private static let linkLimit = 1024
  private static let findingLimit = 4096

  private struct Key: Hashable {
    var link: Int
    /// Which end of it is the server.
    var isPeerServer: Bool
  }

  private struct Followed: Sendable {
    var link = SMPLink()
    var device: UpgradeDevice
    var hasAnsweredParts = false
  }

  private var links: [Key: Followed] = [:]
  private var order: [Key] = []
  private var log = UpgradeLog()
  private var unanswered: [(request: SMPRequest, device: UpgradeDevice)] = []
  /// Messages so far.
  package private(set) var messages = 0
  /// What was found of the captures as a whole, once they were concluded.
  package private(set) var endFindings: [UpgradeFinding] = []

  package init() {}

  /// Whether any value came, of a message or not.
  package var hasValues: Bool { !links.isEmpty }

  /// Upgrades that found no room.
  package var leftOut: Int { log.leftOut }

  /// Takes the next value; gives the message that it completes, and what is to be said of it.
  package mutating func take(
    _ value: SMPValue, isPeerServer: Bool, device: UpgradeDevice, mtu: Int
  ) -> (packet: SMPPacket, findings: [UpgradeFinding])? {
    let key = Key(link: value.place.link, isPeerServer: isPeerServer)
    if links[key] == nil {
      if order.count == SMPStory.linkLimit { links[order.removeFirst()] = nil }
      order.append(key)
    }
    guard let packet = links[key, default: Followed(device: device)].link.take(value) else {
      return nil
    }
    messages += 1
    if let request = packet.request, request.parts > 1 { links[key]?.hasAnsweredParts = true }
    if let replaced = packet.replaced, unanswered.count < SMPStory.findingLimit {
      unanswered.append((replaced, device))
    }
    return (packet, log.take(packet, of: device, mtu: mtu))
  }

  /// The upgrades, once all captures were read.
  package mutating func conclude(_ life: (Int) -> SMPLinkLife?) -> [UpgradeSession] {
    for key in order {
      guard let followed = links[key] else { continue }
      conclude(followed, life(key.link))
    }
    let perRequest = Dictionary(grouping: unanswered) { entry in
      let header = entry.request.header
      return
        "\(entry.request.place.link)/\(header.operation.rawValue)/\(header.group)/\(header.command)"
    }
    for entries in perRequest.values.sorted(by: {
      ($0.first?.request.place.frame ?? 0) < ($1.first?.request.place.frame ?? 0)
    }) {
      guard let first = entries.first else { continue }
      tell(first.request, first.device, entries.map(\.request), life(first.request.place.link))
    }
    return log.sessions.map { session in
      var session = session
      UpgradeJudge.conclude(&session, life, &endFindings)
      return session
    }
  }

  private mutating func conclude(_ followed: Followed, _ life: SMPLinkLife?) {
    for request in followed.link.waiting where unanswered.count < SMPStory.findingLimit {
      // A server that resets at once does not answer any more.
      if request.header.group == 0, request.header.command == 5, life?.end != nil { continue }
      unanswered.append((request, followed.device))
    }
    if !followed.link.unfinished.isEmpty, let last = followed.link.unfinished.last {
      add(
        UpgradeFinding(
          .cut, "a message of \(followed.device.name) never became whole",
          at: followed.link.last, frames: [last]))
    }
    if let strays = followed.link.strays {
      add(
        UpgradeFinding(
          .cut,
          "\(strays.count) value\(strays.count == 1 ? "" : "s") of \(followed.device.name) "
            + "belong\(strays.count == 1 ? "s" : "") to no message", at: strays.first))
    }
    let fragmented = followed.link.waiting.filter { $0.parts > 1 }
    if let first = fragmented.first, !followed.hasAnsweredParts {
      add(
        UpgradeFinding(
          .mtuTooSmall,
          "\(fragmented.count) request\(fragmented.count == 1 ? "" : "s") longer than the MTU, in "
            + "several writes, got no answer, and no other such request did", at: first.place))
    }
  }

  private mutating func tell(
    _ first: SMPRequest, _ device: UpgradeDevice, _ requests: [SMPRequest], _ life: SMPLinkLife?
  ) {
    let what = SMPWords.title(first.header, first.ask)
    let count = requests.count == 1 ? "" : "\(requests.count) requests: "
    var text = "\(count)\(what) was not answered by \(device.name)"
    text += life?.end == nil ? " until the capture's end" : " before the connection ended"
    add(
      UpgradeFinding(
        .unanswered, text, at: first.place, frames: requests.prefix(16).map(\.place.frame)))
    guard let index = log.session(of: device) else { return }
    log.change(index) { $0.unanswered += requests.count }
    log.add(.unanswered, first.place, text, index)
  }

  private mutating func add(_ finding: UpgradeFinding) {
    if endFindings.count < SMPStory.findingLimit { endFindings.append(finding) }
  }
}
