import BluetoothProtocols
import WireBytes

extension ATTClient {
  /// Takes a PDU of the server. Indications are confirmed, whatever they are of.
  package mutating func take(_ bytes: [UInt8], mtu: Int, now: UInt64) {
    self.now = now
    var reader = ByteReader(bytes.rawBytes, layer: .att)
    guard let pdu = try? ATTPDU(&reader) else { return }
    switch pdu {
    case .notification(let handle, let value): note(handle, [UInt8](value), .notification)
    case .indication(let handle, let value):
      output.append([0x1E])
      note(handle, [UInt8](value), .indication)
    case .multipleNotification(var values):
      while let handle = try? values.le16(), let length = try? values.le16(),
        let value = try? values.view(Int(length))
      { note(handle, [UInt8](value), .notification) }
    case .errorResponse(let request, _, let code):
      guard let failed = answered(opcode: request) else { return }
      refused(failed, ATTErrorCode(rawValue: code))
    default:
      guard let opcode = bytes.first, opcode & 1 == 1, let request = answered(opcode: opcode - 1)
      else { return }
      switch (request, pdu) {
      case (.exchangeMTU, .exchangeMTUResponse(let server)):
        events.append(.mtuAnswered(server))
        findServices(from: 1)
      case (.services, .readByGroupTypeResponse(let size, var entries)):
        learnServices(size, &entries)
      case (.characteristics(let service, _), .readByTypeResponse(let size, var entries)):
        learnCharacteristics(service, size, &entries)
      case (.descriptors(let index, let from), .findInformationResponse(let size, var entries)):
        learnDescriptors(of: index, from, size, &entries)
      case (.subscribe(let index), .writeResponse):
        if candidates.indices.contains(index) { candidates[index].isSubscribed = true }
        listen(to: index + 1)
      case (.write, .writeResponse), (.execute, .executeWriteResponse):
        events.append(.written(nil))
      case (.prepare(let value, let offset), .prepareWriteResponse(_, _, let part)):
        continuePreparing(value, offset, [UInt8](part), mtu: mtu)
      case (.read(let handle, let soFar), .readResponse(let part)) where soFar.isEmpty:
        continueReading(handle, [], [UInt8](part), mtu: mtu)
      case (.read(let handle, let soFar), .readBlobResponse(let part)):
        continueReading(handle, soFar, [UInt8](part), mtu: mtu)
      default: fail("an answer that does not fit its request")
      }
    }
  }

  private mutating func note(_ handle: UInt16, _ value: [UInt8], _ source: ValueSource) {
    guard (found.isEmpty ? candidates : found).contains(where: { $0.handle == handle }) else {
      return
    }
    events.append(.value(value, source, handle: handle))
  }

  private mutating func continuePreparing(
    _ value: [UInt8], _ offset: Int, _ echo: [UInt8], mtu: Int
  ) {
    let end = min(value.count, offset + max(1, mtu - 5))
    guard echo.elementsEqual(value[offset..<end]) else {
      send(.execute, [0x18, 0x00])
      return
    }
    prepare(value, offset: end, mtu: mtu)
  }

  private mutating func continueReading(
    _ handle: UInt16, _ soFar: [UInt8], _ part: [UInt8], mtu: Int
  ) {
    let value = soFar + part
    if part.count >= mtu - 1, value.count < AttributeDatabase.maximumValueLength {
      send(
        .read(handle: handle, soFar: value),
        ATTEncoder.fields(0x0C, handle, UInt16(truncatingIfNeeded: value.count)))
    } else {
      events.append(.value(value, .read, handle: handle))
    }
  }

  private mutating func refused(_ request: Request, _ code: ATTErrorCode) {
    if code.asksForEncryption { events.append(.encryptionNeeded) }
    switch request {
    case .exchangeMTU: findServices(from: 1)
    case .services: endServices()
    case .characteristics(let service, _): endCharacteristics(of: service)
    case .descriptors(let index, _), .subscribe(let index): listen(to: index + 1)
    case .write, .execute: events.append(.written(code))
    case .prepare:
      // The queue of a server that refused one part may hold the ones before.
      send(.execute, [0x18, 0x00])
    case .read(let handle, let soFar):
      // The end of a value that fills its last part exactly is told so by some servers; after any
      // other error what came is only a part.
      if !soFar.isEmpty, code == .invalidOffset || code == .attributeNotLong {
        events.append(.value(soFar, .read, handle: handle))
      } else {
        events.append(.readRefused(code))
      }
    }
  }
}
