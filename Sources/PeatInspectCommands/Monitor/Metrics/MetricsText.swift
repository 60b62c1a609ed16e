import PeatReports
import WireBytes

/// Writes Prometheus's text exposition format, version 0.0.4.
struct MetricsText {
  enum Kind: String { case counter, gauge, histogram }

  private(set) var bytes: [UInt8] = []
  private var name = ""

  /// Begins a family; its samples follow.
  mutating func family(_ name: String, _ kind: Kind, _ help: String) {
    self.name = name
    bytes += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n".utf8
  }

  /// One sample of the family.
  mutating func sample(_ suffix: String = "", labels: [(String, String)] = [], value: String) {
    bytes += "\(name)\(suffix)".utf8
    if !labels.isEmpty {
      let pairs = labels.map { "\($0.0)=\"\(MetricsText.escaped($0.1))\"" }
      bytes += "{\(pairs.joined(separator: ","))}".utf8
    }
    bytes += " \(value)\n".utf8
  }

  /// A label's value: backslash, quote and line feed are escaped.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\"": result += "\\\""
      case "\n": result += "\\n"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Nanoseconds as seconds.
  static func seconds(_ nanoseconds: Int64) -> String {
    var text = OutputText(capacity: 32)
    text.append(seconds: nanoseconds, decimals: 3)
    return String(decoding: text.bytes, as: UTF8.self)
  }
}
