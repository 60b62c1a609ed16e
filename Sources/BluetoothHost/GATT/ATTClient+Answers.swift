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
      case (.descriptors(let from), .findInformationResponse(let size, var entries)):
        learnDescriptors(from, size, &entries)
      case (.subscribe, .writeResponse): finish()
      case (.write, .writeResponse), (.execute, .executeWriteResponse):
        events.append(.written(nil))
      case (.prepare(let value, let offset), .prepareWriteResponse(_, _, let part)):
        continuePreparing(value, offset, [UInt8](part), mtu: mtu)
      case (.read, .readResponse(let part)): continueReading([], [UInt8](part), mtu: mtu)
      case (.read(let soFar), .readBlobResponse(let part)):
        continueReading(soFar, [UInt8](part), mtu: mtu)
      default: fail("an answer that does not fit its request")
      }
    }
  }

  private mutating func note(_ handle: UInt16, _ value: [UInt8], _ source: ValueSource) {
    guard let known = found ?? candidate, known.handle == handle else { return }
    events.append(.value(value, source))
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

  private mutating func continueReading(_ soFar: [UInt8], _ part: [UInt8], mtu: Int) {
    guard let found else { return }
    let value = soFar + part
    if part.count >= mtu - 1, value.count < AttributeDatabase.maximumValueLength {
      send(
        .read(soFar: value),
        ATTEncoder.fields(0x0C, found.handle, UInt16(truncatingIfNeeded: value.count)))
    } else {
      events.append(.value(value, .read))
    }
  }

  private mutating func refused(_ request: Request, _ code: ATTErrorCode) {
    if code.asksForEncryption { events.append(.encryptionNeeded) }
    switch request {
    case .exchangeMTU: findServices(from: 1)
    case .services: nextService(0)
    case .characteristics(let service, _): endCharacteristics(of: service)
    case .descriptors, .subscribe: finish()
    case .write, .execute: events.append(.written(code))
    case .prepare:
      // The queue of a server that refused one part may hold the ones before.
      send(.execute, [0x18, 0x00])
    case .read(let soFar):
      // The end of a value that fills its last part exactly is told so by some servers.
      if soFar.isEmpty {
        events.append(.readRefused(code))
      } else {
        events.append(.value(soFar, .read))
      }
    }
  }
}
