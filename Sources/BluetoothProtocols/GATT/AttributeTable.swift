import WireBytes

/// What is known of one server's attributes, learnt from discovery traffic.
///
/// Core Specification Vol 3 Part G, 4.4 to 4.7. A handle means nothing outside one server, so there
/// is one of these for each side of each connection.
public struct AttributeTable: Sendable, Equatable {
  /// A service and the handles that belong to it.
  public struct Service: Sendable, Equatable, BitwiseCopyable {
    /// The first handle.
    public var start: UInt16
    /// The last handle.
    public var end: UInt16
    /// The type.
    public var uuid: BluetoothUUID
    /// Whether it is a primary service; secondary ones are discovered apart (Vol 3 Part G, 3.1).
    public var isPrimary = true

    /// Makes a service from its parts.
    public init(start: UInt16, end: UInt16, uuid: BluetoothUUID, isPrimary: Bool = true) {
      self.start = start
      self.end = end
      self.uuid = uuid
      self.isPrimary = isPrimary
    }
  }

  /// A characteristic's value: its handle and type.
  public struct Characteristic: Sendable, Equatable, BitwiseCopyable {
    /// The handle.
    public var handle: UInt16
    /// The type.
    public var uuid: BluetoothUUID
    /// The handle of its declaration; handles may have gaps, so that it need not be the one before.
    public var declaration: UInt16

    /// Makes a characteristic from its parts; a declaration that is not known stands right before.
    public init(handle: UInt16, uuid: BluetoothUUID, declaration: UInt16? = nil) {
      self.handle = handle
      self.uuid = uuid
      self.declaration = declaration ?? (handle &- 1)
    }
  }

  /// The type of Service Changed (Vol 3 Part G, 7.1).
  public static let serviceChanged: UInt16 = 0x2A05

  /// Entries kept of each kind; a server that claims more is not believed.
  public static let limit = 4096

  /// Services in ascending order of their first handle.
  public private(set) var services: [Service] = []
  /// Characteristics in ascending order of their value handle.
  public private(set) var characteristics: [Characteristic] = []
  /// Handles known to be descriptors or declarations, ascending: never values of documents.
  public private(set) var others: [UInt16] = []
  /// The server's GATT database hash, when it was read.
  public var databaseHash: [UInt8]?

  /// Makes an empty table.
  public init() {}

  /// Whether nothing was learnt.
  public var isEmpty: Bool { services.isEmpty && characteristics.isEmpty && others.isEmpty }

  /// Entries of all kinds, for a bound over many tables.
  public var entryCount: Int { services.count + characteristics.count + others.count }

  /// Learns a service; one that starts at the same handle is replaced.
  public mutating func learn(_ service: Service) {
    guard service.start > 0, service.start <= service.end else { return }
    let place = services.partitionPoint { $0.start < service.start }
    if place < services.count, services[place].start == service.start {
      services[place] = service
    } else if services.count < AttributeTable.limit {
      services.insert(service, at: place)
    }
  }

  /// Learns the type of a characteristic's value; the same handle is replaced.
  public mutating func learn(_ characteristic: Characteristic) {
    guard characteristic.handle > 0 else { return }
    let place = characteristics.partitionPoint { $0.handle < characteristic.handle }
    if place < characteristics.count, characteristics[place].handle == characteristic.handle {
      // Not every discovery tells where the declaration is.
      let isAssumed = characteristic.declaration == characteristic.handle &- 1
      if isAssumed, characteristics[place].uuid == characteristic.uuid { return }
      characteristics[place] = characteristic
    } else if characteristics.count < AttributeTable.limit {
      characteristics.insert(characteristic, at: place)
    }
  }

  /// Learns that a handle is a declaration or descriptor.
  public mutating func learnOther(_ handle: UInt16) {
    guard handle > 0 else { return }
    let place = others.partitionPoint { $0 < handle }
    if place < others.count, others[place] == handle { return }
    if others.count < AttributeTable.limit { others.insert(handle, at: place) }
  }

  /// Forgets what was learnt of a range of handles; what a service has outside of it stays.
  public mutating func forget(_ range: ClosedRange<UInt16>) {
    var kept: [Service] = []
    for service in services {
      if service.start > range.upperBound || service.end < range.lowerBound {
        kept.append(service)
        continue
      }
      var part = service
      if service.start < range.lowerBound {
        part.end = range.lowerBound - 1
        kept.append(part)
      }
      if service.end > range.upperBound {
        part.start = range.upperBound + 1
        part.end = service.end
        kept.append(part)
      }
    }
    services = kept
    characteristics.removeAll { range.contains($0.handle) }
    others.removeAll { range.contains($0) }
    databaseHash = nil
  }

  /// Forgets a characteristic, or a service with what lies in it, that a discovery did not find.
  mutating func forget(_ gone: DiscoveryAnswer.Gone) {
    switch gone {
    case .characteristic(let handle): characteristics.removeAll { $0.handle == handle }
    case .service(let service):
      services.removeAll { $0.start == service.start }
      characteristics.removeAll { $0.handle >= service.start && $0.handle <= service.end }
      others.removeAll { $0 >= service.start && $0 <= service.end }
    }
  }

  /// The characteristic whose value has this handle.
  public func characteristic(at handle: UInt16) -> Characteristic? {
    let place = characteristics.partitionPoint { $0.handle < handle }
    guard place < characteristics.count, characteristics[place].handle == handle else {
      return nil
    }
    return characteristics[place]
  }

  /// The service that a handle belongs to.
  public func service(containing handle: UInt16) -> Service? {
    let place = services.partitionPoint { $0.start <= handle }
    guard place > 0, services[place - 1].end >= handle else { return nil }
    return services[place - 1]
  }

  /// Whether a handle is known to be no characteristic value.
  public func isKnownOther(_ handle: UInt16) -> Bool {
    let place = others.partitionPoint { $0 < handle }
    return place < others.count && others[place] == handle
  }

  /// Takes over what another view of the same server knew.
  public mutating func merge(_ other: AttributeTable) {
    if isEmpty {
      // Shares the entries of the other until one of both changes.
      let hash = databaseHash ?? other.databaseHash
      self = other
      databaseHash = hash
      return
    }
    for service in other.services { learn(service) }
    for characteristic in other.characteristics { learn(characteristic) }
    for handle in other.others { learnOther(handle) }
    databaseHash = databaseHash ?? other.databaseHash
  }
}

extension Array {
  /// The first index whose element does not satisfy `precedes`, in an array where those that do
  /// come first.
  func partitionPoint(_ precedes: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = low + (high - low) / 2
      if precedes(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
