/// Takes an input apart: small numbers and runs of bytes, nothing where it has ended.
struct FuzzInput {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isEmpty: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// A run with its length in front, so that runs stay where they are when one changes.
  mutating func run() -> [UInt8] {
    let count = min(Int(byte()), rest.count)
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  mutating func all() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
  }
}
