import PeatDissection
import PeatProtocol

extension Delivery {
  /// How a value that was carried so reaches its receiver.
  init(_ opcode: ValueOpcode) {
    switch opcode {
    case .writeRequest, .writeCommand, .signedWriteCommand: self = .write
    case .executeWrite: self = .longWrite
    case .notification, .indication, .multipleNotification: self = .notification
    case .readResponse, .readBlob, .readByTypeResponse, .readMultiple, .readMultipleVariable:
      self = .readAnswer
    case .advertisement: self = .unknown
    }
  }
}
