package import PeatDissection
package import PeatProtocol

/// An advertiser with what its name, service data and beacon say of the node behind it
/// (protocol.md 1.2 to 1.5).
package struct AdvertiserReading: Sendable {
  /// The device as it was heard.
  package var advertiser: Advertiser
  /// Whether it is a Peat device: by its service, its name, or a beacon that says so.
  package var isPeat: Bool
  /// The node that it says it is.
  package var node: NodeID?
  /// The mesh that it says it belongs to; from service data, the first 8 bytes at most.
  package var mesh: String?
  /// The beacon, opened where a key fits.
  package var beacon: Message?
  /// The capture that heard it, where several are read together.
  package var file: String?

  /// Reads what an advertiser said.
  package init(
    _ advertiser: Advertiser, decoder: inout MessageDecoder<some MessageOpener>
  ) {
    self.advertiser = advertiser
    let name = advertiser.name.flatMap { DeviceName($0) }
    isPeat = advertiser.isPeat || name != nil
    if let heard = advertiser.beacon {
      let message = decoder.decodeBeacon(heard.bytes, form: heard.form)
      if message.kind != .malformed { beacon = message }
    }
    if beacon?.kind == .beacon || beacon?.decryptedWith != nil { isPeat = true }
    readServiceData()
    // The name holds the whole mesh id, and is what receivers look at first.
    if let name {
      node = name.node
      mesh = name.mesh ?? mesh
    }
    if node == nil { node = beacon?.node }
    if node == nil, isPeat, let text = advertiser.name { node = DeviceName.trackedNode(text) }
  }

  private mutating func readServiceData() {
    guard let bytes = advertiser.serviceData, let data = try? ServiceData(bytes: bytes) else {
      return
    }
    node = data.node
    switch data.mesh {
    case .absent: break
    case .text(let text): mesh = text
    case .bytes: mesh = data.meshAsNumber
    }
  }

  /// What kind of node the way of announcing itself suggests (protocol.md 1.2, 6.9).
  package var platform: NodePlatform? {
    if let name = advertiser.name {
      switch DevicePattern(name) {
      case .wearTAK, .wearOS: return .wearOS
      case .feather: return .nrf
      case .peat, .hive, .peatMixedCase, .unknown: break
      }
      // Linux names itself without a mesh; Android keeps the phone's own name.
      if advertiser.serviceData != nil, isPeat {
        return DeviceName(name)?.mesh == nil && DeviceName(name) != nil ? .linux : .android
      }
    }
    return beacon?.kind == .beacon && advertiser.name == nil ? .windows : nil
  }
}
