import BluetoothHost
import LiveCapture
import Testing

/// What devices a machine has, and what each lacks.
struct CaptureDeviceTests {
  private let up = Adapter(index: 0, address: "00:AA:01:00:00:00", isUp: true)
  private let down = Adapter(index: 3, address: "00:AA:01:03:00:03", isUp: false)

  private func devices(
    _ adapters: [Adapter], isSupported: Bool = true, privileges: Privileges = .rawSockets
  ) -> [CaptureDevice] {
    CaptureDevice.devices(
      adapters: adapters, isSupported: isSupported, privileges: privileges,
      setcap: "sudo setcap cap_net_raw+ep /usr/local/bin/peat-inspect")
  }

  @Test("with permission and power nothing lacks")
  func ready() {
    let found = devices([up])
    #expect(found.map(\.name) == ["bluetooth-monitor", "bluetooth0"])
    #expect(!found.contains { !$0.isReady })
    #expect(found[1].description.contains("00:AA:01:00:00:00"))
  }

  @Test("without CAP_NET_RAW each says so, with the command that gives it")
  func permission() {
    for device in devices([up], privileges: []) {
      #expect(!device.isReady)
      #expect(device.lacks[0].description.contains("CAP_NET_RAW"))
      #expect(device.lacks[0].remedy == "sudo setcap cap_net_raw+ep /usr/local/bin/peat-inspect")
    }
    // bluetooth0 could be opened, and would silently give a few events.
    #expect(devices([up], privileges: [])[1].lacks[0].reason.contains("only some events"))
  }

  @Test("an adapter that is down says how to power it on")
  func power() {
    let found = devices([up, down])
    #expect(found[2].name == "bluetooth3")
    #expect(found[2].lacks.map(\.remedy) == ["sudo btmgmt --index 3 power on"])
  }

  @Test("a kernel without Bluetooth has no devices")
  func kernel() {
    #expect(devices([up], isSupported: false).isEmpty)
    #expect(CaptureDevice.unsupported.remedy == "sudo modprobe bluetooth")
  }

  @Test("a device that does not exist is refused with a reason")
  func missing() {
    #expect(throws: DeviceError.self) { _ = try PcapDevice(name: "bluetooth99") }
  }
}

/// What is lost while one captures, of a counter that began before.
struct LossCounterTests {
  @Test func `what was lost before the capture began does not count`() {
    var losses = LossCounter(from: 81)
    #expect(losses.lost == 0)
    for count in [81, 81, 84] as [UInt32] { losses.read(count) }
    #expect(losses.lost == 3)
  }

  @Test func `an adapter that counts from 0 again loses nothing that was counted`() {
    var losses = LossCounter(from: 81)
    // 2 more, set back and 5 since then, 1 more.
    for count in [83, 5, 6] as [UInt32] { losses.read(count) }
    #expect(losses.lost == 8)
    losses = LossCounter(from: .max)
    for count in [0, 4] as [UInt32] { losses.read(count) }
    #expect(losses.lost == 4)
  }
}
