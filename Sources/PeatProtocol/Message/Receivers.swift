/// The reference implementations that receive messages; the raw value is the name in records.
public enum Receiver: String, Sendable, BitwiseCopyable, CaseIterable {
  /// The library, by all its entry points.
  case rust
  case android
  /// The iOS demo, where it differs from the library it is built on.
  case ios
  /// The M5Stack firmware, where it differs from the library it is built on.
  case m5stack

  /// The name in sentences.
  public var name: String {
    switch self {
    case .rust: "Rust"
    case .android: "Android"
    case .ios: "iOS"
    case .m5stack: "M5Stack"
    }
  }
}

/// What one receiver does with a message where that is not plain acceptance.
public struct ReceiverNote: Equatable, Sendable {
  /// Who.
  public var receiver: Receiver
  /// What it does, such as "drops peripheral".
  public var text: String
  /// Whether content is lost or misused, not merely shown otherwise.
  public var isLoss: Bool

  /// Makes a note from its parts.
  public init(_ receiver: Receiver, _ text: String, isLoss: Bool = true) {
    self.receiver = receiver
    self.text = text
    self.isLoss = isLoss
  }
}

/// How a value reached its receiver, as far as receivers treat it differently (protocol.md 8.2).
public enum Delivery: Sendable, Hashable, BitwiseCopyable {
  case write
  /// A write in several prepared parts.
  case longWrite
  /// A notification or indication.
  case notification
  case readAnswer
  case unknown
}

/// What the reference implementations make of a message (protocol.md 2.9, 8.2, 9).
public enum Receivers {
  /// Longest value that M5Stack and ESP32 take (protocol.md 2.1).
  public static let firmwareLimit = 256
  /// Longest notification that Android takes (protocol.md 2.1).
  public static let androidLimit = 512

  /// The notes of all receivers that do not plainly accept a message of these bytes, in the order
  /// of ``Receiver``.
  public static func notes(
    _ message: Message, bytes: [UInt8], delivery: Delivery = .unknown
  ) -> [ReceiverNote] {
    if message.kind == .incomplete || message.kind == .beacon || message.kind == .encryptedBeacon {
      return []
    }
    var notes = Notes()
    ReceiverRules.note(message, delivery, &notes)
    if delivery == .longWrite {
      notes.replace(.android, "takes each part of the long write for a message")
      notes.replace(.ios, "takes each part of the long write for a message")
    }
    if delivery == .notification && bytes.count > androidLimit {
      notes.replace(.android, "skips it (over \(androidLimit) bytes)")
    }
    if bytes.count > firmwareLimit {
      notes.replace(.m5stack, "drops (over \(firmwareLimit) bytes)")
    }
    return notes.ordered
  }

  /// One sentence of what is lost on the way, and why; nil where nothing is lost.
  ///
  /// The reason is that of the first part which the reference drops or stops at.
  public static func sentence(_ notes: [ReceiverNote], about message: Message) -> String? {
    let losses = notes.filter(\.isLoss)
    guard !losses.isEmpty else { return nil }
    let clauses = losses.map { note in
      let clause = "\(note.receiver.name) \(note.text)"
      guard note.receiver == .rust, let reason = reason(message) else { return clause }
      return "\(clause) (\(reason))"
    }
    return clauses.joined(separator: "; ") + "."
  }

  private static func reason(_ message: Message) -> String? {
    if let fault = message.fault { return fault.reason }
    let dropped = message.innermost.document?.dropped ?? []
    return dropped.first { $0.rule == .drop || $0.rule == .stop }?.reason
  }
}

/// Notes under construction, at most one a receiver.
struct Notes {
  // A handful at most: a search through them is cheaper than a table.
  private var notes: [ReceiverNote] = []

  /// Adds to what a receiver does.
  mutating func add(_ receiver: Receiver, _ text: String, isLoss: Bool = true) {
    guard let index = notes.firstIndex(where: { $0.receiver == receiver }) else {
      notes.append(ReceiverNote(receiver, text, isLoss: isLoss))
      return
    }
    notes[index].text += "; " + text
    notes[index].isLoss = notes[index].isLoss || isLoss
  }

  /// Takes the place of whatever a receiver would have done.
  mutating func replace(_ receiver: Receiver, _ text: String) {
    notes.removeAll { $0.receiver == receiver }
    notes.append(ReceiverNote(receiver, text))
  }

  var ordered: [ReceiverNote] {
    if notes.count < 2 { return notes }
    return Receiver.allCases.compactMap { receiver in
      notes.first { $0.receiver == receiver }
    }
  }
}
