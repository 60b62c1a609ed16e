/// The statuses with which the tool ends (cli.md, "Exit status").
enum ExitStatus: Int32, Sendable, Comparable {
  case done = 0
  case findings = 1
  case usage = 2
  case unreadable = 3
  case damaged = 4
  case missingDevice = 5

  static func < (left: ExitStatus, right: ExitStatus) -> Bool { left.rawValue < right.rawValue }
}
