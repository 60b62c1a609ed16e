import BluetoothHost
import BluetoothProtocols
import SystemIO

extension TransportError {
  /// What is wrong and which command helps (formats.md 13).
  func advice(for transport: TransportName) -> String {
    guard case .system(let errno) = self else { return "\(self)" }
    let advice: String? =
      switch transport {
      case .controller(let index): errno.controllerAdvice(index)
      case .tcp(let host, let port): errno.connectionAdvice("\(host):\(port)")
      case .serial(let path, _): errno.serialAdvice(path)
      }
    return advice ?? "\(self)"
  }
}

extension Errno {
  /// Why a controller of this machine cannot be taken over; nil where the kernel's words say all.
  fileprivate func controllerAdvice(_ index: UInt16) -> String? {
    let name = "hci\(index)"
    if isPermission {
      return "\(name): taking a controller over needs CAP_NET_ADMIN: run with sudo, or give it "
        + "once with: sudo setcap cap_net_admin,cap_net_raw+ep \"$(command -v peat-inspect)\""
    }
    if isBusy {
      return "\(name): the controller is up, or in use by bluetoothd: free it with: "
        + "sudo systemctl stop bluetooth; sudo btmgmt --index \(index) power off "
        + "(or: sudo hciconfig \(name) down)"
    }
    if isMissingDevice {
      return "\(name): there is no such controller; list them with: btmgmt info"
    }
    if isRadioBlocked {
      return "\(name): the radio is switched off; switch it on with: sudo rfkill unblock bluetooth "
        + "(or its hardware switch)"
    }
    if isMissingFamily {
      return "\(name): \(Adapters.missing); type: \(Adapters.remedy)"
    }
    return nil
  }

  private func text(_ subject: String, _ advice: String) -> String {
    "\(subject): \(reason): \(advice)"
  }

  /// Why a TCP connection did not come about.
  fileprivate func connectionAdvice(_ address: String) -> String? {
    if call == "getaddrinfo" { return "\(address): there is no host of this name" }
    if isTimeout {
      return "\(address): no connection within \(H4Transport.connectionTimeout / 1_000) s: "
        + "check the address, and that no firewall is in the way"
    }
    if isRefused {
      return text(address, "nothing listens there; start the controller first, or check the port")
    }
    return nil
  }

  /// Why a serial line cannot be used.
  fileprivate func serialAdvice(_ path: String) -> String? {
    if isPermission {
      return "\(path): no permission; serial lines belong to the group dialout: "
        + "sudo usermod -aG dialout \"$USER\", then log in again"
    }
    if isMissingFile || isMissingDevice {
      return text(path, "list serial lines with: ls /dev/serial/by-id /dev/ttyACM* /dev/ttyUSB*")
    }
    if call == "tcgetattr" { return text(path, "a serial line is needed, such as /dev/ttyACM0") }
    return nil
  }
}

extension HostFailure {
  /// What is wrong, and where a controller is silent from the start, what to check.
  func advice(for transport: TransportName, named name: String) -> String {
    guard case .silent(.reset, _) = self else { return "\(name): \(self)" }
    let check =
      switch transport {
      case .controller(let index):
        "unplug it and plug it in again, or: sudo btmgmt --index \(index) power off; "
          + "see also: dmesg | grep -i bluetooth"
      case .tcp: "check that a controller that speaks HCI in H4 framing is behind this port"
      case .serial(_, let baud):
        "check its speed (\(baud) baud here), RTS/CTS flow control, and that it runs firmware that "
          + "speaks HCI in H4 framing, such as Zephyr's hci_uart"
      }
    return "\(name): \(self): \(check)"
  }
}
