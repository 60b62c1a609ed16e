package import WireBytes

/// A page of one run: a file that shows everything by itself (cli.md, "HTML report").
///
/// Script and style are the binary's own and never hold anything from the air; the policy in the
/// page names them by their digests and allows nothing else. What strangers' radios sent stands in
/// one JSON block, and the script puts it into the page as text.
package struct HTMLReport {
  private let input: ReportInput
  private let digest: ([UInt8]) -> [UInt8]

  /// `digest` is SHA-256.
  package init(_ input: ReportInput, digest: @escaping ([UInt8]) -> [UInt8]) {
    self.input = input
    self.digest = digest
  }

  /// Appends the page.
  package func append(to text: inout OutputText) {
    let script = HTMLReport.script
    let style = PackageResources.report_css
    for piece in HTMLReport.pieces(of: PackageResources.report_html) {
      switch piece {
      case .text(let bytes): text.append(raw: String(decoding: bytes, as: UTF8.self))
      case .slot("policy"):
        text.append(raw: "default-src 'none'; script-src 'sha256-\(Base64.text(digest(script)))'; ")
        text.append(raw: "style-src 'sha256-\(Base64.text(digest(style)))'; ")
        text.append("base-uri 'none'; form-action 'none'")
      case .slot("title"): text.append(raw: HTMLReport.escaped(title))
      case .slot("style"): text.append(raw: String(decoding: style, as: UTF8.self))
      case .slot("script"): text.append(raw: String(decoding: script, as: UTF8.self))
      case .slot("data"): ReportData(input).append(to: &text)
      case .slot: break
      }
    }
  }

  /// All parts in one block, so that none of their names is a window's.
  private static var script: [UInt8] {
    let parts = [
      PackageResources.data_js, PackageResources.timeline_js, PackageResources.message_js,
      PackageResources.sections_js, PackageResources.tables_js,
    ]
    return Array("\"use strict\";{\n".utf8) + parts.flatMap { $0 } + Array("}\n".utf8)
  }

  private var title: String {
    guard let first = input.files.first else { return "Peat mesh report" }
    let name = first.name.split(separator: "/").last.map(String.init) ?? first.name
    let more = input.files.count > 1 ? " and \(input.files.count - 1) more" : ""
    return ReportText.cut(name, to: 80) + more + ": what the mesh did"
  }

  /// Text between tags: neither markup nor what acts on a screen.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in OutputText.neutral(text).unicodeScalars {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }

  private enum Piece {
    case text(ArraySlice<UInt8>)
    case slot(String)
  }

  /// The frame's parts: what stands between `{{` and `}}` is filled in.
  private static func pieces(of frame: [UInt8]) -> [Piece] {
    let (open, close) = (UInt8(ascii: "{"), UInt8(ascii: "}"))
    var pieces: [Piece] = []
    var rest = frame[...]
    while let start = rest.indices.first(where: {
      rest[$0] == open && $0 + 1 < rest.endIndex && rest[$0 + 1] == open
    }) {
      pieces.append(.text(rest[..<start]))
      let inside = rest[(start + 2)...]
      guard let end = inside.firstIndex(of: close), end + 1 < inside.endIndex else { return pieces }
      pieces.append(.slot(String(decoding: inside[..<end], as: UTF8.self)))
      rest = inside[(end + 2)...]
    }
    pieces.append(.text(rest))
    return pieces
  }
}
