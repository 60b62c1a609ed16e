internal import WireBytes

/// The packets of the library's advertiser, with its wrong length byte (protocol.md 1.5).
///
/// No platform adapter sends them; a strict reader of advertising data loses the beacon's last
/// byte and takes it for the length of the next field.
public struct LibraryAdvertisement: Sendable, Equatable {
  /// What the service data carries.
  public enum Payload: Sendable, Equatable {
    /// The compact beacon.
    case beacon(Beacon)
    /// The 21 bytes of an encrypted beacon.
    case encrypted([UInt8])
  }

  /// Most bytes of a legacy advertising packet.
  public static let legacyLimit = 31
  /// Most bytes of a name that are sent; a longer one is cut.
  public static let nameLimit = 29

  /// The advertising data.
  public let advertisingData: [UInt8]
  /// The scan response; nil when it would be empty.
  public let scanResponse: [UInt8]?
  /// Whether the packet is to be sent as an extended advertisement.
  public let isExtended: Bool

  /// Lays out a packet.
  ///
  /// - Parameters:
  ///   - name: sent in the scan response; an encrypted beacon without one is named `PEAT`.
  ///   - txPower: dBm; it moves to the scan response where 3 bytes no longer fit.
  ///   - extended: whether extended advertising was asked for.
  public init(payload: Payload, name: String? = nil, txPower: Int8? = nil, extended: Bool = false) {
    let content: [UInt8]
    var shownName = name
    switch payload {
    case .beacon(let beacon): content = beacon.encodedCompact
    case .encrypted(let bytes):
      content = bytes
      shownName = name ?? "PEAT"
    }
    var data = ByteWriter(capacity: 40)
    data.append([0x02, 0x01, 0x06, 0x03, 0x03])
    data.le16(ServiceIdentifiers.libraryAlias)
    // One too few: the type byte is not counted.
    data.u8(UInt8(truncatingIfNeeded: 2 + content.count))
    data.u8(0x16)
    data.le16(ServiceIdentifiers.libraryAlias)
    data.append(content)
    var response = ByteWriter(capacity: 40)
    if let txPower {
      let field: [UInt8] = [0x02, 0x0A, UInt8(bitPattern: txPower)]
      if data.count + field.count <= LibraryAdvertisement.legacyLimit {
        data.append(field)
      } else {
        response.append(field)
      }
    }
    if let shownName {
      let whole = Array(shownName.utf8)
      let part = whole.prefix(LibraryAdvertisement.nameLimit)
      response.u8(UInt8(truncatingIfNeeded: part.count + 1))
      response.u8(part.count < whole.count ? 0x08 : 0x09)
      response.append(part)
    }
    advertisingData = data.bytes
    scanResponse = response.count > 0 ? response.bytes : nil
    isExtended = extended || data.count > LibraryAdvertisement.legacyLimit
  }

  /// Whether both packets fit legacy advertising.
  public var fitsLegacy: Bool {
    advertisingData.count <= LibraryAdvertisement.legacyLimit
      && (scanResponse?.count ?? 0) <= LibraryAdvertisement.legacyLimit
  }

  /// Bytes of both packets together.
  public var totalSize: Int { advertisingData.count + (scanResponse?.count ?? 0) }
}
