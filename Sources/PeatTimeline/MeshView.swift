package import BluetoothProtocols
internal import PeatDissection
package import PeatReplay
package import WireBytes

/// A mesh at one moment: its joined state, its nodes' whereabouts, and who advertises.
package struct MeshView: Sendable {
  /// The moment; nil where no packet has a time.
  package var time: Timestamp?
  /// Nanoseconds from the first packet.
  package var elapsed: Int64?
  package var state: MeshState
  package var sightings: NodeSightings
  /// Ascending by address.
  package var advertisers: [AdvertiserReading]

  package init(
    time: Timestamp?, elapsed: Int64?, state: MeshState, sightings: NodeSightings,
    advertisers: [AdvertiserReading]
  ) {
    self.time = time
    self.elapsed = elapsed
    self.state = state
    self.sightings = sightings
    self.advertisers = advertisers
    for reading in advertisers { self.sightings.note(reading) }
    for index in advertisers.indices where advertisers[index].node == nil {
      self.advertisers[index].node = self.sightings.nodes[advertisers[index].advertiser.address]
    }
  }

  /// The advertised name at an address.
  package func name(at address: DeviceAddress) -> String? {
    advertisers.first { $0.advertiser.address == address }?.advertiser.name
  }
}
