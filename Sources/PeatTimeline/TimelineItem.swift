package import PeatDissection

/// What a timeline shows: a message of one of the protocols that share the links and the air.
///
/// Reports switch over it, so that the compiler asks each of them about a new protocol.
package enum TimelineItem: Sendable {
  case peat(TimelineRow)
  case mesh(CarriedValue)
  case smp(CarriedValue)
}

/// A value of a protocol beside Peat, as it was carried.
package struct CarriedValue: Sendable {
  /// The capture as the user named it.
  package var file: String
  package var value: CapturedValue
  /// Nanoseconds from the first packet of the earliest capture.
  package var elapsed: Int64?
}
