import CaptureFormats
import CommandLineOptions
import LiveCapture
import SystemIO

extension MonitorConfiguration {
  /// Refuses a recording that would empty what the run reads, under whatever name.
  func checkRecording() throws(UsageError) {
    let captures: [String] =
      switch source {
      case .replay(let path, _), .path(let path): [path]
      case .device: []
      }
    try OutputGuard(raw, captures: captures).check(recording?.path, option: "--write")
  }

  /// Opens what is monitored, gives up what only that needed, and tells what it is called.
  func openInput() throws -> (input: any MonitorInput, name: String) {
    let isStrict = raw.isStrict
    switch source {
    case .device(let name):
      let device = try RecoveringInput(name: name) { (frames) throws(DeviceError) in
        try DeviceInput(name: name, frames: frames)
      }
      // To open bluetoothN again when its adapter comes back needs what opening it needed.
      guard
        Privileges.drop(
          except: name == "bluetooth-monitor" ? [] : .rawSockets,
          sudoUser: SudoUser.current(Environment()))
      else {
        throw DeviceError(
          device: name, reason: "the kernel does not let go of privileges that are not needed")
      }
      return (device, name)
    case .replay(let path, let speed):
      return (try ReplayInput(path: path, speed: speed, isStrict: isStrict), path)
    case .path("-"):
      return (StreamInput(.standardInput, path: "-", isStrict: isStrict), "-")
    case .path(let path):
      if try FileStatus(path: path).kind == .regular {
        return (try GrowingFileInput(path: path, isStrict: isStrict), path)
      }
      let descriptor = try FileDescriptor.open(readOnly: path)
      return (StreamInput(descriptor, path: path, isStrict: isStrict), path)
    }
  }
}
