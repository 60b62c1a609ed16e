package import PeatDissection
package import PeatProtocol
package import PeatReplay

/// One message of the timeline: how it was carried, what it says, and what it did.
package struct TimelineRow: Sendable {
  /// Who left out a value's tail.
  package enum Cut: String, Sendable {
    case capture, mtu
  }

  /// The capture as the user named it.
  package var file: String
  package var value: CapturedValue
  /// Nanoseconds from the first packet of the earliest capture.
  package var elapsed: Int64?
  package var message: Message
  /// What each reference receiver makes of the bytes, where that is not plain acceptance.
  package var receivers: [ReceiverNote]
  package var effect: Effect
  package var cutBy: Cut?
  package var findings: [Finding]

  /// The document whose fields a table shows: the innermost one that could be opened.
  package var document: DecodedDocument? { message.innermost.document }
}
