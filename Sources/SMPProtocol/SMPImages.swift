public import WireBytes

/// An image in a slot, as the image state has it.
public struct SMPImage: Sendable, Equatable {
  /// Which image, on devices with several.
  public let image: Int
  /// The slot: 0 runs, 1 waits.
  public let slot: Int
  /// The version as the server writes it.
  public let version: String?
  /// The hash that the boot loader knows it by.
  public let hash: [UInt8]?
  /// Whether it will run at the next reset.
  public let isPending: Bool
  /// Whether it will stay.
  public let isConfirmed: Bool
  /// Whether it runs.
  public let isActive: Bool
  /// Whether it will run at every reset from the next on.
  public let isPermanent: Bool

  /// Reads one entry; a flag that is missing is false.
  public init?(_ value: CBORValue) {
    guard let slot = value["slot"]?.integer else { return nil }
    self.slot = slot
    image = value["image"]?.integer ?? 0
    version = value["version"]?.text
    hash = value["hash"]?.bytes
    isPending = value["pending"]?.bool ?? false
    isConfirmed = value["confirmed"]?.bool ?? false
    isActive = value["active"]?.bool ?? false
    isPermanent = value["permanent"]?.bool ?? false
  }

  /// The images of a response of the image state; nil where the body has none.
  public static func all(_ body: CBORValue) -> [SMPImage]? {
    body["images"]?.array?.compactMap { SMPImage($0) }
  }
}

/// A request of the image upload.
public struct SMPUpload: Sendable, Equatable {
  /// Where the data begin in the image.
  public let offset: Int
  /// The data.
  public let data: [UInt8]
  /// Bytes of the whole image, in the first request.
  public let length: Int?
  /// The hash of the whole file, in the first request; the image state has another one.
  public let hash: [UInt8]?
  /// Which image.
  public let image: Int?

  /// Reads a body; nil where it is of no upload.
  public init?(_ body: CBORValue) {
    guard let offset = body["off"]?.integer, offset >= 0, let data = body["data"]?.bytes else {
      return nil
    }
    self.offset = offset
    self.data = data
    length = body["len"]?.integer
    hash = body["sha"]?.bytes
    image = body["image"]?.integer
  }

  /// The version in an image's header, where the data begin with one (magic 96F3B83D) that fits the
  /// length of the whole.
  public var version: String? {
    var reader = ByteReader(data.rawBytes, layer: .smp)
    guard offset == 0, (try? reader.le32()) == 0x96F3_B83D, (try? reader.skip(4)) != nil,
      let header = try? reader.le16(), header >= 32, (try? reader.skip(2)) != nil,
      let size = try? reader.le32(), (try? reader.skip(4)) != nil,
      length.map({ Int(header) + Int(size) <= $0 }) ?? true,
      let major = try? reader.u8(), let minor = try? reader.u8(), let revision = try? reader.le16(),
      let build = try? reader.le32()
    else { return nil }
    return "\(major).\(minor).\(revision)" + (build == 0 ? "" : "+\(build)")
  }
}
