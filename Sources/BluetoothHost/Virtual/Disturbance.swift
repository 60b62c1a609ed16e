/// What goes wrong on a virtual radio, with a seed so that a run can be repeated.
package struct Disturbance: Sendable {
  /// How many of 1000 packets on a link are lost, or come twice.
  package var lost = 0
  package var doubled = 0
  /// Longest delay of a packet in milliseconds; the order on a link stays.
  package var delay: UInt64 = 0
  /// The state of the generator (SplitMix64).
  private var state: UInt64

  /// Makes a radio on which nothing goes wrong but what is set later.
  package init(seed: UInt64) { state = seed }

  /// The next random number below `limit`, which is above 0.
  package mutating func next(below limit: UInt64) -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return (z ^ (z >> 31)) % limit
  }

  mutating func happens(_ perMille: Int) -> Bool {
    perMille > 0 && next(below: 1000) < UInt64(perMille)
  }
}
