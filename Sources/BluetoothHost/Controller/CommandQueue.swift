import BluetoothProtocols

/// The commands that wait for the controller: one is sent at a time, and only where the controller
/// has room for it (Core Specification Vol 4 Part E, 4.4).
struct CommandQueue: Sendable {
  /// Time for an answer in milliseconds. Every other command waits meanwhile, so what can be done
  /// without gets less.
  static func timeout(of opcode: HCIOpcode) -> UInt64 {
    if opcode == .reset { return 8_000 }
    return opcode.isDispensable ? 2_000 : 10_000
  }

  struct Entry: Sendable, Equatable {
    var opcode: HCIOpcode
    var parameters: [UInt8]
  }

  private var waiting: [Entry] = []
  /// The command whose answer is awaited, and until when.
  private(set) var sent: (entry: Entry, deadline: UInt64)?
  /// Commands that the controller has room for.
  private var credits: UInt8 = 1

  /// Whether a command waits or is under way that `isWanted` holds for.
  func contains(_ isWanted: (HCIOpcode) -> Bool) -> Bool {
    (sent.map { isWanted($0.entry.opcode) } ?? false) || waiting.contains { isWanted($0.opcode) }
  }

  mutating func append(_ opcode: HCIOpcode, _ parameters: [UInt8]) {
    waiting.append(Entry(opcode: opcode, parameters: parameters))
  }

  /// Takes the controller's word on its room, and the command that it answers.
  mutating func answered(_ opcode: HCIOpcode, credits: UInt8) -> Entry? {
    self.credits = credits
    guard let sent, sent.entry.opcode == opcode else { return nil }
    self.sent = nil
    return sent.entry
  }

  /// Waits no longer for the answer to the command under way.
  mutating func giveUp() {
    sent = nil
    // The room that it took would come back with its answer.
    credits = max(credits, 1)
  }

  /// The command to send now.
  mutating func next(now: UInt64) -> Entry? {
    guard sent == nil, credits > 0, !waiting.isEmpty else { return nil }
    let entry = waiting.removeFirst()
    credits -= 1
    sent = (entry, now &+ CommandQueue.timeout(of: entry.opcode))
    return entry
  }

  /// Forgets all commands, as a reset does.
  mutating func reset() { self = CommandQueue() }
}
