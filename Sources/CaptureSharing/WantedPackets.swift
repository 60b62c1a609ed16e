package import BluetoothProtocols
import PeatDissection
package import PeatTimeline

/// What the messages that are wanted say of the packets of one capture.
package struct WantedPackets: Sendable {
  /// Packets that carried a part of a wanted message.
  package private(set) var carriers = FrameSet()
  /// Packets that carried messages which are not wanted, and perhaps wanted ones too.
  package private(set) var others = FrameSet()
  /// Packets that completed a wanted message.
  package private(set) var messages = 0
  /// Advertisers whose packets are wanted; nil takes no advertising.
  package var advertisers: Set<DeviceAddress> = []
  /// Access addresses of links from the air that carried wanted messages.
  private(set) var accessAddresses: Set<UInt32> = []
  /// The span by the common clock in which advertising is wanted, in nanoseconds since 1970.
  package var span: ClosedRange<Int64> = .min ... .max

  /// Makes one that wants nothing.
  package init() {}

  /// Takes a row of the capture.
  package mutating func note(_ row: TimelineRow, isWanted: Bool) {
    let value = row.value
    for frame in value.frames {
      if isWanted { carriers.insert(frame) } else { others.insert(frame) }
    }
    if isWanted { carriers.insert(value.frame) } else { others.insert(value.frame) }
    guard isWanted else { return }
    messages += 1
    // What other adapters of the same capture saw of it.
    for sighting in value.seenIn where sighting.file == row.file || sighting.file.isEmpty {
      carriers.insert(sighting.frame)
    }
    if value.link.isFromAir { accessAddresses.insert(value.link.connection) }
  }
}
