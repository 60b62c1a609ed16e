import PeatProtocol

/// Which finding a part is that the reference leaves out.
enum DropCause {
  /// The code; nil where the MTU's cut says it already.
  static func code(of item: Dropped, isCut: Bool) -> FindingCode? {
    switch item.rule {
    case .stop:
      if isCut { return nil }
      return item.section == .section ? .unknownSection : .sectionCut
    case .skip: return .entrySkipped
    case .clamp: return .valueClamped
    case .drop: return isTime(item) ? .uptimeTimestamp : field(item)
    }
  }

  /// Only a time's own range has this reason; its number is the time.
  private static func isTime(_ item: Dropped) -> Bool {
    guard let raw = item.raw, raw < Document.earliestTime else { return false }
    switch item.section {
    case .peripheral, .event, .emergency, .chat: return item.reason.hasSuffix("is before 2020")
    case .counter, .location, .ack, .section: return false
    }
  }

  /// Health is refused by its first wrong field, which the reason names.
  private static func field(_ item: Dropped) -> FindingCode {
    switch item.section {
    case .location: return .locationDropped
    case .peripheral:
      if item.reason.hasPrefix("battery ") { return .batteryRange }
      if item.reason.hasPrefix("activity ") { return .activityRange }
      if item.reason.hasPrefix("heart rate ") { return .heartRateRange }
      return .sectionDropped
    case .event, .emergency, .chat, .counter, .ack, .section: return .sectionDropped
    }
  }
}
