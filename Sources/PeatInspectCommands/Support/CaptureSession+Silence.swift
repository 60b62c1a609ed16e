import PeatDissection
import PeatTimeline

extension CaptureSession {
  /// Says always what of a capture is not shown, and why (cli.md, "Exit status").
  func tellWhatIsNotShown(_ stream: CaptureStream, tellsSilence: Bool) {
    let silence = CaptureSilence(stream)
    if let text = silence.unnamed { diagnostics.warn(text, file: stream.file) }
    let traffic = stream.dissector.traffic
    if traffic.headersOnly > 0, let reason = silence.reason {
      return diagnostics.report(
        "no Peat message: \(reason)", frame: traffic.firstHeadersOnly, file: stream.file)
    }
    if traffic.headersOnly > 0 {
      diagnostics.warn(
        "the recorder kept only the headers of \(counted(traffic.headersOnly, "data packet")): "
          + "what they carried is not known", file: stream.file)
    }
    if tellsSilence, let reason = silence.reason {
      diagnostics.warn("no Peat message: \(reason)", file: stream.file)
    }
  }

  /// Says which limits cut the answer.
  func tellLimits() {
    if let engine, engine.unwatchedCount > 0 {
      diagnostics.warn(
        "\(counted(engine.unwatchedCount, "capture")) beyond the first "
          + "\(FindingEngine.captureLimit) not looked through for findings that need several "
          + "messages; check them for themselves")
    }
    for stream in streams where stream.dissector.advertisers.forgottenCount > 0 {
      diagnostics.warn(
        "more devices advertised than are remembered: "
          + "\(stream.dissector.advertisers.forgottenCount) that were not heard for longest are "
          + "left out", file: stream.file)
    }
    for stream in streams {
      let left = stream.dissector.connectionsLeftOut
      if left > 0 {
        diagnostics.warn(
          "more connections than are remembered: the last \(left) are left out of what is said "
            + "of connections", file: stream.file)
      }
      let forgotten = stream.dissector.forgottenTables
      if forgotten > 0 {
        diagnostics.warn(
          "more devices' attribute tables than are remembered: \(forgotten) forgotten; values of "
            + "later connections of those devices may have no name", file: stream.file)
      }
      if stream.isSharingCut {
        diagnostics.warn(
          "equal messages on more than \(CaptureStream.sharingLimit) connections: which of them are "
            + "one is judged by the first", file: stream.file)
      }
    }
    for stream in streams where stream.isSurveyCut {
      diagnostics.warn(
        "more messages than are compared with other captures: later ones may be told twice",
        file: stream.file)
    }
  }

  /// Why the captures show no message, one clause each; empty where any shows one.
  var silence: [(file: String, reason: String)] {
    let found = streams.map { (file: $0.file, reason: CaptureSilence($0).reason) }
    let reasons = found.compactMap { entry in entry.reason.map { (entry.file, $0) } }
    return reasons.count == found.count ? reasons : []
  }
}
