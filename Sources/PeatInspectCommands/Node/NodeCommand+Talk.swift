import BluetoothHost
import BluetoothProtocols
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
  mutating func take(_ note: LiveNote) {
    switch note {
    case .failed(let reason):
      console.hold(reason.advice(for: configuration.transport, named: configuration.adapter))
      status = .missingDevice
      isEnding = true
    case .refused(let reason):
      if let line = refusals.line(for: reason, now: milliseconds()) {
        console.warn("refused: \(line)")
      }
    case .started(let address, let isExtended):
      let commands = isExtended ? ", extended commands" : ", legacy commands"
      console.say(
        "node \(state.node) of mesh \(configuration.mesh) at \(address)"
          + (configuration.raw.verbosity > 0 ? commands : ""))
    case .emergency(let source, _): console.say("EMERGENCY of node \(source)")
    case .connectionEnded(let peer, let failure):
      console.say(failure.map { NodeCommand.text(failure: $0, peer) } ?? "\(peer): connected")
    case .linked, .unlinked, .encrypted, .addressChanged, .found:
      if configuration.raw.verbosity > 0, let text = NodeCommand.detail(note) { console.say(text) }
    }
  }

  private static func detail(_ note: LiveNote) -> String? {
    switch note {
    case .linked(let peer, let isOwn): "\(peer): \(isOwn ? "link opened" : "has connected")"
    case .unlinked(let peer, let reason): "\(peer): link ended, reason \(reason)"
    case .encrypted(let peer): "\(peer): paired, encrypted"
    case .addressChanged(let address): "address is now \(address)"
    case .found(let peer): "\(peer): serves documents"
    case .failed, .refused, .started, .emergency, .connectionEnded: nil
    }
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
