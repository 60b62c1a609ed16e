import SystemIO

/// Lines from standard input, as they come.
struct OrderLines {
  /// A line that is longer is no order.
  private static let limit = 4_096

  private var pending: [UInt8] = []
  private var buffer = [UInt8](repeating: 0, count: 4_096)
  /// Whether more may come.
  private(set) var isOpen = true

  /// Reads what is there.
  mutating func read() -> [String] {
    var count = 0
    do throws(Errno) {
      count = try FileDescriptor.standardInput.read(into: &buffer, range: 0..<buffer.count)
    } catch {
      isOpen = error.isInterruption
      return []
    }
    if count == 0 { isOpen = false }
    pending += buffer[0..<count]
    var lines: [String] = []
    while let end = pending.firstIndex(of: 0x0A) {
      lines.append(String(decoding: pending[..<end], as: UTF8.self))
      pending.removeFirst(end + 1)
    }
    if pending.count > OrderLines.limit { pending.removeAll() }
    return lines
  }
}
