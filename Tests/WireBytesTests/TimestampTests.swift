import Testing
import WireBytes

struct TimestampTests {
  @Test func `the distance of any two instants has a magnitude`() {
    let edges: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    for left in edges {
      for right in edges {
        let distance = Timestamp(nanoseconds: left).nanoseconds(
          since: Timestamp(nanoseconds: right))
        #expect(abs(distance) >= 0)
        #expect(distance.signum() == (left == right ? 0 : left < right ? -1 : 1))
      }
    }
    #expect(Timestamp(nanoseconds: .min).nanoseconds(since: Timestamp(nanoseconds: 0)) == -.max)
  }
}
