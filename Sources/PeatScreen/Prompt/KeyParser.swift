/// Keys from the bytes that a terminal sends: UTF-8, control characters, and the sequences of
/// xterm and all that follow it (ECMA-48, 5.4; xterm's ctlseqs, "PC-Style Function Keys").
///
/// A sequence that is cut goes on with the next bytes. Escape alone is no key: it waits for what
/// follows it.
package struct KeyParser: Sendable {
  private enum State: Sendable, Equatable {
    case ground
    case escape
    /// After ESC O.
    case single
    /// After ESC [: its parameters so far.
    case control([UInt8])
  }

  /// Parameters that no key has so many of.
  private static let parameterLimit = 16

  private var state = State.ground
  /// A character of several bytes that is not whole yet.
  private var scalar: [UInt8] = []

  package init() {}

  /// Takes bytes; gives the keys that are whole.
  package mutating func take(_ bytes: some Sequence<UInt8>) -> [ScreenKey] {
    bytes.compactMap { take($0) }
  }

  private mutating func take(_ byte: UInt8) -> ScreenKey? {
    switch state {
    case .ground: return ground(byte)
    case .escape:
      switch byte {
      case 0x1B: return nil
      case UInt8(ascii: "["):
        state = .control([])
        return nil
      case UInt8(ascii: "O"):
        state = .single
        return nil
      default:
        // A key together with Alt, which nothing here is told by.
        state = .ground
        return byte < 0x20 ? ground(byte) : nil
      }
    case .single:
      state = .ground
      return KeyParser.letter(byte)
    case .control(let parameters):
      guard (0x20...0x3F).contains(byte) else {
        state = .ground
        return byte == UInt8(ascii: "~") ? KeyParser.numbered(parameters) : KeyParser.letter(byte)
      }
      if parameters.count < KeyParser.parameterLimit { state = .control(parameters + [byte]) }
      return nil
    }
  }

  private mutating func ground(_ byte: UInt8) -> ScreenKey? {
    if byte & 0xC0 == 0x80 {
      guard let first = scalar.first else { return nil }
      scalar.append(byte)
      guard scalar.count == KeyParser.length(first) else { return nil }
      defer { scalar = [] }
      return String(validating: scalar, as: UTF8.self)?.first.map { .character($0) }
    }
    scalar = []
    switch byte {
    case 0x0A, 0x0D: return .enter
    case 0x08, 0x7F: return .backspace
    case 0x09: return .tab
    case 0x1B:
      state = .escape
      return nil
    case 0x01...0x1A: return .control(Character(Unicode.Scalar(byte | 0x60)))
    case 0x20...0x7E: return .character(Character(Unicode.Scalar(byte)))
    case 0xC2...0xF4:
      scalar = [byte]
      return nil
    default: return nil
    }
  }

  /// Bytes of a character by its first one (Unicode, table 3-7).
  private static func length(_ first: UInt8) -> Int { first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4 }

  private static func letter(_ byte: UInt8) -> ScreenKey? {
    switch byte {
    case UInt8(ascii: "A"): .up
    case UInt8(ascii: "B"): .down
    case UInt8(ascii: "C"): .right
    case UInt8(ascii: "D"): .left
    case UInt8(ascii: "H"): .home
    case UInt8(ascii: "F"): .end
    case UInt8(ascii: "Z"): .tab
    default: nil
    }
  }

  private static func numbered(_ parameters: [UInt8]) -> ScreenKey? {
    let number = parameters.prefix { $0 != UInt8(ascii: ";") }
    return switch String(decoding: number, as: UTF8.self) {
    case "1", "7": .home
    case "4", "8": .end
    case "3": .delete
    case "5": .pageUp
    case "6": .pageDown
    default: nil
    }
  }
}
