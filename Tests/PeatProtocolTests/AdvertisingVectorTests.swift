import PeatProtocol
import PeatTestSupport
import Testing

@Suite struct AdvertisingVectorTests {
  /// Lines with encryption check everything but the 12 sealed bytes, which are taken from the
  /// line: making them takes keys, which this target does not know.
  @Test("advertising packets are laid out as the library's advertiser does")
  func advertising() throws {
    try checkVectors("advertising") { vector in
      guard vector.kind == "advertising_packet" else { return unknownKind(vector) }
      var differences = Differences()
      let input = vector.input
      var beacon = Beacon(
        node: input["node_id"].node ?? NodeID(rawValue: 0),
        capabilities: input["lite"].bool == true ? .liteNode : [])
      if let capabilities = input["capabilities"].uint16 {
        beacon.capabilities = Capabilities(rawValue: capabilities)
      }
      beacon.level = HierarchyLevel(clamping: input["hierarchy_level"].uint8 ?? 0)
      beacon.setBattery(input["battery"].uint8 ?? 0)
      for _ in 0..<(input["sequence_increments"].int ?? 0) { beacon.incrementSequence() }
      var payload = LibraryAdvertisement.Payload.beacon(beacon)
      if input["encryption"].string == "on" {
        let expected = vector.expect["adv_data"].bytes ?? []
        guard expected.count >= 32 else { return ["expected packet is short"] }
        // protocol.md 1.5: version and nonce, 12 sealed bytes, then the clear fields.
        let capabilities = beacon.capabilities.rawValue
        payload = .encrypted(
          [0x02] + (input["nonce"].bytes ?? []) + expected[16..<28]
            + [
              UInt8(capabilities >> 8), UInt8(capabilities & 0xFF), beacon.level.rawValue,
              beacon.battery,
            ])
      }
      let packet = LibraryAdvertisement(
        payload: payload, name: input["name"].string,
        txPower: input["tx_power"].int.flatMap { Int8(exactly: $0) },
        extended: input["extended"].bool ?? false)
      differences.bytes("data", packet.advertisingData, vector.expect["adv_data"])
      differences.bytes("scan response", packet.scanResponse, vector.expect["scan_rsp"])
      differences.expect("extended", packet.isExtended, vector.expect["extended"].bool)
      differences.expect("fits legacy", packet.fitsLegacy, vector.expect["fits_legacy"].bool)
      differences.expect("size", packet.totalSize, vector.expect["total_size"].int)
      return differences.messages
    }
  }
}
