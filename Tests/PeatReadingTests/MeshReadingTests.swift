import Foundation
import PeatProtocol
import PeatReading
import PeatTestSupport
import Testing

/// The library over the timeline, against the truth files of the captures.
@Suite struct MeshReadingTests {
  private static func path(_ name: String) -> String {
    TestData.captures.appendingPathComponent(name).path
  }

  @Test("it gives the messages of a capture in order, and its nodes with their counts")
  func messages() throws {
    var payloads: [[UInt8]] = []
    var frames: [Int] = []
    let reading = try MeshReading(captures: [Self.path("a-two-nodes.h4.btsnoop")]) { message in
      payloads.append(message.bytes)
      frames.append(message.frame)
    }
    #expect(payloads.count == reading.messageCount)
    #expect(frames == frames.sorted())
    // ALPHA-1 and BRAVO-2 of the scenario, both at a count of five or more.
    #expect(reading.nodes.compactMap(\.callsign).sorted() == ["ALPHA-1", "BRAVO-2"])
    #expect(reading.counts.values.allSatisfy { $0 > 0 })
    #expect(reading.problems.isEmpty)
  }

  @Test("an emergency names its source and what became of it at each node")
  func emergencies() throws {
    let reading = try MeshReading(captures: [Self.path("a-two-nodes.h4.btsnoop")])
    let emergency = try #require(reading.emergencies.first)
    #expect(reading.nodes.first { $0.id == emergency.source }?.callsign == "BRAVO-2")
    #expect(emergency.nodes.count == 2)
    #expect(emergency.nodes.allSatisfy { $0.outcome == .acked })
    #expect(reading.updates.contains { $0.name.hasPrefix("emergency:") && $0.knowers.count == 1 })
  }

  @Test("two ends of one session are one mesh, each message once")
  func severalCaptures() throws {
    let alone = try MeshReading(captures: [Self.path("a-two-nodes.h4.btsnoop")])
    let both = try MeshReading(
      captures: [
        Self.path("a-two-nodes.h4.btsnoop"), Self.path("a-two-nodes.from-bravo.h4.btsnoop"),
      ])
    #expect(both.messageCount == alone.messageCount)
    #expect(both.counts == alone.counts)
  }

  @Test("a capture that cannot be read is a problem, and the others go on")
  func problems() throws {
    let reading = try MeshReading(
      captures: ["/no/such/capture", Self.path("a-two-nodes.h4.btsnoop")])
    #expect(reading.problems.count == 1)
    #expect(reading.problems.first?.description.contains("/no/such/capture") == true)
    #expect(reading.messageCount > 0)
    #expect(throws: ReadingProblem.self) { try MeshReading(captures: ["/no/such/capture"]) }
  }
}
