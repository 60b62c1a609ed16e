package import BluetoothProtocols
package import PeatProtocol
import WireBytes

/// What a user tells a running node, one line each.
package enum NodeOrder: Sendable, Equatable {
  case emergency
  case acknowledge
  case clear
  case event(EventType)
  case position(Location)
  case battery(UInt8)
  case state
  case peers
  case send([UInt8])
  case connect(DeviceAddress, AddressType?)
  case disconnect(DeviceAddress?)
  case quit
  case help

  /// An order's first word, what follows it, and what it does.
  package struct Form: Sendable {
    package let word: String
    package let arguments: String
    package let meaning: String
    /// Whole lines, as far as they are the same for everybody, for completion.
    package let phrases: [String]

    init(_ word: String, _ arguments: String, _ meaning: String, with words: [String] = []) {
      self.word = word
      self.arguments = arguments
      self.meaning = meaning
      phrases =
        words.isEmpty ? [arguments.isEmpty ? word : word + " "] : words.map { "\(word) \($0)" }
    }

    package var usage: String { arguments.isEmpty ? word : "\(word) \(arguments)" }
  }

  private static let events = (0...6).map { EventType(rawValue: $0) }

  /// All orders, in the order of the help.
  package static let forms: [Form] = [
    Form("emergency", "", "start an emergency of this node"),
    Form("ack", "", "acknowledge the emergency"),
    Form("clear", "", "forget the emergency here"),
    Form("event", "NAME", "tell an event", with: events.map(\.name)),
    Form("position", "LAT LON [ALT]", "tell a position, in degrees and metres"),
    Form("battery", "N", "tell the battery's charge, in per cent"),
    Form("state", "", "show the counters and the emergency"),
    Form("peers", "", "show the links"),
    Form("send", "HEX", "send bytes as they are over every link"),
    Form("connect", "ADDR [public|random]", "connect to an address, heard or not"),
    Form("disconnect", "[ADDR]", "end one link, or all"),
    Form("help", "", "show this"),
    Form("quit", "", "end the node"),
  ]

  /// What is known, for mistakes and the manual page.
  package static let synopsis = forms.map(\.usage).joined(separator: ", ")

  /// Each order and what it does, one a line.
  package static let helpLines = forms.map { form in
    form.usage + String(repeating: " ", count: max(1, 30 - form.usage.count)) + form.meaning
  }

  /// A line that is no order: what is wrong with it.
  package struct Fault: Error, Equatable {
    /// One sentence without a full stop.
    package var reason: String
  }

  /// Reads a line; nil where it is empty.
  package static func parse(_ line: String) throws(Fault) -> NodeOrder? {
    let words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }.map(String.init)
    guard let word = words.first else { return nil }
    let rest = Array(words.dropFirst())
    switch (word, rest.count) {
    case ("emergency", 0): return .emergency
    case ("ack", 0): return .acknowledge
    case ("clear", 0): return .clear
    case ("state", 0): return .state
    case ("peers", 0): return .peers
    case ("quit", 0): return .quit
    case ("help", 0): return .help
    case ("event", 1): return .event(try event(rest[0]))
    case ("position", 2), ("position", 3): return .position(try location(rest))
    case ("battery", 1):
      guard let percent = UInt8(rest[0]), percent <= 100 else {
        throw Fault(reason: "battery takes 0 to 100")
      }
      return .battery(percent)
    case ("send", 1...):
      let digits = rest.joined()
      guard let bytes = Hexadecimal.bytes(digits), !bytes.isEmpty, bytes.count <= 512 else {
        throw Fault(reason: "send takes 1 to 512 bytes as hexadecimal digits")
      }
      return .send(bytes)
    case ("connect", 1): return .connect(try address(rest[0]), nil)
    case ("connect", 2):
      let types: [String: AddressType] = ["public": .public, "random": .random]
      guard let type = types[rest[1]] else {
        throw Fault(reason: "an address is public or random")
      }
      return .connect(try address(rest[0]), type)
    case ("disconnect", 0): return .disconnect(nil)
    case ("disconnect", 1): return .disconnect(try address(rest[0]))
    default:
      if let form = forms.first(where: { $0.word == word }) {
        throw Fault(reason: "wrong number of words after \(word); expected \(form.usage)")
      }
      throw Fault(reason: "unknown order \"\(word)\"; known are \(synopsis)")
    }
  }

  private static func event(_ name: String) throws(Fault) -> EventType {
    guard let event = events.first(where: { $0.name == name }) else {
      throw Fault(
        reason: "unknown event; known are " + events.map(\.name).joined(separator: ", "))
    }
    return event
  }

  private static func location(_ words: [String]) throws(Fault) -> Location {
    let numbers = words.compactMap { Float($0) }
    guard numbers.count == words.count, numbers.allSatisfy(\.isFinite),
      (-90...90).contains(numbers[0]), (-180...180).contains(numbers[1])
    else {
      throw Fault(reason: "position takes degrees north, degrees east, and metres above sea")
    }
    return Location(
      latitude: numbers[0], longitude: numbers[1], altitude: numbers.count > 2 ? numbers[2] : nil)
  }

  private static func address(_ text: String) throws(Fault) -> DeviceAddress {
    guard let address = DeviceAddress(text) else {
      throw Fault(reason: "expected an address such as C0:00:00:00:00:01")
    }
    return address
  }
}
