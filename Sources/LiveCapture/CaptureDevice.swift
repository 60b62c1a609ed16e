package import BluetoothHost

/// A device that can be captured from, and what it lacks.
package struct CaptureDevice: Sendable, Equatable {
  /// libpcap's name: `bluetooth0`, `bluetooth-monitor`.
  package var name: String
  /// What it is, for a person.
  package var description: String
  /// Why nothing can be captured now, each with the command that helps.
  package var lacks: [DeviceError]

  /// Whether it can be captured from.
  package var isReady: Bool { lacks.isEmpty }

  package init(name: String, description: String, lacks: [DeviceError]) {
    self.name = name
    self.description = description
    self.lacks = lacks
  }
}

extension CaptureDevice {
  /// The devices of a machine with these adapters and privileges; pure, so that tests can ask.
  package static func devices(
    adapters: [Adapter], isSupported: Bool, privileges: Privileges, setcap: String
  ) -> [CaptureDevice] {
    guard isSupported else { return [] }
    let monitor = CaptureDevice(
      name: "bluetooth-monitor", description: "all adapters, as btmon sees them",
      lacks: privileges.contains(.rawSockets)
        ? [] : [missingPermission("bluetooth-monitor", setcap)])
    return [monitor]
      + adapters.map { adapter in
        let name = "bluetooth\(adapter.index)"
        var lacks: [DeviceError] = []
        if !privileges.contains(.rawSockets) { lacks.append(missingPermission(name, setcap)) }
        if !adapter.isUp {
          lacks.append(
            DeviceError(
              device: name, reason: "the adapter hci\(adapter.index) is down",
              remedy: "sudo btmgmt --index \(adapter.index) power on"))
        }
        return CaptureDevice(
          name: name, description: "adapter hci\(adapter.index), \(adapter.address)", lacks: lacks)
      }
  }

  /// The devices of this machine.
  package static func all() -> [CaptureDevice] {
    devices(
      adapters: Adapters.all(), isSupported: Adapters.areSupported, privileges: .current,
      setcap: Privileges.setcapCommand)
  }

  /// What to say where the kernel has no Bluetooth at all.
  package static let unsupported = DeviceError(
    device: "Bluetooth", reason: Adapters.missing, remedy: Adapters.remedy)

  static func missingPermission(_ name: String, _ setcap: String) -> DeviceError {
    let reason =
      name == "bluetooth-monitor"
      ? "permission is missing (CAP_NET_RAW)"
      : "permission is missing (CAP_NET_RAW): only some events would come, and no data"
    return DeviceError(device: name, reason: reason, remedy: setcap)
  }
}
