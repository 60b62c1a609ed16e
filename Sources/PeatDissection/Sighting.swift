public import WireBytes

/// One place where a value was seen (cli.md, `seen_in`).
public struct Sighting: Sendable, Equatable {
  /// The capture as the user named it; empty for the capture that the value itself is in.
  public var file: String
  /// The packet that completed the value there, counted in its file from 1.
  public var frame: Int
  /// When that packet was recorded, by the run's common clock.
  public var time: Timestamp?
  /// Monitor index or pcapng interface; else 0.
  public var adapter: Int

  /// Makes a sighting from its parts.
  public init(file: String = "", frame: Int, time: Timestamp?, adapter: Int) {
    self.file = file
    self.frame = frame
    self.time = time
    self.adapter = adapter
  }
}
