package import PeatDissection
package import PeatProtocol
package import PeatReplay
package import WireBytes

/// One message of the timeline: how it was carried, what it says, and what it did.
package struct TimelineRow: Sendable {
  /// Who left out a value's tail.
  package enum Cut: String, Sendable {
    case capture, mtu
  }

  /// The capture as the user named it.
  package var file: String
  package var value: CapturedValue
  /// When it was recorded by the recorder's own clock, which `value.time` may correct.
  package var recordedTime: Timestamp?
  /// Nanoseconds from the first packet of the earliest capture.
  package var elapsed: Int64?
  package var message: Message
  /// What each reference receiver makes of the bytes, where that is not plain acceptance.
  package var receivers: [ReceiverNote]
  package var effect: Effect
  package var cutBy: Cut?
  package var findings: [Finding]
  /// Whether another capture's row tells the same message: this is what the receiver recorded.
  package var isRepeat = false

  /// The document whose fields a table shows: the innermost one that could be opened.
  package var document: DecodedDocument? { message.innermost.document }
}
