import CaptureFormats
import Foundation
import PeatDissection
import PeatTestSupport
import Testing

/// What the sending and receiving applications wrote down, against what is found in the captures.
struct CaptureTruthTests {
  @Test("every value of the document characteristic is found, in file order, and none besides")
  func valuesEqualTheTruth() throws {
    for capture in try TruthCapture.all() where capture.isHCI {
      // The damaged session has tests of its own.
      if capture.session.hasPrefix("h-") { continue }
      let found = try Self.values(of: capture)
      let expected = capture.documents.map {
        Line(
          opcode: $0.opcode, isSent: $0.isSentByRecorder, payload: $0.payload)
      }
      Self.compare(found, expected, capture.file)
    }
  }

  struct Line: Equatable, CustomStringConvertible {
    var opcode: String
    var isSent: Bool
    var payload: [UInt8]

    var description: String {
      let start = payload.prefix(8).map { String($0, radix: 16) }.joined(separator: " ")
      return "\(opcode) \(isSent ? "sent" : "received") \(payload.count) bytes: \(start)"
    }
  }

  static func values(of capture: TruthCapture) throws -> [Line] {
    var dissector = CaptureDissector(
      reader: try CaptureReader(path: capture.path), options: DissectionOptions())
    var lines: [Line] = []
    while let value = try dissector.next() {
      lines.append(
        Line(
          opcode: truthName(value.opcode), isSent: value.direction.isFromLocal,
          payload: value.payload))
    }
    return lines
  }

  /// The truth files' word for an opcode.
  static func truthName(_ opcode: ValueOpcode) -> String {
    switch opcode {
    case .executeWrite: "prepared_write"
    case .readResponse, .readBlob: "read"
    default: opcode.rawValue
    }
  }

  static func compare(_ found: [Line], _ expected: [Line], _ file: String) {
    if found == expected { return }
    var index = 0
    while index < min(found.count, expected.count), found[index] == expected[index] { index += 1 }
    Issue.record(
      """
      \(file): \(found.count) values, \(expected.count) expected; at \(index): \
      found \(index < found.count ? found[index].description : "nothing"), \
      expected \(index < expected.count ? expected[index].description : "nothing")
      """)
  }
}
