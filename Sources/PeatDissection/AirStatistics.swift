/// What a receiver heard on one channel.
public struct ChannelStatistics: Sendable, Equatable {
  /// Packets heard.
  public var packets = 0
  /// Packets of these whose check was wrong.
  public var invalidChecks = 0
  /// The weakest signal in dBm.
  public var minimumRSSI: Int?
  /// The strongest signal in dBm.
  public var maximumRSSI: Int?
}

/// What was heard on the air, in a sniffer's capture.
public struct AirStatistics: Sendable, Equatable {
  /// Packets read, those with a wrong check included.
  public internal(set) var packets = 0
  /// Packets whose check was wrong; nothing of them was used.
  public internal(set) var invalidChecks = 0
  /// Packets too short to be any.
  public internal(set) var unreadable = 0
  /// By channel index, where the container says the channel; 37 to 39 carry advertising.
  public internal(set) var channels: [ChannelStatistics] = []

  /// Counts one packet.
  mutating func count(channel: UInt8?, rssi: Int?, isValid: Bool) {
    packets += 1
    if !isValid { invalidChecks += 1 }
    guard let channel, channel < 40 else { return }
    if channels.isEmpty { channels = Array(repeating: ChannelStatistics(), count: 40) }
    let index = Int(channel)
    channels[index].packets += 1
    if !isValid { channels[index].invalidChecks += 1 }
    guard let rssi else { return }
    channels[index].minimumRSSI = min(channels[index].minimumRSSI ?? rssi, rssi)
    channels[index].maximumRSSI = max(channels[index].maximumRSSI ?? rssi, rssi)
  }
}
