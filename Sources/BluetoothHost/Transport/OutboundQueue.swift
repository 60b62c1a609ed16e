package import SystemIO

/// Packets on their way to a controller that takes them at its own pace: they wait here, in order,
/// while nothing can be written.
///
/// A value without input or output of its own: `drain` is handed what writes, and the time in
/// milliseconds.
package struct OutboundQueue: Sendable {
  /// Bytes that wait at most: far more than a controller's buffers and commands come to.
  package static let limit = 262_144
  /// Time without progress after which the controller is taken to read no more, in milliseconds.
  package static let patience: UInt64 = 10_000

  /// Why a queue is of no more use.
  package enum Fault: Error, Sendable, Equatable {
    /// Nothing was taken for so many seconds.
    case stalled(seconds: UInt64)
    /// More bytes wait than `limit`.
    case full
    case system(Errno)
  }

  private var packets: [[UInt8]] = []
  /// Bytes of the first packet that were taken.
  private var taken = 0
  private var bytes = 0
  /// When something was taken last, or the first packet came to wait.
  private var progress: UInt64 = 0

  package init() {}

  /// Whether nothing waits.
  package var isEmpty: Bool { packets.isEmpty }

  /// When a controller that takes nothing is given up; nil where nothing waits.
  package var deadline: UInt64? { isEmpty ? nil : progress &+ OutboundQueue.patience }

  /// Appends a packet.
  package mutating func append(_ packet: [UInt8], now: UInt64) throws(Fault) {
    if isEmpty { progress = now }
    guard bytes + packet.count <= OutboundQueue.limit else { throw .full }
    packets.append(packet)
    bytes += packet.count
  }

  /// Writes until nothing waits or no more is taken.
  ///
  /// - Parameter write: gives how many of the bytes were taken; it fails with
  ///   `Errno.isWouldWait` where none were. It gets one packet at a time, because the kernel's user
  ///   channel takes one packet with each write.
  package mutating func drain(
    now: UInt64, write: (ArraySlice<UInt8>) throws(Errno) -> Int
  ) throws(Fault) {
    while let packet = packets.first {
      let count: Int
      do throws(Errno) {
        count = try write(packet[taken...])
      } catch {
        guard error.isWouldWait else { throw .system(error) }
        let waited = now >= progress ? now - progress : 0
        guard waited < OutboundQueue.patience else { throw .stalled(seconds: waited / 1_000) }
        return
      }
      progress = now
      taken += count
      bytes -= count
      guard taken >= packet.count else { continue }
      packets.removeFirst()
      taken = 0
    }
  }
}
