import Testing

@testable import PeatInspectCommands

struct OrderLinesTests {
  @Test func `lines come whole, however they were cut`() {
    var lines = OrderLines()
    #expect(lines.take(Array("sta".utf8)[...]) == [])
    #expect(lines.take(Array("te\npeers\nqu".utf8)[...]) == ["state", "peers"])
    #expect(lines.take(Array("it\n".utf8)[...]) == ["quit"])
  }

  @Test func `of a line that is too long nothing is taken for an order`() {
    var lines = OrderLines()
    #expect(lines.take(Array(String(repeating: "x", count: 5000).utf8)[...]) == [])
    #expect(lines.take(Array(" quit\nstate\n".utf8)[...]) == ["state"])
  }
}
