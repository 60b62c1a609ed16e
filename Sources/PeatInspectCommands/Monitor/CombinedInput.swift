import CaptureFormats

/// Several adapters, pipes and growing files as one: what came first goes first, and one that ends or
/// fails leaves the others.
final class CombinedInput: MonitorInput {
  private struct Part {
    let input: any MonitorInput
    let name: String
    var hasEnded = false
  }

  private var parts: [Part]
  /// Who is asked first in the next turn, so that a busy one does not silence the others.
  private var turn = 0
  private var failures: [CaptureError] = []

  init(_ parts: [(input: any MonitorInput, name: String)]) {
    self.parts = parts.map { Part(input: $0.input, name: $0.name) }
  }

  private var running: [Part] { parts.filter { !$0.hasEnded } }

  var descriptor: Int32? { nil }
  var descriptors: [Int32] { running.flatMap(\.input.descriptors) }
  var nextLook: UInt64? { running.compactMap(\.input.nextLook).min() }
  var damages: [CaptureError] { parts.flatMap(\.input.damages) }
  var notes: [String] { parts.flatMap(\.input.notes) }

  func notes(of file: String) -> [(file: String, text: String)] {
    parts.flatMap { $0.input.notes(of: $0.name) }
  }

  func moment(at now: UInt64) -> UInt64 { now }

  func takeNews() -> [String] { parts.flatMap { $0.input.takeNews() } }

  func takeFailures() -> [CaptureError] {
    defer { failures = [] }
    return failures
  }

  func pump(into engine: inout MonitorEngine, at now: UInt64) throws(CaptureError) -> InputState {
    var isReady = false
    for offset in parts.indices {
      let index = (turn + offset) % parts.count
      if parts[index].hasEnded { continue }
      // The state that is shown with a row is that after it.
      if engine.hasRows { return .ready }
      engine.source = index
      do throws(CaptureError) {
        switch try parts[index].input.pump(into: &engine, at: now) {
        case .ready: isReady = true
        case .waiting: break
        case .ended: parts[index].hasEnded = true
        }
      } catch {
        failures.append(error)
        parts[index].hasEnded = true
      }
    }
    turn = (turn + 1) % parts.count
    if isReady { return .ready }
    return parts.allSatisfy(\.hasEnded) ? .ended : .waiting
  }
}
