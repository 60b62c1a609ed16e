/// Prometheus's text exposition format 0.0.4, read strictly.
struct Exposition {
  struct Malformed: Error { var line: String }

  struct Sample {
    var name: String
    var labels: [String: String]
    var value: Double
  }

  struct Family {
    var kind: String
    var samples: [Sample] = []
  }

  private(set) var families: [String: Family] = [:]

  /// Every family has HELP, then TYPE, then samples of its own in one group; names, labels and
  /// values are well formed, no series comes twice, and the last line ends.
  init(_ text: String) throws {
    guard text.hasSuffix("\n") else { throw Malformed(line: "no end of the last line") }
    var current = ""
    var isTyped = false
    var series: Set<String> = []
    for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
      func check(_ holds: Bool) throws { if !holds { throw Malformed(line: String(line)) } }
      let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
      if line.hasPrefix("# HELP ") {
        try check(words.count == 4 && families[String(words[2])] == nil)
        current = String(words[2])
        isTyped = false
        try check(current.wholeMatch(of: /[a-zA-Z_:][a-zA-Z0-9_:]*/) != nil)
      } else if line.hasPrefix("# TYPE ") {
        try check(words.count == 4 && String(words[2]) == current && !isTyped)
        try check(["counter", "gauge", "histogram"].contains(words[3]))
        families[current] = Family(kind: String(words[3]))
        isTyped = true
      } else {
        let match = line.wholeMatch(
          of: /([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (-?[0-9.e+-]+|\+Inf|-Inf|NaN)/)
        guard let match, let value = Double(match.3), isTyped else {
          throw Malformed(line: String(line))
        }
        let name = String(match.1)
        let kind = families[current]?.kind
        let suffixes = kind == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
        try check(suffixes.contains { name == current + $0 })
        try check(kind != "counter" || (name.hasSuffix("_total") && value >= 0))
        let labels = match.2.map(String.init) ?? ""
        try check(series.insert(name + "{" + labels).inserted)
        families[current]?.samples.append(
          Sample(name: name, labels: try Exposition.labels(labels), value: value))
      }
    }
    for (name, family) in families where family.kind == "histogram" {
      try Exposition.checkHistogram(name, family)
    }
  }

  private static func labels(_ text: String) throws -> [String: String] {
    var rest = text[...]
    var labels: [String: String] = [:]
    while !rest.isEmpty {
      guard
        let match = rest.prefixMatch(
          of: /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(?:,|$)/),
        labels.updateValue(String(match.2), forKey: String(match.1)) == nil
      else { throw Malformed(line: text) }
      rest = rest[match.range.upperBound...]
    }
    return labels
  }

  /// Buckets ascend, are cumulative, and end with +Inf, which is the count.
  private static func checkHistogram(_ name: String, _ family: Family) throws {
    let buckets = family.samples.filter { $0.name == name + "_bucket" }
    let bounds = buckets.map {
      $0.labels["le"] == "+Inf" ? .infinity : Double($0.labels["le"] ?? "") ?? .nan
    }
    let counts = buckets.map(\.value)
    let count = family.samples.first { $0.name == name + "_count" }?.value
    guard bounds.last == .infinity, bounds == bounds.sorted(), Set(bounds).count == bounds.count,
      counts == counts.sorted(), counts.last == count,
      family.samples.contains(where: { $0.name == name + "_sum" })
    else { throw Malformed(line: name) }
  }

  /// The one sample of a family without labels.
  func value(_ name: String) -> Double? {
    guard let samples = families[name]?.samples, samples.count == 1 else { return nil }
    return samples[0].value
  }
}
