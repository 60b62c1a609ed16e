import PeatProtocol
import PeatSecurity
import PeatTimeline
import WireBytes

@testable import PeatInspectCommands

/// What a user types or keeps in files.
enum TextFuzz {
  /// A filter, with its nesting repeated as often as the first byte says.
  static func filter(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let depth = Int(input.byte() & 0x7F)
    let words = String(decoding: input.all(), as: UTF8.self)
    let text = String(repeating: "(", count: depth) + words + String(repeating: ")", count: depth)
    _ = try? RowFilter(
      text,
      times: { word in
        if case .start(let nanoseconds)? = (try? MomentParser.parse(word))?.anchor {
          return nanoseconds
        }
        return nil
      }, knowsState: depth & 1 == 0)
  }

  /// A keys file; no line of it may stand in an error.
  static func keys(_ bytes: [UInt8]) {
    var contents = bytes
    guard let file = try? KeysFile(wiping: &contents, file: "fuzz") else { return }
    precondition(contents.allSatisfy { $0 == 0 }, "secrets were not wiped")
    var keyring = Keyring()
    keyring.add(file)
    var decoder = MessageDecoder(opener: keyring)
    _ = decoder.decode([0xAE, 0] + [UInt8](repeating: 1, count: 40))
    _ = decoder.decode([0xAF, 0] + [UInt8](repeating: 1, count: 60))
  }

  static func config(_ bytes: [UInt8]) {
    guard let file = try? SettingsFile(String(decoding: bytes, as: UTF8.self), path: "/x/config")
    else { return }
    _ = file.defaults
    let again = try? SettingsFile(file.lines.joined(separator: "\n"), path: "/x/config")
    precondition(again?.lines == file.lines, "settings read differently when written")
  }

  /// Lines of hexadecimal text, as a block of them is decoded.
  static func decode(_ bytes: [UInt8]) {
    var lines: [HexLines.Line] = []
    var start = 0
    for (place, byte) in (bytes + [0x0A]).enumerated() where byte == 0x0A {
      lines.append(HexLines.Line(range: start..<min(place, bytes.count), number: lines.count + 1))
      start = place + 1
    }
    let block = DecodedBlock(bytes, lines: lines, as: nil)
    precondition(!block.text.slice.contains(0x1B), "an escape sequence got through")
  }
}
