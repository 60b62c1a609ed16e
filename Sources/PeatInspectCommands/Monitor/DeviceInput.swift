import CaptureFormats
import LiveCapture
import SystemIO

/// A capture device of this machine.
final class DeviceInput: MonitorInput {
  private var player: DevicePlayer

  init(name: String) throws(DeviceError) {
    player = DevicePlayer(name: name, device: try PcapDevice(name: name))
  }

  var descriptor: Int32? { player.descriptor }
  var nextLook: UInt64? { player.reopenAt }
  var damages: [CaptureError] { [] }
  var notes: [String] { [] }

  func moment(at now: UInt64) -> UInt64 { now }

  func pump(into engine: inout MonitorEngine, at now: UInt64) throws(CaptureError) -> InputState {
    try player.pump(into: &engine, at: now)
  }
}

/// An open device, or one that went and may come back.
private struct DevicePlayer: ~Copyable {
  /// Packets taken at once, so that what they show is seen in between.
  private static let batch = 256
  /// How often a device that went is looked for.
  private static let reopenInterval: UInt64 = 1_000_000_000

  let name: String
  private var device: PcapDevice?
  private(set) var descriptor: Int32?
  private(set) var reopenAt: UInt64?

  init(name: String, device: consuming PcapDevice) {
    self.name = name
    descriptor = device.descriptor
    self.device = consume device
  }

  mutating func pump(
    into engine: inout MonitorEngine, at now: UInt64
  ) throws(CaptureError) -> InputState {
    if let reopenAt {
      guard reopenAt <= now else { return .waiting }
      reopen(at: now)
      return .waiting
    }
    do throws(CaptureError) {
      for _ in 0..<DevicePlayer.batch where !engine.hasRows {
        guard let record = try device?.next() else { return .waiting }
        engine.take(record, at: now)
      }
    } catch {
      // An adapter that was pulled out may be plugged in again.
      device = nil
      descriptor = nil
      reopenAt = now &+ DevicePlayer.reopenInterval
      return .waiting
    }
    return .ready
  }

  private mutating func reopen(at now: UInt64) {
    do throws(DeviceError) {
      let opened = try PcapDevice(name: name)
      descriptor = opened.descriptor
      device = consume opened
      reopenAt = nil
    } catch {
      reopenAt = now &+ DevicePlayer.reopenInterval
    }
  }
}
