import SystemIO

/// Lines from standard input, as they come.
struct OrderLines {
  /// A line that is longer is no order.
  private static let limit = 4_096

  private var pending: [UInt8] = []
  private var buffer = [UInt8](repeating: 0, count: 4_096)
  /// Whether the rest of a line that was too long is to be passed over.
  private var isSkipping = false
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
    return take(buffer[0..<count])
  }

  /// The lines that are whole with these bytes; at the end, what is left is one as well.
  mutating func take(_ bytes: ArraySlice<UInt8>) -> [String] {
    var lines: [String] = []
    for byte in bytes {
      if byte == 0x0A {
        end(&lines)
      } else if pending.count < OrderLines.limit {
        pending.append(byte)
      } else {
        isSkipping = true
      }
    }
    if !isOpen, !pending.isEmpty { end(&lines) }
    return lines
  }

  private mutating func end(_ lines: inout [String]) {
    if !isSkipping { lines.append(String(decoding: pending, as: UTF8.self)) }
    isSkipping = false
    pending.removeAll(keepingCapacity: true)
  }
}
