import WireBytes

/// How long something took, for people: the one rounding of text, page and Markdown.
///
/// Digits are cut off and never rounded up, so that a figure is never above what the record has:
/// below a second milliseconds with one decimal, else seconds with one.
enum SpanText {
  /// A span as `12.3 s` or `633.5 ms`.
  static func text(_ nanoseconds: Int64) -> String {
    var text = OutputText(capacity: 16)
    if nanoseconds.magnitude < 1_000_000_000 {
      text.append(seconds: nanoseconds &* 1000, decimals: 1)
      text.append(" ms")
    } else {
      text.append(seconds: nanoseconds, decimals: 1)
      text.append(" s")
    }
    return String(decoding: text.slice, as: UTF8.self)
  }

  /// A number with its noun, in the plural where there is not one.
  static func counted(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  /// A clock time in UTC with milliseconds.
  static func utc(_ time: Timestamp) -> String {
    var text = OutputText(capacity: 16)
    text.append(clock: CivilTime(time), decimals: 3)
    return String(decoding: text.slice, as: UTF8.self)
  }
}
