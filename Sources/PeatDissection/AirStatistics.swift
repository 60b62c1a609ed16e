public import BluetoothProtocols

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
  /// Packets that are shorter or longer than the length in their own header says.
  public internal(set) var unreadable = 0
  /// Packets behind a header that is not known (link types 157 and 272).
  public internal(set) var unknownHeaders = 0
  /// Packets with an access address that was not heard again.
  public internal(set) var strays = 0
  /// Packets whose payload could not be read, as that of encrypted links.
  public internal(set) var unreadablePayloads = 0
  /// Packets of a kind that links do not use (LLID 0).
  public internal(set) var reserved = 0
  /// Packets of periodic advertising and of isochronous streams, which carry no messages.
  public internal(set) var otherTraffic = 0
  /// Parts of extended advertisements whose advertiser was not heard.
  public internal(set) var namelessParts = 0
  /// Connections that were asked for and of which no packet was heard: the first of them.
  public internal(set) var unfollowed: [UnfollowedRequest] = []
  /// How many such connections there were.
  public internal(set) var unfollowedCount = 0
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
