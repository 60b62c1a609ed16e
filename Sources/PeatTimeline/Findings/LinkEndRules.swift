import PeatDissection
import WireBytes

/// What a capture's connections show besides their values.
enum LinkEndRules {
  /// Nanoseconds that a client needs to find the document and ask for its notifications.
  private static let settling: Int64 = 5_000_000_000
  /// Nanoseconds after which a Peat peer that sends nothing is silent.
  private static let silence: Int64 = 60_000_000_000

  static func check(_ capture: CaptureEnd, _ findings: inout [EndFinding]) {
    for facts in capture.links {
      check(facts, facts.local, server: "this host", &findings)
      check(facts, facts.peer, server: "the peer", &findings)
      silent(facts, capture, &findings)
    }
  }

  private static func check(
    _ facts: LinkFacts, _ server: ServerFacts, server name: String,
    _ findings: inout [EndFinding]
  ) {
    guard let handle = server.documentHandle else { return }
    if let refusal = server.firstRefusal {
      let times = server.refusedReads == 1 ? "a read" : "\(server.refusedReads) reads"
      findings.append(
        EndFinding(
          .readRefused,
          "\(name) refused \(times) of the document on handle \(handle) with ATT error "
            + "\(refusal.code)", link: facts.link.id, frames: [refusal.frame],
          time: facts.opened))
    }
    guard facts.wasSeenOpening, !server.isSubscribed, !server.isNotifying,
      length(facts) > settling
    else { return }
    findings.append(
      EndFinding(
        .noSubscription,
        "nobody asked \(name) for notifications of the document on handle \(handle)",
        link: facts.link.id, frames: [facts.firstFrame], time: facts.opened))
  }

  private static func silent(
    _ facts: LinkFacts, _ capture: CaptureEnd, _ findings: inout [EndFinding]
  ) {
    guard let address = facts.link.peer, capture.advertisers[address]?.isPeat == true,
      !facts.hasHeardPeer, length(facts) > silence
    else { return }
    findings.append(
      EndFinding(
        .silentPeer, "\(address) was connected for \(ClockWatch.seconds(length(facts))) s",
        link: facts.link.id, frames: [facts.firstFrame], time: facts.opened))
  }

  private static func length(_ facts: LinkFacts) -> Int64 {
    guard let opened = facts.opened, let closed = facts.closed else { return 0 }
    return closed.nanoseconds(since: opened)
  }
}
