/// Names what a file is that is no capture, so that the message helps.
enum ForeignFile {
  /// What the first bytes look like, as a clause.
  static func name(_ window: borrowing ByteWindow) -> String {
    let head = (0..<min(16, window.available)).map { window.u8($0) }
    for (magic, name) in magics where head.starts(with: magic) { return name }
    let sample = (0..<min(512, window.available)).map { window.u8($0) }
    let controls = sample.count { $0 < 0x20 && $0 != 9 && $0 != 10 && $0 != 13 }
    if controls == 0 {
      // A bug report's text begins so (AOSP, dumpstate.cpp).
      let text = String(decoding: sample, as: UTF8.self)
      return text.contains("== dumpstate:")
        ? "this is a bug report's text that holds no Bluetooth log; \(BugReportAdvice.text)"
        : "this is a text file without a btsnooz summary"
    }
    let shown = head.prefix(8).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }
    return "the first bytes (\(shown.joined(separator: " "))) are of no supported file header"
  }

  /// First bytes of files that are sent by mistake.
  private static let magics: [([UInt8], String)] = [
    ([0x7F, 0x45, 0x4C, 0x46], "this is a program (ELF)"),
    ([0x89, 0x50, 0x4E, 0x47], "this is a picture (PNG)"),
    ([0xFF, 0xD8, 0xFF], "this is a picture (JPEG)"),
    ([0x25, 0x50, 0x44, 0x46], "this is a PDF document"),
    (Array("SQLite format 3".utf8), "this is an SQLite database"),
    (Array("XCP".utf8), "this is a NetXray or Sniffer capture, which is not read here"),
    (Array("snoop\u{0}".utf8), "this is a Solaris snoop capture, which is not read here"),
    (Array("GIF8".utf8), "this is a picture (GIF)"),
    (Array("bplist".utf8), "this is an Apple property list"),
  ]
}
