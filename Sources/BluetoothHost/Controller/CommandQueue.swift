import BluetoothProtocols

/// The commands that wait for the controller: one is sent at a time, and only where the controller
/// has room for it (Core Specification Vol 4 Part E, 4.4).
struct CommandQueue: Sendable {
  /// Time for an answer in milliseconds.
  static let timeout: UInt64 = 10_000
  /// The same for what a link can do without: no other command goes out meanwhile.
  static let improvementTimeout: UInt64 = 2_000

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

  /// The command to send now.
  mutating func next(now: UInt64) -> Entry? {
    guard sent == nil, credits > 0, !waiting.isEmpty else { return nil }
    let entry = waiting.removeFirst()
    credits -= 1
    let timeout =
      entry.opcode.isImprovement ? CommandQueue.improvementTimeout : CommandQueue.timeout
    sent = (entry, now &+ timeout)
    return entry
  }

  /// The command that was sent brings no answer any more; the controller has room for the next one.
  mutating func giveUp() {
    sent = nil
    credits = max(credits, 1)
  }

  /// Forgets all commands, as a reset does.
  mutating func reset() { self = CommandQueue() }
}

extension HCIOpcode {
  /// Whether a link works as well without an answer to the command.
  var isImprovement: Bool {
    self == .leReadRemoteFeatures || self == .leSetDataLength || self == .leSetPHY
  }
}
