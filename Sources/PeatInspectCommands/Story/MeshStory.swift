import BluetoothProtocols
import PeatDissection
import PeatProtocol
import PeatSecurity
import PeatTimeline
import WireBytes

/// What links, advertisers and rows of a run tell together: for `links`, `emergencies`, `check`.
struct MeshStory {
  private(set) var ends = EndNodes()
  private(set) var log = EmergencyLog()
  private(set) var links = LinkReport()
  private(set) var advertisers: [AdvertiserReading] = []

  /// Takes the next row.
  mutating func take(_ row: TimelineRow) {
    ends.note(row)
    if !row.isRepeat { log.take(row) }
  }

  /// Takes the captures in, once they were read to their ends.
  mutating func conclude(_ session: CaptureSession) {
    let streams = session.streams
    var decoder = MessageDecoder(opener: session.keyring)
    var seen: [UInt64: Int] = [:]
    for stream in streams {
      for advertiser in stream.dissector.advertisers.all {
        let reading = AdvertiserReading(advertiser, decoder: &decoder)
        if let place = seen[advertiser.address.value] {
          if advertisers[place].node == nil { advertisers[place] = reading }
          continue
        }
        seen[advertiser.address.value] = advertisers.count
        advertisers.append(reading)
      }
    }
    for reading in advertisers { ends.note(reading) }
    for (index, stream) in streams.enumerated() {
      links.add(
        CaptureEnd(stream), number: { session.assignLinkNumber($0, stream: index) },
        nodes: ends)
    }
  }

  /// All emergencies, the newest last.
  var emergencies: [EmergencyStory] {
    EmergencyJudge(log, links: links, ends: ends, advertisers: advertisers).stories()
  }
}
