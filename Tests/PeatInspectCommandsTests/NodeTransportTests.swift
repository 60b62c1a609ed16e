import BluetoothHost
import Foundation
import PeatTestSupport
import SystemIO
import Testing

@testable import PeatInspectCommands

/// What `node` says where its controller is not there, says nothing, or goes.
@Suite struct NodeTransportTests {
  /// Error numbers of Linux's errno.h (asm-generic).
  static let reasons: [(TransportName, Errno, [String])] = [
    (
      .controller(0), Errno(code: 1, call: "bind"),
      ["hci0", "sudo setcap cap_net_admin,cap_net_raw+ep"]
    ),
    (.controller(0), Errno(code: 13, call: "bind"), ["setcap", "run with sudo"]),
    (
      .controller(1), Errno(code: 16, call: "bind"),
      ["sudo systemctl stop bluetooth", "btmgmt --index 1 power off", "hciconfig hci1 down"]
    ),
    (.controller(2), Errno(code: 19, call: "bind"), ["no such controller", "btmgmt info"]),
    (.controller(0), Errno(code: 132, call: "bind"), ["sudo rfkill unblock bluetooth"]),
    (.controller(0), Errno(code: 97, call: "socket"), ["sudo modprobe bluetooth"]),
    (.controller(0), Errno(code: 5, call: "bind", path: "hci0"), ["hci0: "]),
    (
      .tcp(host: "h", port: 9), Errno(code: 111, call: "connect"), ["h:9", "start the controller"]
    ),
    (.tcp(host: "h", port: 9), Errno(code: 110, call: "connect"), ["within 10 s", "firewall"]),
    (.tcp(host: "h", port: 9), Errno(code: 99, call: "getaddrinfo"), ["no host of this name"]),
    (
      .serial(path: "/dev/ttyACM0", baud: 115_200), Errno(code: 13, call: "open"),
      ["/dev/ttyACM0: no permission", "sudo usermod -aG dialout"]
    ),
    (
      .serial(path: "/dev/ttyACM0", baud: 115_200), Errno(code: 2, call: "open"),
      ["/dev/ttyACM0", "ls /dev/serial/by-id"]
    ),
    (
      .serial(path: "/dev/null", baud: 115_200), Errno(code: 25, call: "tcgetattr"),
      ["/dev/null", "a serial line is needed"]
    ),
  ]

  @Test("each reason of the kernel comes with the command that helps", arguments: reasons)
  func advice(_ transport: TransportName, _ errno: Errno, _ parts: [String]) {
    let text = TransportError.system(errno).advice(for: transport)
    for part in parts { #expect(text.contains(part), "\(errno)") }
  }

  @Test("a silent controller comes with what to check, by kind of transport")
  func silence() {
    let table: [(TransportName, String)] = [
      (.controller(3), "btmgmt --index 3"), (.tcp(host: "h", port: 1), "H4 framing"),
      (.serial(path: "/dev/ttyACM0", baud: 115_200), "115200 baud here"),
    ]
    for (transport, part) in table {
      let text = HostFailure.silent(.reset, seconds: 8).advice(for: transport, named: "X")
      #expect(text.hasPrefix("X: the controller does not answer HCI_Reset within 8 s: "))
      #expect(text.contains(part))
    }
  }

  private func node(
    _ hci: String, input: CommandRun.Input = .nothing, folder: ScratchFolder
  ) throws -> CommandRun {
    try CommandRun(
      ["node", "--hci", hci, "--node-id", "0A0B0C0D", "-f", "ndjson"], input: input,
      environment: ["XDG_STATE_HOME": folder.path("state")])
  }

  @Test("a controller that is silent from the start is told of, with status 5")
  func silentController() throws {
    let folder = try ScratchFolder()
    let listener = try Listener(address: "127.0.0.1", port: 0)
    let run = try node("tcp:127.0.0.1:\(listener.port)", folder: folder)
    #expect(run.status == 5)
    #expect(run.standardError.contains("does not answer HCI_Reset within 8 s: check that"))
  }

  @Test("a controller that goes ends the node with status 5, and the count is kept")
  func vanishing() throws {
    let folder = try ScratchFolder()
    let listener = try Listener(address: "127.0.0.1", port: 0)
    let port = listener.port
    let server = Thread {
      // The HCI_Reset that comes first, and the answer that it needs; then the end.
      _ = try? Readiness.wait(for: [listener.descriptor], milliseconds: 10_000)
      guard let connection = listener.accept() else { return }
      var buffer = [UInt8](repeating: 0, count: 64)
      _ = try? Readiness.wait(for: [connection.descriptor], milliseconds: 10_000)
      _ = connection.receive(into: &buffer)
      _ = connection.send([0x04, 0x0E, 4, 1, 0x03, 0x0C, 0])
      // The next command tells that the answer was taken.
      _ = try? Readiness.wait(for: [connection.descriptor], milliseconds: 10_000)
      Thread.sleep(forTimeInterval: 0.3)
    }
    server.start()
    let run = try node(
      "tcp:127.0.0.1:\(port)", input: .pipe(Array("emergency\n".utf8)), folder: folder)
    #expect(run.status == 5)
    #expect(run.standardError.contains("127.0.0.1:\(port): the controller has gone"))
    let state = try folder.contents("state/peat-inspect/node-0A0B0C0D-DEMO")
    #expect(String(decoding: state, as: UTF8.self).contains("\ncounter 1\n"))
  }

  @Test("what cannot be a controller has the status that belongs to it")
  func statuses() throws {
    let folder = try ScratchFolder()
    let table: [(String, Int32, String)] = [
      ("serial:/dev/ttyACM0,fast", 2, "serial:PATH[,BAUD]"),
      ("serial:/dev/ttyACM0,12345", 2, "serial:PATH[,BAUD]"),
      ("serial:/nowhere/ttyACM0,115200", 5, "ls /dev/serial/by-id"),
      ("serial:/dev/null", 5, "a serial line is needed"),
      ("tcp:127.0.0.1:1", 5, "nothing listens there"),
    ]
    for (hci, status, part) in table {
      let run = try node(hci, folder: folder)
      #expect(run.status == status, "\(hci)")
      #expect(run.standardError.contains(part), "\(run.standardError)")
    }
  }
}
