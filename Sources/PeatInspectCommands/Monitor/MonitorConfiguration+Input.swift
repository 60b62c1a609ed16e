import CaptureFormats
import CommandLineOptions
import LiveCapture
import SystemIO

extension MonitorConfiguration {
  /// Refuses a recording that would empty what the run reads, under whatever name.
  func checkRecording() throws(UsageError) {
    let captures: [String] = sources.compactMap { source in
      switch source {
      case .replay(let path, _), .path(let path): path
      case .device: nil
      }
    }
    try OutputGuard(raw, captures: captures).check(recording?.path, option: "--write")
  }

  /// What all of the input is called.
  var inputName: String { sources.map(\.name).joined(separator: ", ") }

  /// Opens what is monitored, and gives up what only that needed.
  func openInput() throws -> any MonitorInput {
    var parts: [(input: any MonitorInput, name: String)] = []
    for source in sources { parts.append((input: try open(source), name: source.name)) }
    try dropPrivileges()
    return parts.count == 1 ? parts[0].input : CombinedInput(parts)
  }

  private func open(_ source: Source) throws -> any MonitorInput {
    switch source {
    case .device(let name):
      return try RecoveringInput(name: name) { (frames) throws(DeviceError) in
        try DeviceInput(name: name, frames: frames)
      }
    case .replay(let path, let speed):
      return try ReplayInput(path: path, speed: speed, isStrict: raw.isStrict)
    case .path("-"):
      return StreamInput(.standardInput, path: "-", isStrict: raw.isStrict)
    case .path(let path):
      if try FileStatus(path: path).kind == .regular {
        return try GrowingFileInput(path: path, isStrict: raw.isStrict)
      }
      // Beside others, one whose writer is late holds nobody up.
      let descriptor =
        sources.count == 1
        ? try FileDescriptor.open(readOnly: path)
        : try FileDescriptor.open(withoutWaiting: path)
      return StreamInput(descriptor, path: path, isStrict: raw.isStrict)
    }
  }

  /// To open bluetoothN again when its adapter comes back needs what opening it needed.
  private func dropPrivileges() throws {
    let devices = sources.compactMap { source in
      if case .device(let name) = source { name } else { nil }
    }
    guard let first = devices.first else { return }
    let isReopened = devices.contains { $0 != "bluetooth-monitor" }
    guard
      Privileges.drop(
        except: isReopened ? .rawSockets : [], sudoUser: SudoUser.current(Environment()))
    else {
      throw DeviceError(
        device: first, reason: "the kernel does not let go of privileges that are not needed")
    }
  }
}
