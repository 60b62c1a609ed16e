import PeatTestSupport
import PeatTimeline
import Testing

/// Clocks made by arithmetic, with latencies that are never below zero.
@Suite struct ClockFitTests {
  /// A generator with a fixed seed (SplitMix64), so that a failure can be repeated.
  private struct Generator {
    var state: UInt64
    mutating func unit() -> Double {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return Double((z ^ (z >> 31)) >> 11) / 9_007_199_254_740_992
    }
  }

  private static let start: Int64 = 1_772_361_877_000_000_000

  /// Pairs of a clock that is `offset` seconds ahead at the start and gains `drift`.
  private func pairs(
    offset: Double, drift: Double, count: Int, span: Double, seed: UInt64,
    directions: [Bool] = [true, false], minimum: Double = 0.006
  ) -> [ClockPair] {
    var generator = Generator(state: seed)
    return (0..<count).map { index in
      let sent = span * Double(index) / Double(count)
      var latency = minimum + 0.03 * generator.unit()
      // Every tenth message waits in a queue.
      if index % 10 == 3 { latency += 2 * generator.unit() }
      let isSentByReference = directions[index % directions.count]
      let (reference, other) =
        isSentByReference ? (sent, sent + latency) : (sent + latency, sent)
      return ClockPair(
        reference: Self.start + Int64(reference * 1e9),
        other: Self.start + Int64((other + offset + drift * other) * 1e9),
        isSentByReference: isSentByReference)
    }
  }

  @Test func `an offset is found although messages are late`() throws {
    for seed in UInt64(1)...20 {
      let fit = try #require(
        ClockFit(pairs(offset: -4.9, drift: 0, count: 300, span: 600, seed: seed)))
      #expect(fit.isConsistent)
      #expect(fit.correction.drift == 0, "seed \(seed)")
      let error = Double(fit.correction.offset) / 1e9 + 4.9
      #expect(abs(error) < 0.002, "seed \(seed): \(error)")
      let bound = try #require(fit.uncertainty)
      #expect(abs(error) * 1e9 <= Double(bound))
    }
  }

  @Test func `a drift is found where messages went both ways for minutes`() throws {
    for seed in UInt64(1)...20 {
      let fit = try #require(
        ClockFit(pairs(offset: 3.2, drift: 40e-6, count: 660, span: 600, seed: seed)))
      #expect(abs(fit.correction.drift - 40e-6) < 6e-6, "seed \(seed): \(fit.correction.drift)")
      #expect(fit.driftUncertainty != nil)
    }
  }

  @Test func `no drift is told from a few seconds`() throws {
    let fit = try #require(
      ClockFit(pairs(offset: 1, drift: 0, count: 100, span: 10, seed: 7)))
    #expect(fit.driftUncertainty == nil)
    #expect(fit.correction.drift == 0)
  }

  @Test func `messages of one direction bound the offset from one side`() throws {
    let fit = try #require(
      ClockFit(
        pairs(offset: 1, drift: 0, count: 100, span: 60, seed: 3, directions: [true])))
    #expect(fit.uncertainty == nil)
    // The fastest message took 6 ms or a little more.
    #expect((1.005...1.009).contains(Double(fit.correction.offset) / 1e9))
  }

  @Test func `equal bytes that were not one message do not move the clock`() throws {
    var all = pairs(offset: -4.9, drift: 0, count: 100, span: 60, seed: 5)
    all.append(
      ClockPair(
        reference: Self.start, other: Self.start + 40_000_000_000, isSentByReference: false))
    let fit = try #require(ClockFit(all))
    #expect(abs(Double(fit.correction.offset) / 1e9 + 4.9) < 0.003)
  }

  @Test func `a clock that was set is told`() throws {
    let before = pairs(offset: 1, drift: 0, count: 100, span: 60, seed: 8)
    let after = pairs(offset: 1.5, drift: 0, count: 100, span: 60, seed: 9)
    let fit = try #require(ClockFit(before + after))
    #expect(!fit.isConsistent)
  }

  @Test func `times at the ends of what an integer holds do no harm`() {
    for reference in [Int64.min, 0, .max] {
      for other in [Int64.min, 0, .max] {
        let pair = ClockPair(reference: reference, other: other, isSentByReference: true)
        let fit = ClockFit([pair, pair, pair])
        _ = fit?.correction.referenceTime(of: other)
      }
    }
    #expect(ClockFit([]) == nil)
  }

  @Test func `a correction undoes the clock it describes`() {
    let correction = ClockCorrection(origin: 1_000, offset: 5_000_000_000, drift: 40e-6)
    // After 100 s the clock has gained another 4 ms.
    let shown: Int64 = 1_000 + 100_000_000_000 + 5_000_000_000 + 4_000_000
    #expect(correction.referenceTime(of: shown) == 1_000 + 100_000_000_000)
    #expect(correction.offset(at: shown) == 5_004_000_000)
  }
}
