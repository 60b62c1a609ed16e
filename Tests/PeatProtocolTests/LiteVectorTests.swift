import PeatProtocol
import PeatTestSupport
import Testing
import WireBytes

@Suite struct LiteVectorTests {
  @Test("peat-lite frames and values behave as the reference's")
  func liteProtocol() throws {
    try checkVectors("lite_protocol") { vector in
      var differences = Differences()
      let input = vector.input
      let expect = vector.expect
      let bytes = vector.hex ?? []
      switch vector.kind {
      case "lite_constants":
        differences.expect("header", LiteFrame.headerSize, expect["header_size"].int)
        differences.bytes("magic", LiteFrame.magic, expect["magic"])
        differences.expect("packet", LiteFrame.maximumSize, expect["max_packet"].int)
        differences.expect(
          "group", LiteFrame.multicastGroup,
          (expect["multicast"].array ?? []).compactMap(\.uint8))
        differences.expect("port", LiteFrame.port, expect["port"].uint16)
        differences.expect("version", LiteFrame.version, expect["version"].uint8)
      case "lite_header":
        do throws(LiteFault) {
          let frame = try LiteFrame(bytes: bytes)
          differences.expect("error", nil, expect["error"].string)
          differences.expect("kind", frame.kind.rawValue, expect["msg_type"].uint8)
          differences.expect("flags", frame.flags, expect["flags"].uint16)
          differences.expect("node", frame.node, expect["node_id"].node)
          differences.expect("sequence", frame.sequence, expect["seq_num"].uint32)
          differences.bytes("payload", frame.payload, expect["payload"])
          var writer = ByteWriter()
          frame.encodeHeader(into: &writer)
          differences.bytes("reencoded", writer.bytes, expect["reencoded"])
          let (content, seconds) = frame.contentAndLifetime
          differences.bytes("content", content, expect["ttl"]["payload"])
          differences.expect("lifetime", seconds, expect["ttl"]["seconds"].uint32)
        } catch {
          differences.expect("error", error.rawValue, expect["error"].string)
        }
      case "lite_default_ttl":
        differences.expect(
          "lifetime", LiteType(rawValue: input["crdt_type"].uint8 ?? 0)?.defaultLifetime,
          expect["seconds"].uint32)
      case "lite_append_ttl":
        var buffer = [UInt8](
          repeating: input["fill"].uint8 ?? 0, count: input["buffer_len"].int ?? 0)
        let length = LiteType.appendLifetime(
          input["ttl"].uint32 ?? 0, payloadLength: input["payload_len"].int ?? 0, to: &buffer)
        differences.bytes("buffer", buffer, expect["buffer"])
        differences.expect("length", length, expect["new_len"].int)
      case "lite_counter":
        var counter = LiteCounter(capacity: input["capacity"].int ?? 0)
        for step in expect["increments"].array ?? [] {
          let value = counter.increment(
            step[0].node ?? NodeID(rawValue: 0), by: step[1].uint32 ?? 0)
          differences.expect("increment", value, step[2].uint32)
        }
        compare(counter, expect, encoded: expect["hex"], &differences)
      case "lite_counter_decode":
        let counter = try? LiteCounter(bytes: bytes)
        let expect = expect["decoded"]
        differences.expect("refused", counter == nil, expect.isNull)
        if let counter, !expect.isNull {
          compare(counter, expect, encoded: expect["reencoded"], &differences)
        }
      case "lite_counter_merge":
        let capacity = input["capacity"].int ?? 0
        guard
          var counter = try? LiteCounter(bytes: input["base"].bytes ?? [], capacity: capacity),
          let other = try? LiteCounter(bytes: input["merge"].bytes ?? [], capacity: capacity)
        else { return ["input is refused"] }
        counter.merge(other)
        differences.bytes("result", counter.encoded, expect["result"])
        differences.expect("value", counter.value, expect["value"].uint64)
      case "lite_position": position(vector, &differences)
      case "lite_lww":
        var register = LiteRegister(
          input["initial"][0].int ?? 0, node: input["initial"][1].node ?? NodeID(rawValue: 0),
          timestamp: input["initial"][2].uint64 ?? 0)
        for step in expect["steps"].array ?? [] {
          let accepted = register.set(
            step[0].int ?? 0, node: step[1].node ?? NodeID(rawValue: 0),
            timestamp: step[2].uint64 ?? 0)
          differences.expect("accepted", accepted, step[3].bool)
          differences.expect("value", register.value, step[4].int)
        }
      case "lite_document":
        do throws(LiteFault) {
          compare(try LiteDocument(bytes: bytes), expect, &differences)
        } catch {
          differences.expect("error", error.rawValue, expect["error"].string)
        }
      case "lite_document_encode":
        let document = LiteDocument(
          flags: input["flags"].uint8 ?? 0, collection: input["collection"].string ?? "",
          id: input["doc_id"].string ?? "", timestamp: Int64(input["timestamp_ms"].int ?? 0),
          body: input["body"].bytes ?? [])
        do throws(LiteFault) {
          differences.bytes(
            "bytes", try document.encoded(room: input["buffer_len"].int ?? 0), expect["hex"])
        } catch {
          differences.expect("error", error.rawValue, expect["error"].string)
        }
      case "lite_capabilities":
        let capabilities = LiteCapabilities(rawValue: input["bits"].uint16 ?? 0)
        var writer = ByteWriter()
        writer.le16(capabilities.rawValue)
        differences.bytes("bytes", writer.bytes, expect["hex"])
        differences.expect("text", capabilities.description, expect["text"].string)
        differences.expect(
          "syncs", capabilities.canSyncWithLite, expect["can_sync_with_lite"].bool)
      default: return unknownKind(vector)
      }
      return differences.messages
    }
  }

