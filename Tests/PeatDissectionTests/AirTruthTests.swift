import BluetoothProtocols
import CaptureFormats
import Foundation
import PeatDissection
import PeatTestSupport
import Testing

/// What the applications wrote down, against what is found in captures from the air.
struct AirTruthTests {
  /// The values of one link, in their order.
  struct LinkLines: Equatable {
    var central: String?
    var peripheral: String?
    var lines: [CaptureTruthTests.Line]
  }

  @Test("every link's values are found from the air, in that link's order, and none besides")
  func valuesEqualTheTruth() throws {
    for capture in try TruthCapture.all() where !capture.isHCI {
      // Handles that no discovery names have tests of their own.
      if capture.session.hasPrefix("f-") { continue }
      var expected = Self.expected(capture)
      let (found, notices) = try Self.found(capture)
      if found.allSatisfy({ $0.central == nil }) {
        // Without CONNECT_IND nobody can know the addresses.
        for index in expected.indices {
          expected[index].central = nil
          expected[index].peripheral = nil
        }
      }
      #expect(found.count == expected.count, "\(capture.file): links")
      for (one, other) in zip(found, expected) {
        #expect(one.central == other.central, "\(capture.file)")
        #expect(one.peripheral == other.peripheral, "\(capture.file)")
        // Both ends send in one connection event: across directions the truth's order by arrival at
        // the applications is not the order on the air.
        for isSent in [true, false] {
          CaptureTruthTests.compare(
            one.lines.filter { $0.isSent == isSent }, other.lines.filter { $0.isSent == isSent },
            capture.file)
        }
      }
      let bad = capture.whole["with_bad_crc"].int ?? 0
      #expect(notices.count == (bad == 0 ? 0 : 1), "\(capture.file): \(notices)")
      #expect(notices.allSatisfy { $0.code == .badCRC && $0.text.hasPrefix("\(bad) packet") })
    }
  }

  /// The links that carried documents, by their beginning; documents by the time they arrived.
  static func expected(_ capture: TruthCapture) -> [LinkLines] {
    let connections = (capture.truth["connections"].array ?? []).sorted {
      ($0["opened_s"].double ?? 0) < ($1["opened_s"].double ?? 0)
    }
    return connections.compactMap { connection in
      let central = connection["central"].string ?? "?"
      let peripheral = connection["peripheral"].string ?? "?"
      let lines = capture.documents.filter { $0.whole["connection"] == connection["id"] }
        .map {
          CaptureTruthTests.Line(
            opcode: $0.opcode, isSent: $0.whole["sender"].string == central, payload: $0.payload)
        }
      guard !lines.isEmpty else { return nil }
      return LinkLines(
        central: connection["address"][central].string,
        peripheral: connection["address"][peripheral].string, lines: lines)
    }
  }

  static func found(_ capture: TruthCapture) throws -> ([LinkLines], [Notice]) {
    var dissector = CaptureDissector(
      reader: try CaptureReader(path: capture.path), options: DissectionOptions())
    var links: [Int: LinkLines] = [:]
    while let value = try dissector.next() {
      var link =
        links[value.link.id]
        ?? LinkLines(
          central: value.link.local?.description, peripheral: value.link.peer?.description,
          lines: [])
      #expect(value.link.isFromAir && value.link.role == nil)
      #expect(value.direction == .toPeripheral || value.direction == .toCentral)
      link.lines.append(
        CaptureTruthTests.Line(
          opcode: CaptureTruthTests.truthName(value.opcode), isSent: value.direction.isFromLocal,
          payload: value.payload))
      links[value.link.id] = link
    }
    return (links.keys.sorted().compactMap { links[$0] }, Array(dissector.takeNotices()))
  }
}
