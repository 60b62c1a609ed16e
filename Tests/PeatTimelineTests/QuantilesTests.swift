import PeatTimeline
import Testing

@Suite struct QuantilesTests {
  @Test("the middle of spans that lie further apart than 64 bits reach") func median() throws {
    let spans = try #require(Quantiles([.min, .max]))
    // -2^63 + (2^64 - 1) / 2, rounded down: -2^63 + 2^63 - 1.
    #expect(spans.median == -1)
    #expect(spans.worst == .max)
    #expect(
      try #require(Quantiles([-9_000_000_000_000_000_000, 9_000_000_000_000_000_000])).median == 0)
    #expect(try #require(Quantiles([1, 4])).median == 2)
  }
}
