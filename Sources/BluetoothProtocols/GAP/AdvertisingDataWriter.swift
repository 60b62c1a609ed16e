/// Builds advertising data of at most 31 bytes (Core Specification Vol 3 Part C, 11).
public struct AdvertisingDataWriter: Sendable {
  /// Bytes that legacy advertising carries.
  public static let capacity = 31

  /// The data so far.
  public private(set) var bytes: [UInt8] = []

  /// Makes empty data.
  public init() {}

  /// Appends a structure; false, and nothing appended, where it does not fit.
  @discardableResult
  public mutating func append(type: UInt8, _ data: some Sequence<UInt8>) -> Bool {
    let field = Array(data)
    guard bytes.count + 2 + field.count <= AdvertisingDataWriter.capacity else { return false }
    bytes.append(UInt8(field.count + 1))
    bytes.append(type)
    bytes.append(contentsOf: field)
    return true
  }

  /// The data padded to the 31 bytes that the legacy commands always carry, behind its length.
  public var padded: [UInt8] {
    [UInt8(bytes.count)] + bytes
      + [UInt8](repeating: 0, count: AdvertisingDataWriter.capacity - bytes.count)
  }
}
