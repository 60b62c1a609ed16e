import SMPProtocol
import WireBytes

/// What the values of a handle that no discovery names say about firmware upgrades over it.
///
/// The rule: at least two requests have the answer that their number names, both with a body that
/// reads as CBOR, and values that are of no message are at most a quarter as many as messages.
struct UpgradeEvidence: Sendable {
  private static let waitingLimit = 16
  private static let bodyLimit: UInt16 = 16_384

  private var fromServer = SMPReassembler()
  private var fromClient = SMPReassembler()
  private var waiting: [SMPHeader] = []
  private var messages = 0
  private var answered = 0
  private var foreign = 0

  mutating func add(_ bytes: [UInt8], isFromServer: Bool) {
    let pending = isFromServer ? fromServer.pending : fromClient.pending
    guard pending > 0 || UpgradeEvidence.beginsMessage(bytes, isFromServer: isFromServer) else {
      foreign += 1
      return
    }
    let step = isFromServer ? fromServer.take(bytes).step : fromClient.take(bytes).step
    switch step {
    case .waiting: return
    case .foreign: foreign += 1
    case .message(let whole):
      var reader = ByteReader(whole.rawBytes, layer: .smp)
      guard let message = try? SMPMessage(&reader), message.trailing == 0,
        message.header.flags == 0, message.header.operation.isResponse == isFromServer
      else {
        foreign += 1
        return
      }
      messages += 1
      if isFromServer {
        guard let index = waiting.firstIndex(where: { $0.isAnswered(by: message.header) }) else {
          return
        }
        waiting.remove(at: index)
        answered += 1
      } else {
        if waiting.count == UpgradeEvidence.waitingLimit { waiting.removeFirst() }
        waiting.append(message.header)
      }
    }
  }

  /// Whether a value looks like the beginning of a message: right direction, no flag, a body that a
  /// server can hold and that is a map.
  private static func beginsMessage(_ bytes: [UInt8], isFromServer: Bool) -> Bool {
    var reader = ByteReader(bytes.rawBytes, layer: .smp)
    guard let header = try? SMPHeader(&reader), header.flags == 0, header.length <= bodyLimit,
      header.operation.isResponse == isFromServer
    else { return false }
    return reader.peek().map { $0 >> 5 == 5 } ?? true
  }

  /// Whether anything speaks for the handle: a message, or the beginning of one.
  var isCandidate: Bool {
    foreign * 4 <= messages && messages + fromServer.pending + fromClient.pending > 0
  }

  /// Whether the values suffice.
  var isSufficient: Bool { answered >= 2 && foreign * 4 <= messages }
}
