import BluetoothHost
import Foundation
import LiveCapture
import PeatTestSupport
import Testing

@testable import PeatInspectCommands

/// `interfaces`, and `monitor -i` where something is missing.
struct InterfacesTests {
  private let devices = CaptureDevice.devices(
    adapters: [Adapter(index: 0, address: "00:AA:01:00:00:00", isUp: false)], isSupported: true,
    privileges: [], setcap: "sudo setcap cap_net_raw+ep /usr/bin/peat-inspect")

  private func text(_ format: RawOptions.Format) -> String {
    String(
      decoding: InterfacesCommand(format: format, devices: devices).text().bytes, as: UTF8.self)
  }

  @Test("below each interface stands what it lacks and the command to type")
  func table() {
    #expect(
      text(.text) == """
        bluetooth-monitor  all adapters, as btmon sees them
                           permission is missing (CAP_NET_RAW)
                             sudo setcap cap_net_raw+ep /usr/bin/peat-inspect
        bluetooth0         adapter hci0, 00:AA:01:00:00:00
                           permission is missing (CAP_NET_RAW): only some events would come, and no data
                             sudo setcap cap_net_raw+ep /usr/bin/peat-inspect
                           the adapter hci0 is down
                             sudo btmgmt --index 0 power on

        """)
  }

  @Test("ndjson gives one object an interface")
  func records() throws {
    let lines = text(.ndjson).split(separator: "\n")
    #expect(lines.count == 2)
    let record = try JSON(parsing: Data(lines[1].utf8))
    #expect(record["name"].string == "bluetooth0")
    #expect(record["ready"].bool == false)
    #expect(record["lacks"].array?.count == 2)
  }

  @Test("a device that is not there gives 5 and one line that says what to do")
  func missing() throws {
    let run = try CommandRun(["monitor", "-i", "bluetooth99"])
    #expect(run.status == 5)
    #expect(run.standardError.contains("bluetooth99"))
    #expect(run.standardError.contains("; type: "))
    #expect(run.standardError.split(separator: "\n").count == 1)
  }

  @Test("-i beside a replay, or twice the same, is refused")
  func twoSources() throws {
    for wrong in [
      ["-i", "bluetooth0", "--replay", "x"], ["-i", "bluetooth0", "-i", "bluetooth0"], ["-", "-"],
    ] {
      #expect(try CommandRun(["monitor"] + wrong).status == 2)
    }
  }
}
