// Reads captures and tells what a mesh did: its messages by kind, its nodes, and its emergencies.
//
//   read-capture CAPTURE...
import PeatReading

let captures = Array(CommandLine.arguments.dropFirst())
if captures.isEmpty {
  print("usage: read-capture CAPTURE...")
} else {
  var kinds: [String: Int] = [:]
  let reading = try MeshReading(captures: captures) { message in
    kinds[message.content.kind.rawValue, default: 0] += 1
  }
  for (kind, count) in kinds.sorted(by: { $0.key < $1.key }) { print("\(count) \(kind)") }
  for node in reading.nodes {
    // As a literal: a name is whatever a stranger's radio says.
    print(
      "\(node.id) \(node.callsign?.debugDescription ?? "-") counts \(reading.counts[node.id] ?? 0)")
  }
  for emergency in reading.emergencies {
    print("emergency of \(emergency.source): \(emergency.verdict)")
  }
  let slowest = reading.updates.max { ($0.timeToAll ?? 0) < ($1.timeToAll ?? 0) }
  if let slowest, let time = slowest.timeToAll {
    print("slowest: \(slowest.name), known to all after \(time / 1_000_000) ms")
  }
  for problem in reading.problems { print("problem: \(problem)") }
}
