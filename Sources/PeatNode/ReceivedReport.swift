package import PeatProtocol

/// What a node tells of a frame that it took (protocol.md 8.4).
package struct ReceivedReport: Equatable, Sendable {
  /// The node whose document, delta or message it is.
  package var source: NodeID
  /// Whether the sender's event is an emergency.
  package var isEmergency = false
  /// Whether the sender's event is an acknowledgement.
  package var isAcknowledgement = false
  /// Whether the counter's total changed, or by a delta would.
  package var counterChanged = false
  /// Whether the emergency changed, or by a delta would.
  package var emergencyChanged = false
  /// This node's total after the frame.
  package var total: UInt64
  /// Milliseconds of the sender's event, 0 without one.
  package var eventTime: UInt64 = 0
  /// Bytes to pass on: the copy of an envelope, or an application's message as it is.
  package var relayed: [UInt8]?
  /// The node that an envelope started at.
  package var origin: NodeID?
  /// The hops that an envelope had made.
  package var hopCount: UInt8 = 0
  /// The sender's own state, where the frame has it.
  package var peripheral: Peripheral?

  init(source: NodeID, total: UInt64, peripheral: Peripheral? = nil) {
    self.source = source
    self.total = total
    self.peripheral = peripheral
    eventTime = peripheral?.event?.time ?? 0
  }

  /// The sender's callsign, nil when empty.
  package var callsign: String? {
    peripheral.map(\.callsign.text).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The sender's battery in percent, nil for 0, which also means "not set".
  package var battery: UInt8? { peripheral.map(\.health.battery).flatMap { $0 == 0 ? nil : $0 } }

  /// The sender's heart rate, nil when absent.
  package var heartRate: UInt8? {
    peripheral.map(\.health.heartRate).flatMap { $0 == 0 ? nil : $0 }
  }
}
