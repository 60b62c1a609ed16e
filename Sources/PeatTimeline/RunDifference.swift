package import PeatProtocol
import PeatReplay
import WireBytes

/// What two runs differ in: how their emergencies ended, how fast news spread, what was found.
package struct RunDifference: Sendable {
  /// What is compared.
  package enum Part: String, Sendable, CaseIterable {
    case emergencies, convergence, findings
  }

  /// One run: what its captures came to.
  package struct Run {
    package var emergencies: [EmergencyStory]
    package var convergence: ConvergenceReport
    package var findings: FindingReport

    /// Makes a run of what was worked out of it.
    package init(
      emergencies: [EmergencyStory], convergence: ConvergenceReport, findings: FindingReport
    ) {
      self.emergencies = emergencies
      self.convergence = convergence
      self.findings = findings
    }
  }

  /// One figure that differs; nil where a run has none.
  package struct Field: Sendable, Equatable {
    package var part: Part
    /// The node that it is of.
    package var node: NodeID?
    package var name: String
    package var left: String?
    package var right: String?
  }

  /// What differs, by part, in the order of the records.
  package private(set) var fields: [Field] = []

  /// Compares the parts that are asked for.
  package init(_ left: Run, _ right: Run, parts: Set<Part>) {
    if parts.contains(.emergencies) { compare(left.emergencies, right.emergencies) }
    if parts.contains(.convergence) { compare(left.convergence, right.convergence) }
    if parts.contains(.findings) { compare(left.findings, right.findings) }
  }

  private mutating func add(
    _ part: Part, of node: NodeID? = nil, _ name: String, _ left: String?, _ right: String?
  ) {
    guard left != right else { return }
    fields.append(Field(part: part, node: node, name: name, left: left, right: right))
  }

  // MARK: - Emergencies

  /// Times differ from run to run: the first emergency of a source is compared with its first, and
  /// so on.
  private mutating func compare(_ left: [EmergencyStory], _ right: [EmergencyStory]) {
    add(.emergencies, "emergencies", "\(left.count)", "\(right.count)")
    let one = RunDifference.bySource(left)
    let other = RunDifference.bySource(right)
    for source in Set(one.keys).union(other.keys).sorted() {
      let pair = (one[source] ?? [], other[source] ?? [])
      for number in 0..<max(pair.0.count, pair.1.count) {
        compare(
          number < pair.0.count ? pair.0[number] : nil,
          number < pair.1.count ? pair.1[number] : nil, of: source, number + 1)
      }
    }
  }

  private static func bySource(_ stories: [EmergencyStory]) -> [NodeID: [EmergencyStory]] {
    Dictionary(grouping: stories, by: \.identity.source)
      .mapValues { $0.sorted { $0.identity.time < $1.identity.time } }
  }

  private mutating func compare(
    _ left: EmergencyStory?, _ right: EmergencyStory?, of source: NodeID, _ number: Int
  ) {
    func name(_ field: String) -> String { "emergency \(number) \(field)" }
    func acked(_ story: EmergencyStory) -> String {
      "\(story.ackedCount) of \(story.audience.count)"
    }
    add(.emergencies, of: source, name("acked"), left.map(acked), right.map(acked))
    guard let left, let right else { return }
    add(
      .emergencies, of: source, name("seconds to last ack"), RunDifference.toLastAck(left),
      RunDifference.toLastAck(right))
    let one = RunDifference.outcomes(left)
    let other = RunDifference.outcomes(right)
    for node in Set(one.keys).union(other.keys).sorted() where one[node] != other[node] {
      add(.emergencies, of: source, name("at \(node)"), one[node], other[node])
    }
  }

  private static func toLastAck(_ story: EmergencyStory) -> String? {
    guard story.ackedCount > 1, let raised = story.raised, let last = story.lastAck else {
      return nil
    }
    return seconds(max(0, last.nanoseconds(since: raised)))
  }

  private static func outcomes(_ story: EmergencyStory) -> [NodeID: String] {
    var outcomes: [NodeID: String] = [:]
    for node in story.nodes {
      let why = node.outcome == .acked ? nil : node.evidence?.reason.rawValue
      outcomes[node.node] = node.outcome.rawValue + (why.map { " (\($0))" } ?? "")
    }
    return outcomes
  }

  // MARK: - Convergence

  private mutating func compare(_ left: ConvergenceReport, _ right: ConvergenceReport) {
    func add(_ name: String, _ value: (ConvergenceReport) -> String?) {
      self.add(.convergence, name, value(left), value(right))
    }
    add("nodes") { "\($0.nodes.count)" }
    add("updates") { "\($0.updates.count)" }
    add("known to all") { "\($0.complete) of \($0.updates.count)" }
    add("messages") { "\($0.messages)" }
    add("bytes") { "\($0.bytes)" }
    add("redundant bytes") { report in
      guard report.bytes > 0 else { return nil }
      let permille = report.redundantBytes * 1000 / report.bytes
      return "\(permille / 10).\(permille % 10)%"
    }
    for (name, spans) in [
      ("seconds until a node knows", \ConvergenceReport.delay),
      ("seconds until all know", \ConvergenceReport.timeToAll),
    ] {
      add("\(name), median") { $0[keyPath: spans].map { RunDifference.seconds($0.median) } }
      add("\(name), 95%") { $0[keyPath: spans].map { RunDifference.seconds($0.p95) } }
      add("\(name), worst") { $0[keyPath: spans].map { RunDifference.seconds($0.worst) } }
    }
    compareNodes(left, right)
  }

  private mutating func compareNodes(_ left: ConvergenceReport, _ right: ConvergenceReport) {
    func byNode(_ report: ConvergenceReport) -> [NodeID: ConvergenceReport.NodeStory] {
      Dictionary(report.nodes.map { ($0.node, $0) }, uniquingKeysWith: { first, _ in first })
    }
    let one = byNode(left)
    let other = byNode(right)
    for node in Set(one.keys).union(other.keys).sorted() {
      let pair = (one[node], other[node])
      add(
        .convergence, of: node, "updates", pair.0.map { "\($0.updates)" },
        pair.1.map { "\($0.updates)" })
      guard let left = pair.0, let right = pair.1 else { continue }
      add(.convergence, of: node, "missed", "\(left.missed)", "\(right.missed)")
      add(
        .convergence, of: node, "seconds until it knows, median",
        left.delay.map { RunDifference.seconds($0.median) },
        right.delay.map { RunDifference.seconds($0.median) })
    }
  }

  // MARK: - Findings

  /// By code and node: files, connections and frames are others in another run.
  private mutating func compare(_ left: FindingReport, _ right: FindingReport) {
    struct Key: Hashable {
      var code: FindingCode
      var node: NodeID?
    }
    func counts(_ report: FindingReport) -> [Key: Int] {
      var counts: [Key: Int] = [:]
      for item in report.items {
        counts[Key(code: item.code, node: item.node), default: 0] += item.count
      }
      return counts
    }
    let one = counts(left)
    let other = counts(right)
    let keys = Set(one.keys).union(other.keys).sorted {
      ($1.code.severity, $0.code.rawValue, $0.node?.rawValue ?? 0)
        < ($0.code.severity, $1.code.rawValue, $1.node?.rawValue ?? 0)
    }
    for key in keys {
      add(
        .findings, of: key.node, key.code.rawValue, "\(one[key] ?? 0)", "\(other[key] ?? 0)")
    }
  }

  /// Nanoseconds as seconds with three decimals.
  private static func seconds(_ nanoseconds: Int64) -> String {
    let milliseconds = nanoseconds / 1_000_000
    let digits = "\(milliseconds % 1000 + 1000)".dropFirst()
    return "\(milliseconds / 1000).\(digits)"
  }
}
