package import BluetoothProtocols
import WireBytes

/// Why a controller is of no use to a host.
package enum HostFailure: Error, Sendable, Equatable {
  /// No answer to a command, for so many seconds.
  case silent(HCIOpcode, seconds: UInt64)
  case refused(HCIOpcode, status: UInt8)
  case noBuffers
  /// The controller reports that it broke (Core Specification Vol 4 Part E, 7.7.16).
  case hardware(UInt8)
  /// Private addresses were asked for, and the controller cannot make them.
  case noEncryption
}

extension HostFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .silent(let opcode, let seconds):
      "the controller does not answer \(opcode == .reset ? "HCI_Reset" : "command \(opcode.text)")"
        + " within \(seconds) s"
    case .refused(let opcode, let status):
      "the controller refuses command \(opcode.text) with status "
        + "0x\(Hexadecimal.upper(UInt64(status), width: 2))"
    case .noBuffers: "the controller has no buffers for data"
    case .hardware(let code): "the controller reports hardware error \(code)"
    case .noEncryption:
      "the controller has no LE Encrypt or LE Rand command, of which private addresses are made: "
        + "run without --private-address"
    }
  }
}
