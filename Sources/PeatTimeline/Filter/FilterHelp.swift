/// What `--filter help` prints.
package enum FilterHelp {
  /// The grammar and every field, in lines of at most 100 columns.
  package static var text: String {
    var lines = [
      "A filter compares fields of the record: FIELD == VALUE, and !=, <, <=, >, >=, contains.",
      "A field alone asks whether it is true or present. Join with &&, ||, ! and parentheses.",
      "Values are bare words or \"in quotes\": node ids 12345678 or 0x12345678, times as in --from.",
      "Of a field with several values, one that fits is enough; != asks that none is equal.",
      "",
      "  node == 0x12345678 && (event == emergency || finding) && bytes > 200", "",
    ]
    let width = (FilterField.all.map(\.name.count).max() ?? 0) + 2
    for field in FilterField.all {
      let name = field.name + String(repeating: " ", count: width - field.name.count)
      lines.append("  \(name)\(field.summary)")
      lines += names(of: field.type, room: 98 - width).map {
        String(repeating: " ", count: width + 2) + $0
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func names(of type: FilterType, room: Int) -> [String] {
    let words: [String]
    switch type {
    case .word(let names): words = names.count > 12 ? [] : names
    case .rank(let names): words = names
    case .flag, .integer, .decimal, .node, .address, .uuid, .text, .bytes, .time, .milliseconds:
      words = []
    }
    var lines: [String] = []
    for word in words {
      if let last = lines.last, last.count + word.count < room {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(word)
      }
    }
    return lines
  }
}
