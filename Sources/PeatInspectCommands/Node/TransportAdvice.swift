import BluetoothHost
import SystemIO

extension TransportError {
  /// What is wrong and which command helps (formats.md 13).
  func advice(for transport: TransportName) -> String {
    if case .serial(let path, _) = transport, case .system(let errno) = self, errno.isPermission {
      return "\(path): no permission; serial lines belong to the group dialout: "
        + "sudo usermod -aG dialout \"$USER\", then log in again"
    }
    guard case .controller(let index) = transport, case .system(let errno) = self else {
      return "\(self)"
    }
    let name = "hci\(index)"
    if errno.isPermission {
      return
        "\(name): taking a controller over needs CAP_NET_ADMIN: run with sudo, or give it once "
        + "with: sudo setcap cap_net_admin+ep \"$(command -v peat-inspect)\""
    }
    if errno.isBusy {
      return "\(name): the controller is up, or in use by bluetoothd: free it with: "
        + "sudo systemctl stop bluetooth; sudo btmgmt --index \(index) power off"
    }
    if errno.isMissingDevice {
      return "\(name): there is no such controller; list them with: btmgmt info"
    }
    if errno.isMissingFamily {
      return "\(name): this kernel or container has no Bluetooth; load it with: "
        + "sudo modprobe bluetooth"
    }
    return "\(self)"
  }
}
