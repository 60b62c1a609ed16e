package import CaptureFormats
package import PeatDissection
package import WireBytes

/// One capture of a timeline, with its next value held ready so that captures can be merged.
package final class CaptureStream {
  /// The capture as the user named it.
  package let file: String
  package private(set) var dissector: CaptureDissector
  private var ahead: CapturedValue?
  private var isPrimed = false

  package init(file: String, reader: consuming CaptureReader, options: DissectionOptions) {
    self.file = file
    dissector = CaptureDissector(reader: reader, options: options)
  }

  /// The next value, without taking it.
  package func peek() throws(CaptureError) -> CapturedValue? {
    if !isPrimed {
      ahead = try dissector.next()
      isPrimed = true
    }
    return ahead
  }

  /// Takes the next value.
  package func take() throws(CaptureError) -> CapturedValue? {
    let value = try peek()
    isPrimed = false
    return value
  }

  /// Takes what went wrong below the messages since the last call.
  package func takeNotices() -> NoticeBatch { dissector.takeNotices() }

  /// Told now and then how many bytes are read, and of how many where that is known.
  package var onProgress: ((Int, Int?) -> Void)? {
    get { dissector.onProgress }
    set { dissector.onProgress = newValue }
  }

  /// Takes the notes of a monitor file since the last call.
  package func takeMonitorNotes() -> (notes: [MonitorNote], lost: Int) {
    dissector.takeMonitorNotes()
  }

  /// Follows a capture that grows: see `CaptureDissector`.
  package func follow(
    onCaughtUp: @escaping (_ readBytes: Int) -> CaptureDissector.CaughtUp,
    onRotation: @escaping () -> CaptureReader?
  ) {
    dissector.onCaughtUp = onCaughtUp
    dissector.onRotation = onRotation
  }

  package var firstTime: Timestamp? { dissector.firstTime }
}
