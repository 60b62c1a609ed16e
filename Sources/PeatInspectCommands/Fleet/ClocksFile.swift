import PeatTimeline
import SystemIO
import WireBytes

/// The records of `align -f ndjson`, read to be applied: lines of other scopes are passed over.
struct ClocksFile {
  /// Bytes of a file: some hundred thousand captures.
  private static let limit = 1 << 28

  /// What is wrong with a line.
  struct Fault: Error, CustomStringConvertible {
    var description: String
  }

  /// How each capture's clock is turned, by its name.
  private(set) var clocks: [String: ClockCorrection] = [:]

  init(path: String) throws {
    let bytes = try FileDescriptor.open(readOnly: path).readAll(limit: ClocksFile.limit)
    if bytes.count == ClocksFile.limit {
      throw Fault(description: "\(path): is longer than any file of clocks")
    }
    for (number, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
      .enumerated()
    where !line.isEmpty {
      let node = try ClocksFile.node(Array(line), place: "\(path): line \(number + 1)")
      guard node["scope"]?.string == "clock" else { continue }
      guard let file = node["file"]?.string else {
        throw Fault(description: "\(path): line \(number + 1): names no file")
      }
      clocks[file] = ClocksFile.correction(node)
    }
  }

  private static func node(_ line: [UInt8], place: String) throws(Fault) -> JSONNode {
    do throws(DecodeError) {
      var reader = JSONReader(line.rawBytes)
      return try reader.document()
    } catch {
      throw Fault(description: "\(place): is no JSON at character \(error.offset)")
    }
  }

  /// Nil where the clock was not found, so that the capture keeps its own.
  private static func correction(_ node: JSONNode) -> ClockCorrection? {
    guard let origin = node["origin_ns"]?.integer, let offset = node["offset_ns"]?.integer else {
      return nil
    }
    var drift = 0.0
    switch node["drift"]?.value {
    case .number(let text): drift = Double(text) ?? 0
    case .integer(let number): drift = Double(number)
    default: break
    }
    // No clock gains or loses more than a tenth; what says so would turn time around.
    guard abs(drift) < 0.1 else { return nil }
    return ClockCorrection(origin: origin, offset: offset, drift: drift)
  }
}
