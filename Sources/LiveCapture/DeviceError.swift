/// Why a device cannot be captured from, and what to type.
package struct DeviceError: Error, Sendable, Equatable {
  /// The device as the user named it.
  package var device: String
  /// One clause.
  package var reason: String
  /// The command that helps, where one does.
  package var remedy: String?

  /// Whether there is no such device now; it may be plugged in.
  package var isAbsent = false

  package init(device: String, reason: String, remedy: String? = nil) {
    self.device = device
    self.reason = reason
    self.remedy = remedy
  }
}

extension DeviceError: CustomStringConvertible {
  /// "DEVICE: reason; type: command".
  package var description: String {
    "\(device): \(reason)" + (remedy.map { "; type: \($0)" } ?? "")
  }
}
