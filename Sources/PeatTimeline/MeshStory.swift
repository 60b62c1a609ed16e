import BluetoothProtocols
import PeatDissection
package import PeatProtocol
import WireBytes

/// What links, advertisers and rows of a run tell together.
package struct MeshStory {
  package private(set) var ends = EndNodes()
  package private(set) var log = EmergencyLog()
  package private(set) var links = LinkReport()
  package private(set) var advertisers: [AdvertiserReading] = []
  /// The last packet of each capture.
  private var lasts: [String: Timestamp] = [:]

  /// Makes one that has heard nothing.
  package init() {}

  /// Takes the next row.
  package mutating func take(_ row: TimelineRow) {
    ends.note(row)
    if !row.isRepeat { log.take(row) }
  }

  /// Takes the captures in, once they were read to their ends.
  ///
  /// - Parameter number: the run's number for a connection of the capture at a place.
  package mutating func conclude(
    _ streams: [CaptureStream], opener: some MessageOpener,
    number: (_ link: Int, _ capture: Int) -> Int
  ) {
    var decoder = MessageDecoder(opener: opener)
    var seen: [UInt64: Int] = [:]
    for stream in streams { lasts[stream.file] = stream.lastTime }
    for stream in streams {
      for advertiser in stream.dissector.advertisers.all {
        var reading = AdvertiserReading(advertiser, decoder: &decoder)
        reading.file = stream.file
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
      links.add(CaptureEnd(stream), number: { number($0, index) }, nodes: ends)
    }
  }

  /// All emergencies, the newest last.
  package var emergencies: [EmergencyStory] {
    EmergencyJudge(log, links: links, ends: ends, advertisers: advertisers, lasts: lasts)
      .stories()
  }
}

extension CaptureEnd {
  /// A capture that was read to its end, by the common clock; its connections bear its own numbers.
  package init(_ stream: CaptureStream) {
    let links = stream.dissector.linkFacts.map { original in
      var facts = original
      facts.opened = stream.corrected(facts.opened)
      facts.closed = stream.corrected(facts.closed)
      return facts
    }
    self.init(
      file: stream.file, lastTime: stream.lastTime, links: links,
      advertisers: stream.dissector.advertisers)
  }
}