  private func compare(
    _ counter: LiteCounter, _ expect: JSON, encoded: JSON, _ differences: inout Differences
  ) {
    differences.expect(
      "entries", counter.entries.map { [$0.node.rawValue, $0.value] },
      (expect["entries_in_order"].array ?? []).map { [$0[0].uint32 ?? 0, $0[1].uint32 ?? 0] })
    differences.expect("value", counter.value, expect["value"].uint64)
    differences.bytes("bytes", counter.encoded, encoded)
  }

  private func position(_ vector: Vector, _ differences: inout Differences) {
    func double(_ bits: JSON) -> Double {
      Double(bitPattern: bits.string.flatMap { UInt64($0, radix: 16) } ?? 0)
    }
    let expect = vector.expect
    let made = LitePosition(
      latitude: double(vector.input["latitude_bits"]),
      longitude: double(vector.input["longitude_bits"]),
      altitude: Float(bitPattern: vector.input["altitude"].floatBits ?? 0))
    differences.bytes("bytes", made.encoded, expect["hex"])
    guard let read = try? LitePosition(bytes: made.encoded) else {
      differences.note("refused")
      return
    }
    differences.expect("latitude", Int(read.microLatitude), expect["lat_microdeg"].int)
    differences.expect("longitude", Int(read.microLongitude), expect["lon_microdeg"].int)
    differences.expect("altitude", Int(read.centimetres), expect["alt_cm"].int)
    differences.expect("latitude back", read.latitude, double(expect["back_bits"][0]))
    differences.expect("longitude back", read.longitude, double(expect["back_bits"][1]))
    differences.expect(
      "altitude back", read.altitude.bitPattern, expect["back_altitude"].floatBits)
  }

  private func compare(
    _ document: LiteDocument, _ expect: JSON, _ differences: inout Differences
  ) {
    differences.expect("error", nil, expect["error"].string)
    differences.expect("collection", document.collection, expect["collection"].string)
    differences.expect("id", document.id, expect["doc_id"].string)
    differences.expect("flags", document.flags, expect["flags"].uint8)
    differences.expect("tombstone", document.isTombstone, expect["tombstone"].bool)
    differences.expect("encrypted", document.isEncrypted, expect["encrypted"].bool)
    differences.expect("time", Int(document.timestamp), expect["timestamp_ms"].int)
    differences.bytes("body", document.body, expect["body"])
    do throws(LiteFault) {
      differences.bytes("reencoded", try document.encoded(), expect["reencoded"])
    } catch {
      differences.expect("refusal", error.rawValue, expect["reencoded"]["error"].string)
    }
  }
}
