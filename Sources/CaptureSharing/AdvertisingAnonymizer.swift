import PeatProtocol

/// Writes advertising data anew with pseudonyms, as long as it was (protocol.md 1.2).
struct AdvertisingAnonymizer {
  let messages: MessageAnonymizer
  private var pseudonyms: Pseudonyms { messages.pseudonyms }

  init(_ messages: MessageAnonymizer) { self.messages = messages }

  /// The data that stand for some; `skipped` bytes at the start belong to a structure of which an
  /// earlier part had the beginning. Gives how many bytes the last structure lacks.
  func data(_ bytes: [UInt8], skipping skipped: Int = 0) -> (bytes: [UInt8], missing: Int) {
    var result = [UInt8](repeating: 0, count: bytes.count)
    var place = min(max(0, skipped), bytes.count)
    guard skipped <= bytes.count else { return (result, skipped - bytes.count) }
    while place < bytes.count {
      let length = Int(bytes[place])
      result[place] = bytes[place]
      place += 1
      // No further structure: what is behind is padding.
      if length == 0 { break }
      let end = min(place + length, bytes.count)
      guard place < bytes.count else { return (result, length) }
      result[place] = bytes[place]
      let content = Array(bytes[(place + 1)..<end])
      let missing = place + length - end
      let (new, extra) = structure(
        bytes[place], content, isWhole: missing == 0, behind: end < bytes.count ? bytes[end] : nil)
      result.replaceSubrange((place + 1)..<end, with: new)
      if missing > 0 { return (result, missing) }
      place = end
      if let extra {
        result[place] = extra
        place += 1
      }
    }
    return (result, 0)
  }

  /// The content of one structure; the library's beacons go on for a byte behind it.
  private func structure(
    _ type: UInt8, _ content: [UInt8], isWhole: Bool, behind: UInt8?
  ) -> (bytes: [UInt8], extra: UInt8?) {
    let blank = [UInt8](repeating: 0, count: content.count)
    guard isWhole else { return (blank, nil) }
    switch type {
    case 0x01...0x07, 0x0A, 0x14, 0x15, 0x1F, 0x12, 0x19, 0x1A, 0x1C: return (content, nil)
    case 0x08, 0x09: return (pseudonyms.deviceName(content), nil)
    case 0x16: return serviceData(content, behind: behind)
    case 0x21:
      guard content.count >= 16 else { return (blank, nil) }
      // The canonical service, or the library's, least significant byte first.
      let uuid = Array(content[..<16])
      guard uuid.suffix(4) == [0x0B, 0xC1, 0x7A, 0xF4] || uuid.suffix(2) == [0xB2, 0xA1] else {
        return (uuid + [UInt8](repeating: 0, count: content.count - 16), nil)
      }
      return (uuid + pseudonyms.serviceData(Array(content[16...])), nil)
    case 0x17, 0x18:
      guard content.count.isMultiple(of: 6) else { return (blank, nil) }
      return (
        stride(from: 0, to: content.count, by: 6).flatMap {
          pseudonyms.addressBytes(Array(content[$0..<$0 + 6]))
        }, nil
      )
    case 0x1B:
      guard content.count == 7 else { return (blank, nil) }
      return (pseudonyms.addressBytes(Array(content[..<6])) + [content[6]], nil)
    case 0xFF:
      guard content.count >= 2 else { return (blank, nil) }
      let data = Array(content[2...])
      let isBeacon = content[0] == 0xFF && content[1] == 0xFF
      let new = isBeacon ? beacon(data) : nil
      return (content[..<2] + (new ?? [UInt8](repeating: 0, count: data.count)), nil)
    default: return (blank, nil)
    }
  }

  private func serviceData(
    _ content: [UInt8], behind: UInt8?
  ) -> (bytes: [UInt8], extra: UInt8?) {
    guard content.count >= 2 else { return ([UInt8](repeating: 0, count: content.count), nil) }
    let uuid = UInt16(content[1]) << 8 | UInt16(content[0])
    let data = Array(content[2...])
    let head = Array(content[..<2])
    switch uuid {
    case ServiceIdentifiers.alias: return (head + pseudonyms.serviceData(data), nil)
    case ServiceIdentifiers.libraryAlias:
      // The library's advertiser writes a length that is one too small.
      if data.count == 9 || data.count == 20, let behind, let new = beacon(data + [behind]) {
        return (head + new.dropLast(), new.last)
      }
      if let new = beacon(data) { return (head + new, nil) }
      return (head + [UInt8](repeating: 0, count: data.count), nil)
    default: return (head + [UInt8](repeating: 0, count: data.count), nil)
    }
  }

  private func beacon(_ bytes: [UInt8]) -> [UInt8]? {
    switch bytes.count {
    case 10: messages.beacon(bytes, form: .compact)
    case 16: messages.beacon(bytes, form: .full)
    case 21 where bytes[0] == 2: messages.beacon(bytes, form: .encrypted)
    default: nil
    }
  }
}
