import PeatProtocol
import WireBytes

/// Keys of a record with their values: each appends its comma, and nothing where there is no value.
extension OutputText {
  mutating func field(_ key: StaticString, _ value: String?) {
    guard let value else { return }
    append(key: key)
    append(jsonString: value)
  }

  mutating func field(_ key: StaticString, _ value: (some FixedWidthInteger)?) {
    guard let value else { return }
    append(key: key)
    append(decimal: value)
  }

  mutating func field(_ key: StaticString, _ value: Bool) {
    append(key: key)
    append(json: value)
  }

  mutating func field(_ key: StaticString, _ node: NodeID?) {
    guard let node else { return }
    append(key: key)
    append(json: node)
  }

  mutating func field(_ key: StaticString, _ time: Timestamp?) {
    guard let time else { return }
    append(key: key)
    append("\"")
    append(utc: time)
    append("\"")
  }

  /// Appends a list, each element by `body`.
  mutating func field<Element>(
    _ key: StaticString, list: some Sequence<Element>, _ body: (Element, inout OutputText) -> Void
  ) {
    append(key: key)
    append("[")
    var isFirst = true
    for element in list {
      if !isFirst { append(",") }
      isFirst = false
      body(element, &self)
    }
    append("]")
  }

  mutating func field(_ key: StaticString, frames: [Int]) {
    field(key, list: frames) { $1.append(decimal: $0) }
  }

  /// Appends a key with its comma and colon.
  mutating func append(key: StaticString) {
    append(",\"")
    append(key)
    append("\":")
  }
}
