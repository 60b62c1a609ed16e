import PeatProtocol
import PeatTestSupport
import Testing
import WireBytes

/// What any bytes may do to a decoder: be refused at a place inside them, never more.
@Suite struct HostileFrameTests {
  private func decode(_ bytes: [UInt8]) -> [FormatFault] {
    var faults: [FormatFault] = []
    func attempt<T: WireValue>(_: T.Type) {
      let value: T
      do throws(FormatFault) { value = try T(bytes: bytes) } catch {
        faults.append(error)
        return
      }
      // What was read can be written, and what was written reads back to the same bytes.
      let written = value.encoded
      #expect((try? T(bytes: written))?.encoded == written, "\(T.self)")
    }
    attempt(DeltaDocument.self)
    attempt(DeltaOperation.self)
    attempt(VectorClock.self)
    attempt(RelayEnvelope.self)
    attempt(CannedMessage.self)
    attempt(AcknowledgedCannedMessage.self)
    attempt(AppDocumentFrame.self)
    attempt(AppOperation.self)
    attempt(MarkerList.self)
    attempt(ChatFrame.self)
    attempt(NodeInfo.self)
    attempt(SyncStateValue.self)
    attempt(CommandValue.self)
    attempt(StatusValue.self)
    attempt(SyncMessage.self)
    attempt(Chunk.self)
    attempt(CRDTOperation.self)
    attempt(OperationBatch.self)
    attempt(Beacon.self)
    attempt(ServiceData.self)
    attempt(SensorReading.self)
    attempt(SensorPosition.self)
    attempt(SensorEmergency.self)
    attempt(LitePosition.self)
    do throws(FormatFault) { _ = try KotlinDelta(bytes: bytes) } catch { faults.append(error) }
    do throws(FormatFault) { _ = try LiteCounter(bytes: bytes) } catch { faults.append(error) }
    do throws(FormatFault) {
      _ = try SignedCannedMessage(bytes: bytes)
    } catch { faults.append(error) }
    _ = try? LiteFrame(bytes: bytes)
    _ = try? LiteDocument(bytes: bytes)
    return faults
  }

  @Test("random bytes behind every marker are refused inside the input, or read and written again")
  func random() {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    func next() -> UInt8 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 33)
    }
    let first: [UInt8] = [0x01, 0x02, 0x03, 0x10, 0xAC, 0xAD, 0xAF, 0xB1, 0xB2, 0xC3]
    for round in 0..<2000 {
      let count = Int(next()) % 120
      var bytes = (0..<count).map { _ in next() }
      if count > 0 && round % 4 != 0 { bytes[0] = first[round % first.count] }
      // Small counts and lengths reach further than random ones.
      for index in bytes.indices where next() % 3 == 0 { bytes[index] = next() % 4 }
      for fault in decode(bytes) where !(0...bytes.count).contains(fault.offset) {
        Issue.record("round \(round): \(fault) in \(Hexadecimal.string(bytes))")
      }
    }
  }

  @Test("every prefix of the delta vectors is refused inside the input, or read")
  func prefixes() throws {
    for vector in try TestData.vectors("delta_document") {
      guard let bytes = vector.hex, bytes.count < 300 else { continue }
      for length in bytes.indices {
        for fault in decode(Array(bytes.prefix(length)))
        where !(0...length).contains(fault.offset) {
          Issue.record("\(vector.name) cut to \(length): \(fault)")
        }
      }
    }
  }

  @Test("a reassembler holds no more than its limits")
  func reassembler() {
    var reassembler = ChunkReassembler()
    for id in 0..<UInt32(3 * ChunkReassembler.maximumHeldMessages) {
      _ = reassembler.receive(
        Chunk(messageID: id, index: 0, total: 2, payload: [1]), at: 0)
    }
    #expect(reassembler.pendingCount == ChunkReassembler.maximumHeldMessages)
  }
}
