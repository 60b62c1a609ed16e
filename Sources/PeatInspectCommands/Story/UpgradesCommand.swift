import CommandLineOptions
import FirmwareUpgrades
import PeatDissection
import PeatReports
import PeatTimeline
import SystemIO
import WireBytes

/// `peat-inspect upgrades FILE...`: every firmware upgrade, how far it got and how it ended.
struct UpgradesCommand {
  private let configuration: InspectConfiguration
  private let session: CaptureSession

  init(_ configuration: InspectConfiguration) throws {
    var configuration = configuration
    configuration.dissection.wanted = [.smp]
    self.configuration = configuration
    session = try CaptureSession(configuration)
  }

  func run() throws -> ExitStatus {
    guard try session.open() else { return try session.finishUnopened() }
    let target = try session.output()
    while session.nextItem() != nil {}
    session.conclude(tellsSilence: false)
    let (all, story) = session.concludeUpgrades()
    let peers = configuration.raw.peers
    let upgrades = all.filter { peers.isEmpty || peers.contains($0.device) }
    let hasSeveralFiles = session.streams.count > 1
    var text = OutputText(capacity: 1 << 14)
    let records = UpgradeRecords(hasSeveralFiles: hasSeveralFiles)
    switch configuration.format {
    case .ndjson: for upgrade in upgrades { records.append(upgrade, to: &text) }
    case .csv:
      records.appendCSVHeader(to: &text)
      for upgrade in upgrades { records.append(csv: upgrade, to: &text) }
    case .text:
      if upgrades.isEmpty {
        text.append(raw: none(story.messages, all.count) + "\n")
      } else {
        UpgradeText(
          style: configuration.style, hasSeveralFiles: hasSeveralFiles, start: session.start
        ).append(upgrades, to: &text)
      }
    }
    try target.sink.append(text.slice)
    if story.leftOut > 0 {
      session.diagnostics.warn("\(story.leftOut) more upgrades were left out")
    }
    return try session.finish(target)
  }

  /// Why there is none, as far as the captures tell.
  private func none(_ messages: Int, _ others: Int) -> String {
    if others > 0 { return "no upgrade of that device; \(others) of others" }
    if messages == 0 { return "no upgrade: no SMP message in the capture" }
    return "no upgrade: \(messages) SMP message\(messages == 1 ? "" : "s"), and none of them "
      + "uploads, tests or confirms an image"
  }
}
