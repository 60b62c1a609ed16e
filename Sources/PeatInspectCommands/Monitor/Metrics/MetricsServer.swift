import SystemIO

/// Answers scrapes between the turns of the poll loop; it never waits for a client.
final class MetricsServer {
  /// Clients at a time; of more, the one that has been silent for longest makes room.
  static let clientLimit = 16
  /// Connections taken in one turn; others wait in the kernel's queue for the next one.
  private static let acceptLimit = 64
  /// How long a client may take from its connection to the end of the answer.
  static let patience: UInt64 = 5_000_000_000
  /// How often an answer that the kernel did not take whole is tried again.
  private static let retryInterval: UInt64 = 10_000_000

  private struct Client {
    let connection: Connection
    let deadline: UInt64
    var request: [UInt8] = []
    var answer: ArraySlice<UInt8> = []
    var isAnswered = false
  }

  private let listener: Listener
  private var clients: [Client] = []
  private var buffer = [UInt8](repeating: 0, count: 4096)

  init(_ address: MetricsAddress) throws(Errno) {
    listener = try Listener(address: address.address, port: address.port)
  }

  var port: UInt16 { listener.port }

  /// What wakes the loop.
  var descriptors: [Int32] {
    [listener.descriptor] + clients.filter { !$0.isAnswered }.map { $0.connection.descriptor }
  }

  /// When to look again though no descriptor can be read.
  func deadline(at now: UInt64) -> UInt64? {
    clients.map { $0.isAnswered ? now &+ MetricsServer.retryInterval : $0.deadline }.min()
  }

  /// Takes who came, reads, answers, and drops who is done or too slow.
  ///
  /// Who asks at once is answered at once, however many others ask nothing.
  func serve(at now: UInt64, metrics: () -> [UInt8]) {
    // Made once a turn, whoever asks.
    var made: [UInt8]?
    func metricsOfTurn() -> [UInt8] {
      let bytes = made ?? metrics()
      made = bytes
      return bytes
    }
    for index in clients.indices.reversed() where !proceed(index, at: now, metricsOfTurn) {
      clients.remove(at: index)
    }
    for _ in 0..<MetricsServer.acceptLimit {
      guard let connection = listener.accept() else { return }
      if clients.count >= MetricsServer.clientLimit {
        clients.remove(at: clients.firstIndex { !$0.isAnswered } ?? 0)
      }
      clients.append(Client(connection: connection, deadline: now &+ MetricsServer.patience))
      if !proceed(clients.count - 1, at: now, metricsOfTurn) { clients.removeLast() }
    }
  }

  /// One step with a client; false where it is done with.
  private func proceed(_ index: Int, at now: UInt64, _ metrics: () -> [UInt8]) -> Bool {
    guard now < clients[index].deadline else { return false }
    if !clients[index].isAnswered {
      switch clients[index].connection.receive(into: &buffer) {
      case .wouldWait: return true
      case .ended: return false
      case .moved(let count): clients[index].request += buffer[..<count]
      }
      let request = clients[index].request
      if request.count > MetricsRequest.limit {
        clients[index].answer = MetricsRequest.refusal("400 Bad Request")[...]
      } else if MetricsRequest.isWhole(request) {
        clients[index].answer = MetricsRequest.answer(to: request, metrics: metrics)[...]
      } else {
        return true
      }
      clients[index].isAnswered = true
    }
    switch clients[index].connection.send(clients[index].answer) {
    case .wouldWait: return true
    case .ended: return false
    case .moved(let count): clients[index].answer = clients[index].answer.dropFirst(count)
    }
    guard clients[index].answer.isEmpty else { return true }
    clients[index].connection.finishSending()
    return false
  }
}
