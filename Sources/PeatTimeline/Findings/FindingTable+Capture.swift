extension FindingTable {
  /// What is to be said of captures, and of the layers below messages.
  static func captureEntry(of code: FindingCode) -> Entry {
    switch code {
    case .droppedPackets:
      Entry(
        .warning, "the recorder lost packets",
        "Record to a faster disk or with a larger buffer; what was lost may be documents.",
        "btsnoop format (RFC 1761 layout)")
    case .aclOverrun:
      Entry(
        .warning, "more bytes came than an L2CAP packet announced",
        "Look at the controller: the packet is thrown away.",
        "Core Specification Vol 3 Part A, 7.2")
    case .aclAbandonedStart:
      Entry(
        .warning, "a packet began while another was not complete",
        "Look at the controller: the first packet is lost.",
        "Core Specification Vol 3 Part A, 7.2")
    case .aclOrphanContinuation:
      Entry(
        .warning, "a continuation came with no packet started",
        "Look for lost packets in front of it.",
        "Core Specification Vol 3 Part A, 7.2")
    case .malformedEvent:
      Entry(
        .warning, "an event of the controller is malformed",
        "Look at the controller's firmware; the event was passed over.",
        "Core Specification Vol 4 Part E, 7.7")
    case .badCRC:
      Entry(
        .warning, "packets from the air have a bad checksum",
        "Bring the sniffer nearer.",
        "Core Specification Vol 6 Part B, 3.1.1")
    case .encryptedLink:
      Entry(
        .warning, "a link is encrypted, and the sniffer cannot read it",
        "Record the HCI of one end, or give the sniffer the link's key.",
        "Core Specification Vol 6 Part B, 5.1.3")
    case .unreadableAirHeader:
      Entry(
        .warning, "packets of a sniffer have a header that is not known",
        "Save the capture anew, or export it with link type 251 or 256.",
        "tcpdump.org, link-layer header types")
    case .airLengthFault:
      Entry(
        .warning, "packets of a sniffer are shorter or longer than they say",
        "Look at the sniffer, or at what wrote the capture.",
        "Core Specification Vol 6 Part B, 2.1")
    case .connectionNotFollowed:
      Entry(
        .warning, "a connection was asked for, and the sniffer did not follow it",
        "Let the sniffer follow one of the two devices from before they connect.",
        "Core Specification Vol 6 Part B, 2.3.3.1")
    case .discoveryCut:
      Entry(
        .warning, "the capture cut the discovery of attributes",
        "Record with whole packets, or name the handle with --handle.",
        "docs/records.md")
    case .recorderClock:
      Entry(
        .warning, "the recorder's clock differs from those of several nodes",
        "Set the recorder's clock; the times of this capture are off by as much.",
        "docs/records.md, Clocks")
    case .clockStep:
      Entry(
        .note, "the recorder's clock was put, or a record's time cannot be",
        "Read times on one side of the step only; set the recorder's clock before it records.",
        "docs/records.md, Clocks")
    case .connectionLimit:
      Entry(
        .warning, "more connections are open than are followed",
        "Cut the capture into parts.",
        "docs/records.md")
    default: Entry(.note, "a finding", "Look at its message.", "docs/records.md")
    }
  }
}
