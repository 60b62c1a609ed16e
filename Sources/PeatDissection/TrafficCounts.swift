/// Packets of a capture by what they are; of one that is read twice, those of the second reading.
public struct TrafficCounts: Sendable, Equatable {
  /// HCI commands and events.
  public internal(set) var control = 0
  /// ACL data.
  public internal(set) var data = 0
  /// SCO: audio.
  public internal(set) var synchronous = 0
  /// Isochronous data: LE audio.
  public internal(set) var isochronous = 0
  /// Packets from the air.
  public internal(set) var air = 0
  /// Packets of types that are not known.
  public internal(set) var unknown = 0
  /// LE data packets that the capture cut before the attribute protocol's handle.
  public internal(set) var headersOnly = 0
  /// The first of these.
  public internal(set) var firstHeadersOnly: Int?
}
