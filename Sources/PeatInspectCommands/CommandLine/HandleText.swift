import BluetoothProtocols
import PeatDissection

/// Reads `[ADDR=]HANDLE`.
enum HandleText {
  /// `0x0012`.
  static func text(_ handle: UInt16) -> String {
    let digits = String(handle, radix: 16, uppercase: true)
    return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
  }

  static func parse(_ text: String) -> HandleHint? {
    guard let equals = text.lastIndex(of: "=") else {
      return handle(text[...]).map { HandleHint(address: nil, handle: $0) }
    }
    guard let address = DeviceAddress(text[..<equals]),
      let handle = handle(text[text.index(after: equals)...])
    else { return nil }
    return HandleHint(address: address, handle: handle)
  }

  private static func handle(_ text: Substring) -> UInt16? {
    let isHexadecimal = text.hasPrefix("0x") || text.hasPrefix("0X")
    let digits = isHexadecimal ? text.dropFirst(2) : text
    guard let first = digits.utf8.first, first != 0x2B, first != 0x2D,
      let handle = UInt16(digits, radix: isHexadecimal ? 16 : 10), handle > 0
    else { return nil }
    return handle
  }
}
