import Foundation

/// Checks JSON against the part of JSON Schema 2020-12 that the record's schema uses.
package struct SchemaValidator: Sendable {
  private let root: JSON

  /// Reads a schema.
  package init(contentsOf url: URL) throws {
    root = try JSON(parsing: Data(contentsOf: url))
  }

  /// What of `value` the schema does not allow, each with its place; empty when it is valid.
  package func faults(_ value: JSON) -> [String] {
    faults(value, root, "$")
  }

  private func faults(_ value: JSON, _ schema: JSON, _ place: String) -> [String] {
    if let reference = schema["$ref"].string {
      let name = reference.split(separator: "/").last.map(String.init) ?? ""
      return faults(value, root["$defs"][name], place)
    }
    if let alternatives = schema["anyOf"].array {
      let all = alternatives.map { faults(value, $0, place) }
      return all.contains { $0.isEmpty } ? [] : all.flatMap { $0 }
    }
    var found: [String] = []
    if !schema["if"].isNull {
      let branch = faults(value, schema["if"], place).isEmpty ? "then" : "else"
      found += faults(value, schema[branch], place)
    }
    if let type = schema["type"].string, !matches(value, type) {
      return ["\(place): is no \(type)"]
    }
    if case .null = schema["const"] {
    } else if schema["const"] != value {
      found.append("\(place): is not the constant")
    }
    if let choices = schema["enum"].array, !choices.contains(value) {
      found.append("\(place): \(value) is none of the choices")
    }
    if let minimum = schema["minimum"].double, let number = value.double, number < minimum {
      found.append("\(place): \(number) is below \(minimum)")
    }
    if let pattern = schema["pattern"].string, let text = value.string,
      text.range(of: pattern, options: .regularExpression) == nil
    {
      found.append("\(place): '\(text)' does not match \(pattern)")
    }
    if let elements = value.array, !schema["items"].isNull {
      for (index, element) in elements.enumerated() {
        found += faults(element, schema["items"], "\(place)[\(index)]")
      }
    }
    if let members = value.object { found += memberFaults(members, schema, place) }
    return found
  }

  private func memberFaults(
    _ members: [String: JSON], _ schema: JSON, _ place: String
  ) -> [String] {
    var found: [String] = []
    for name in schema["required"].array ?? [] where members[name.string ?? ""] == nil {
      found.append("\(place): \(name.string ?? "?") is missing")
    }
    let patterns = schema["patternProperties"].object ?? [:]
    for (name, member) in members {
      if !schema["properties"][name].isNull {
        found += faults(member, schema["properties"][name], "\(place).\(name)")
      } else if let pattern = patterns.first(where: {
        name.range(of: $0.key, options: .regularExpression) != nil
      }) {
        found += faults(member, pattern.value, "\(place).\(name)")
      } else if schema["additionalProperties"].bool == false {
        found.append("\(place): \(name) is not known")
      }
    }
    return found
  }

  private func matches(_ value: JSON, _ type: String) -> Bool {
    switch (type, value) {
    case ("object", .object), ("array", .array), ("string", .string), ("boolean", .bool),
      ("number", .number):
      true
    case ("integer", .number(let number)): number == number.rounded()
    default: false
    }
  }
}
