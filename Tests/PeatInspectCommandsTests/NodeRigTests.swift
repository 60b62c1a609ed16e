import Foundation
import PeatTestSupport
import Testing

/// More of the built tool against Bumble's stack: whose emergency, encrypted links, private
/// addresses, a serial line.
@Suite(.serialized, .enabled(if: Bumble.isInstalled))
struct NodeRigTests {
  @Test("a peer's emergency is acknowledged by order", arguments: ["peripheral", "central"])
  func emergencyOfPeer(_ role: String) throws {
    var session = try NodeSession("peer.py", ["--role", role])
    let node = try session.node()
    #expect(session.peer.next("heard") != nil)
    session.peer.order("emergency")
    let isAcknowledged = session.peer.reaches(before: { node.order("ack") }) { state in
      state["emergency"]["source"].string == "2B5C0001"
        && state["emergency"]["acked"].array?.contains {
          $0.string == NodeSession.identifier
        } == true
    }
    #expect(isAcknowledged)
    node.order("quit")
    node.wait()
    session.peer.order("quit")
    #expect(node.status == 0)
    #expect(try session.messages().contains("EMERGENCY of node 2B5C0001"))
  }

  @Test(
    "a peer that insists on pairing gets it by Just Works", arguments: ["peripheral", "central"])
  func pairing(_ role: String) throws {
    var session = try NodeSession("peer.py", ["--role", role, "--encrypt", "--pairing"])
    let node = try session.node(["--pairing", "just-works", "-v"])
    #expect(session.peer.next("encrypted")?["on"].bool == true)
    node.order("emergency")
    let isTold = session.peer.reaches { $0["emergency"]["source"].string == NodeSession.identifier }
    #expect(isTold)
    node.order("quit")
    node.wait()
    session.peer.order("quit")
    #expect(node.status == 0)
    #expect(try session.messages().contains("paired, encrypted"))
  }

  @Test("private addresses need a controller that encrypts, and say so where it does not")
  func privateAddresses() throws {
    var session = try NodeSession("peer.py", ["--encrypt"])
    let node = try session.node(["--private-address"])
    #expect(session.peer.next("heard") != nil)
    node.order("quit")
    node.wait()
    session.peer.order("quit")
    #expect(node.status == 0)

    let other = try NodeSession()
    let failing = try other.node(["--private-address"])
    failing.wait()
    other.peer.order("quit")
    #expect(failing.status == 5)
    #expect(try other.messages().contains("run without --private-address"))
  }

  @Test("where the controller cannot encrypt, pairing is refused as not supported")
  func pairingWithoutEncryption() throws {
    var session = try NodeSession()
    let node = try session.node(["--pairing", "just-works"])
    #expect(session.peer.next("heard") != nil)
    node.order("quit")
    node.wait()
    session.peer.order("quit")
    #expect(node.status == 0)
    #expect(
      try session.messages().contains(
        "pairing, as not supported: the controller has no LE Encrypt or LE Rand command"))
  }

  @Test("a serial line leads to a controller; when it has gone, the node keeps what it knows")
  func serial() throws {
    var session = try NodeSession()
    var bridge = try Companion(
      Bumble.python, ["-B", Bumble.script("serial-bridge.py"), "\(session.port)"])
    let line = try #require(bridge.next("listening")?["path"].string)
    let node = try session.node(hci: "serial:\(line),115200")
    #expect(session.peer.next("heard") != nil)
    node.order("emergency")
    let isTold = session.peer.reaches { $0["emergency"]["source"].string == NodeSession.identifier }
    #expect(isTold)
    bridge.order("end")
    #expect(session.peer.next("gone") != nil)
    node.order("position 46.5 7.25")
    node.order("quit")
    node.wait()
    session.peer.order("quit")
    #expect(node.status == 0)
    // The count was kept, although the node could not end its links.
    let state = String(
      decoding: try session.folder.contents("state/peat-inspect/node-0A0B0C0D-TEST"),
      as: UTF8.self)
    #expect(state.contains("\ncounter 1\n"))
    #expect(state.contains("\nposition 46.5 7.25\n"))
  }

  @Test("a node whose controller goes waits for it, and goes on with its state")
  func controllerComesBack() throws {
    var session = try NodeSession()
    let node = try session.node()
    #expect(session.peer.next("heard") != nil)
    node.order("emergency")
    let isTold = session.peer.reaches { $0["emergency"]["source"].string == NodeSession.identifier }
    #expect(isTold)
    session.peer.order("cut")
    #expect(session.peer.next("gone") != nil)
    session.peer.order("ack")
    #expect(session.peer.next("connected") != nil)
    let isKnown = session.peer.reaches(before: { node.order("ack") }) { state in
      state["emergency"]["acked"].array?.count == 2 && state["counter"]["0A0B0C0D"].int == 1
    }
    #expect(isKnown)
    node.order("state")
    #expect(session.peer.next("heard") != nil)
    node.order("quit")
    node.wait()
    session.peer.order("quit")
    #expect(node.status == 0)
    let messages = try session.messages()
    #expect(messages.contains("the controller has gone; the node goes on when it is back"))
    #expect(messages.contains("the controller is back after "))
    #expect(messages.contains("acked: 0A0B0C0D 2B5C0001; pending: none"))
  }

  @Test("where the controller takes two links, five peers take turns, and it is said")
  func turns() throws {
    var session = try NodeSession("peer.py", ["--role", "central", "--count", "5", "--links", "2"])
    let node = try session.node()
    node.order("emergency")
    var informed: Set<String> = []
    while informed.count < 5, session.peer.next("heard") != nil {
      session.peer.order("ack")
      session.peer.order("state")
      for index in 1...5 {
        let state = session.peer.next("state")
        if state?["emergency"]["source"].string == NodeSession.identifier {
          informed.insert("\(index)")
        }
      }
    }
    #expect(informed.count == 5)
    node.order("quit")
    node.wait()
    session.peer.order("quit")
    #expect(node.status == 0)
    let messages = try session.messages()
    #expect(messages.contains("the controller takes no more than 2 links: peers take turns"))
    #expect(messages.contains("link ended, to give another peer its turn"))
  }

  @Test("peers that do what none should are refused and told of, and a good one is served")
  func hostile() throws {
    var session = try NodeSession("hostile.py")
    let node = try session.node()
    #expect(session.peer.next("heard") != nil)
    session.peer.order("attack")
    #expect(session.peer.next("done") != nil)
    node.order("emergency")
    let isTold = session.peer.reaches { $0["emergency"]["source"].string == NodeSession.identifier }
    #expect(isTold)
    // 30 MiB is what it takes; what 8000 hostile frames leave behind would be on top.
    let memory = try #require(node.peakMemory)
    #expect(memory < 128 * 1_024)
    node.order("quit")
    node.wait()
    session.peer.order("quit")
    #expect(node.status == 0)
    let messages = try session.messages()
    for part in [
      "prepare queue full", "invalid PDU", "L2CAP frame of", "ACL data beyond its L2CAP frame",
      "more than 256 counters", "a count of 18446744073709551615 for this node", "more like it",
    ] {
      #expect(messages.contains(part), "\(part)")
    }
    let refusals = messages.split(separator: "\n").count { $0.contains("refused: ") }
    #expect(refusals < 60)
  }
}
