import CommandLineOptions
import PeatTimeline

extension ToolDefinition {
  private static let kept = ["node", "peer"]

  static let links = Command<RawOptions>(
    name: "links",
    summary: "every connection: devices, life, MTU, handles and what went over them",
    discussion: """
      Tells for every LE connection of the captures who is at its ends, when it was up, how it \
      ended and who ended it, how it ran, and for each attribute handle how many values went over \
      it which way. A handle that carries values and has no name is one that --handle or \
      --characteristic may have to say is the document. Where the same two devices connect several \
      times, the times between are told too.

      NDJSON has one object for each connection; CSV has one row for each handle.
      """,
    options: FormatOption.output([FormatOption.markdown], csv: "one row a handle")
      + SharedOptions.selection.filter { kept.contains($0.long) }
      + [SharedOptions.meshID]
      + SharedOptions.reading + SharedOptions.diagnostics,
    arguments: Arguments(
      name: "FILE", minimum: 1, maximum: nil, completion: .file, summary: "a capture, or -"),
    examples: [
      Example("peat-inspect links samples/phone.log", "Who was connected to the phone, and when."),
      Example(
        "peat-inspect links --peer C0:00:00:00:00:01 -f ndjson capture.btsnoop",
        "One device's connections, by its address or its identity, for a script."),
    ],
    seeAlso: ["inspect", "emergencies"])

  static let emergencies = Command<RawOptions>(
    name: "emergencies",
    summary: "every emergency: who carried it, who acknowledged it, who not and why",
    discussion: """
      Tells of every emergency in the captures, the newest last: when it was raised, which nodes' \
      documents carry it and acknowledge it, in which packet that shows first and through whom, \
      and of every other node why not. What no packet shows is said to be not visible in the \
      capture; several captures together see more. Clearing an emergency is local, so it is told \
      for each node.

      An emergency was raised at its own stamp where the source's clock agrees with the capture's \
      to two seconds, and the stamp is neither before 2020 nor later than that, else at its first \
      sighting. A node has carried it once a document of its own \
      does. not_reached: no recorded message brought it to the node.

      These are the reasons, as "why" in the records:

      \(reasons)
      """,
    options: FormatOption.output([FormatOption.markdown], csv: "one row a node of an emergency")
      + SharedOptions.selection.filter { $0.long == "node" }
      + [SharedOptions.meshID]
      + SharedOptions.reading + SharedOptions.members
      + SharedOptions.each + SharedOptions.diagnostics,
    arguments: Arguments(
      name: "FILE", minimum: 1, maximum: nil, completion: .file, summary: "a capture, or -"),
    examples: [
      Example(
        "peat-inspect emergencies samples/mesh-emergency.btsnoop",
        "Who raised it, who acknowledged it, who did not, and why."),
      Example(
        "peat-inspect emergencies -f ndjson alpha.btsnoop bravo.pcapng",
        "The same of two captures together, for a script."),
    ],
    seeAlso: ["inspect", "links", "check"])

  static let upgrades = Command<RawOptions>(
    name: "upgrades",
    summary: "every firmware upgrade over SMP (mcumgr): how far it got, and how it ended",
    discussion: """
      Tells of every firmware upgrade that rides the captures over SMP, a line each and then its \
      story: the images by version and hash, how far and how fast the upload went, where the \
      server wanted bytes again, what it refused and why in words, test, reset, the connection \
      that followed, and whether the new image is confirmed at the end. An upgrade goes on over \
      the connections of a device, in one capture or in several.

      The mode is told by what was asked for: confirmOnly, testAndConfirm, testOnly, uploadOnly. \
      The outcomes are confirmed, not_confirmed (the new image runs until the next reset), \
      reverted (the old one runs), pending, not_seen_again, uploaded, stopped, refused, unknown.

      NDJSON has one object for each upgrade; CSV has one row for each image.
      """,
    options: SharedOptions.output
      + SharedOptions.selection.filter { $0.long == "peer" }
      + SharedOptions.reading + SharedOptions.diagnostics,
    arguments: Arguments(
      name: "CAPTURE", minimum: 1, maximum: nil, completion: .file, summary: "a capture, or -"),
    examples: [
      Example(
        "peat-inspect upgrades phone.btsnoop",
        "How far each upgrade got, and whether its image is confirmed."),
      Example(
        "peat-inspect inspect --filter 'smp.group == 1' phone.btsnoop",
        "The messages themselves, those of the image group."),
    ],
    seeAlso: ["inspect", "links", "check"])

  private static var reasons: String {
    EmergencyReason.allCases.map { "\($0.rawValue): \($0.meaning)." }.joined(separator: "\n\n")
  }
}
