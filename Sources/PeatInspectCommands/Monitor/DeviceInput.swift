import CaptureFormats
import LiveCapture
import SystemIO

/// A capture device of this machine.
final class DeviceInput: MonitorInput {
  private var player: DevicePlayer

  /// - Parameter frames: packets that were counted before it was opened.
  init(name: String, frames: Int) throws(DeviceError) {
    player = DevicePlayer(device: try PcapDevice(name: name, frames: frames))
  }

  var descriptor: Int32? { player.descriptor }
  var nextLook: UInt64? { nil }
  var damages: [CaptureError] { [] }
  var notes: [String] { [] }

  func moment(at now: UInt64) -> UInt64 { now }

  func pump(into engine: inout MonitorEngine, at now: UInt64) throws(CaptureError) -> InputState {
    try player.pump(into: &engine, at: now)
  }
}

/// An open device, held where a class cannot hold it itself.
private struct DevicePlayer: ~Copyable {
  /// Packets taken at once, so that what they show is seen in between.
  private static let batch = 256

  private var device: PcapDevice
  let descriptor: Int32

  init(device: consuming PcapDevice) {
    descriptor = device.descriptor
    self.device = consume device
  }

  mutating func pump(
    into engine: inout MonitorEngine, at now: UInt64
  ) throws(CaptureError) -> InputState {
    for _ in 0..<DevicePlayer.batch where !engine.hasRows {
      guard let record = try device.next() else { return .waiting }
      engine.take(record, at: now)
    }
    return .ready
  }
}
