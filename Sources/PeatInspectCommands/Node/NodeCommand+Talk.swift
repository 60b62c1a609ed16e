import BluetoothHost
import BluetoothProtocols
import PeatDissection
import PeatNode

extension NodeCommand {
  /// Carries out a line of the user's.
  mutating func obey(_ line: String) {
    do throws(NodeOrder.Fault) {
      guard let order = try NodeOrder.parse(line) else { return }
      if order == .quit { isEnding = true }
      console.answer(node.perform(order, now: milliseconds(), wall: wall()))
    } catch {
      console.answer([error.reason])
    }
  }

  /// Tells the user what happened, and draws consequences.
  mutating func take(_ note: LiveNote) throws {
    switch note {
    case .failed(let reason):
      let advice = reason.advice(for: configuration.transport, named: configuration.adapter)
      if hasStarted { return try lose(advice) }
      console.hold(advice)
      status = .missingDevice
      isEnding = true
    case .refused(let reason):
      if let line = refusals.line(for: reason, now: milliseconds()) {
        console.warn("refused: \(line)")
      }
    case .started(let address, let isExtended):
      hasStarted = true
      if let seconds = transport.restored(now: milliseconds()) {
        console.say("\(configuration.adapter): the controller is back after \(seconds) s")
      }
      let commands = isExtended ? ", extended commands" : ", legacy commands"
      console.say(
        "node \(state.node) of mesh \(configuration.mesh) at \(address)"
          + (configuration.raw.verbosity > 0 ? commands : ""))
    case .emergency(let source, _): console.say("EMERGENCY of node \(source)")
    case .connectionEnded(let peer, let failure):
      console.say(failure.map { NodeCommand.text(failure: $0, peer) } ?? "\(peer): connected")
    case .linked(let peer, let isOwn):
      tellLink(peer, isOwn ? "link opened" : "has connected")
    case .unlinked(let peer, let reason):
      tellLink(peer, "link ended (\(Disconnection.reason(reason, by: nil).words))")
    case .full(let count):
      console.say(
        "the controller takes no more than \(NodeCommand.links(count)): peers take turns")
    case .waiting(let peer, let count):
      tellLink(peer, "has to wait for its turn, \(NodeCommand.links(count)) are in use")
    case .gaveWay(let peer): tellLink(peer, "link ended, to give another peer its turn")
    case .encrypted(let peer): tellDetail("\(peer): paired, encrypted")
    case .addressChanged(let address): tellDetail("address is now \(address)")
    case .found(let peer): tellDetail("\(peer): serves documents")
    }
  }

  private static func links(_ count: Int) -> String { count == 1 ? "1 link" : "\(count) links" }

  private func tellDetail(_ text: String) {
    if configuration.raw.verbosity > 0 { console.say(text) }
  }

  /// Tells of a link, of each peer and kind at most once in a while: some come and go every second.
  private mutating func tellLink(_ peer: DeviceAddress, _ text: String) {
    if isEnding { return }
    let name = node.node(at: peer).map { "\($0) at \(peer)" } ?? "\(peer)"
    let line = linkNews.line(for: "\(name): \(text)", kind: "\(peer) \(text)", now: milliseconds())
    if let line { console.tell(line) }
  }

  /// By the controller's error codes (Core Specification Vol 1 Part F, 2).
  private static func text(failure: UInt8, _ peer: DeviceAddress) -> String {
    switch failure {
    case 0x02, 0x3C:
      "\(peer): no answer; is its address of the other kind? connect ADDR public, or random"
    case 0x0C: "\(peer): not connected, the controller is making another connection"
    case 0x0D: "\(peer): not connected, no link is free"
    case 0x3E: "\(peer): the connection broke down at once"
    default: "\(peer): not connected, error \(failure) of the controller"
    }
  }
}
