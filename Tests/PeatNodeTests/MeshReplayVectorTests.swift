import PeatNode
import PeatTestSupport
import Testing

@Suite struct MeshReplayVectorTests {
  /// Lines of the vectors that this node answers otherwise than the reference, and why.
  ///
  /// There are none: this is the model of the reference, with its deltas that are told of and not
  /// taken, its wrongly learnt anonymous nodes, and its replay counter that a forged message moves
  /// (`CounterRule.beforeAuthentication`).
  private static let differing: [String: String] = [:]

  @Test("Every line of mesh_replay.jsonl") func lines() throws {
    for vector in try TestData.vectors("mesh_replay")
    where MeshReplayVectorTests.differing[vector.name] == nil {
      guard vector.kind == "mesh_replay" else {
        Issue.record("\(vector.name): unknown kind \(vector.kind)")
        continue
      }
      do {
        for message in try replay(vector) { Issue.record("\(vector.name), \(message)") }
      } catch {
        Issue.record("\(vector.name): \(error)")
      }
    }
  }

  /// Differences of the first step that has some: those behind it would follow from them.
  private func replay(_ vector: Vector) throws -> [String] {
    var run = try ReplayRun(vector.input["config"])
    let steps = vector.input["steps"].array ?? []
    let results = vector.expect["steps"].array ?? []
    guard steps.count == results.count else { throw MissingValue(what: "a result per step") }
    for (index, (step, expected)) in zip(steps, results).enumerated() {
      let found = try run.perform(step)
      // Where the reference crashes, it is enough not to; what it would have done is not told.
      if expected["panic"].bool == true { return [] }
      let label = "step \(index) (\(step["op"].string ?? "?"))"
      var messages: [String] = []
      for part in ["return", "events"] where found[part] != expected[part] {
        messages.append(
          "\(label): \(part) is \(found[part] ?? .null), expected \(expected[part])")
      }
      let state = found["state"]?.object ?? [:]
      let expectedState = expected["state"].object ?? [:]
      for name in Set(state.keys).union(expectedState.keys).sorted()
      where state[name] != expectedState[name] {
        messages.append(
          "\(label): \(name) is \(state[name] ?? .null), expected "
            + "\(expectedState[name] ?? .null)")
      }
      if !messages.isEmpty { return messages }
    }
    return []
  }
}
