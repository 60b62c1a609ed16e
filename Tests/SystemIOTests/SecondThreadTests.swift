import Testing

@testable import SystemIO

struct SecondThreadTests {
  @Test func `both pieces of work are done, and each result comes back`() {
    let numbers = Array(1...1000)
    let (odd, even) = SecondThread.run {
      numbers.filter { $0 % 2 == 1 }.reduce(0, +)
    } beside: {
      numbers.filter { $0 % 2 == 0 }.reduce(0, +)
    }
    // 1 + 3 + … + 999 = 500², and 2 + 4 + … + 1000 = 500 · 501.
    #expect(odd == 250_000)
    #expect(even == 250_500)
  }
}
