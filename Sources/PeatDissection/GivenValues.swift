/// Which values a first reading gave, so that a second one gives the others and none twice.
///
/// By packet and handle, not by number: what is known in the second reading may name a value before
/// them that the first one passed over.
struct GivenValues: Sendable {
  /// Values told apart; of further ones the second reading passes over all up to the last.
  private static let limit = 1 << 20

  private var places: [UInt64] = []
  /// The packet of the last value.
  private var last = 0
  private var next = 0

  private static func place(_ value: CapturedValue) -> UInt64 {
    UInt64(truncatingIfNeeded: value.frame) << 16 | UInt64(value.handle)
  }

  /// Notes a value that is given.
  mutating func note(_ value: CapturedValue) {
    last = value.frame
    if places.count < GivenValues.limit { places.append(GivenValues.place(value)) }
  }

  /// A second reading begins.
  mutating func rewind() { next = 0 }

  /// Whether the first reading gave a value of the second, which come in the same order.
  mutating func wasGiven(_ value: CapturedValue) -> Bool {
    if next == places.count {
      return places.count == GivenValues.limit && value.frame <= last
    }
    let place = GivenValues.place(value)
    // What the first reading gave and the second does not stands before it.
    while next < places.count, places[next] >> 16 < place >> 16 { next += 1 }
    var index = next
    while index < places.count, places[index] >> 16 == place >> 16 {
      if places[index] == place {
        // Those in front of it, of the same packet, may still come.
        places.swapAt(index, next)
        next += 1
        return true
      }
      index += 1
    }
    return false
  }
}
