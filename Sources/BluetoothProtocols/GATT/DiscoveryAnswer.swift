public import WireBytes

/// What one answer to a discovery request tells of a server's attributes.
///
/// Core Specification Vol 3 Part G, 4.4 to 4.7. An answer lists what it found in ascending order, so
/// that nothing else of the kind asked for is between the request's start and the last entry; Attribute
/// Not Found says so of the whole range. Only that replaces what was known before.
public struct DiscoveryAnswer: Sendable, Equatable {
  /// What was asked for.
  public enum Scope: Sendable, Equatable {
    /// All services of a kind.
    case services(isPrimary: Bool)
    /// The services of one type.
    case service(BluetoothUUID, isPrimary: Bool)
    /// Characteristic declarations.
    case characteristics
    /// The type of each attribute.
    case attributes
    /// Values of one type.
    case values(BluetoothUUID)
  }

  /// Something known before that the answer does not show.
  enum Gone {
    case characteristic(UInt16)
    case service(AttributeTable.Service)

    var handles: ClosedRange<UInt16> {
      switch self {
      case .characteristic(let handle): handle...handle
      case .service(let service): service.start...service.end
      }
    }
  }

  /// What was asked for.
  public var scope: Scope
  /// The first handle asked for.
  public let start: UInt16
  /// The last handle up to which nothing else is; nil where the answer told of none.
  public private(set) var end: UInt16?
  /// Services found.
  public private(set) var services: [AttributeTable.Service] = []
  /// Characteristic values found.
  public private(set) var characteristics: [AttributeTable.Characteristic] = []
  /// Declarations and descriptors found.
  public private(set) var others: [UInt16] = []

  private init(_ scope: Scope, start: UInt16) {
    self.scope = scope
    self.start = start
  }

  /// Attribute Not Found: nothing of the kind is in the whole range asked for.
  public init(nothing scope: Scope, start: UInt16, end: UInt16) {
    self.init(scope, start: start)
    self.end = end
  }

  /// The answer says nothing of what it does not show: packets were lost since its request.
  public mutating func forgetRange() { end = nil }

  /// A Read By Group Type response: services with their ranges.
  ///
  /// Entries that lie wholly in the capture are used; a size that fits no entry teaches nothing.
  public init(
    services entries: inout ByteReader, entrySize: Int, isPrimary: Bool, start: UInt16
  ) {
    self.init(.services(isPrimary: isPrimary), start: start)
    guard entrySize == 6 || entrySize == 20 else { return }
    while entries.remaining >= entrySize {
      do throws(DecodeError) {
        let first = try entries.le16()
        let last = try entries.le16()
        let uuid = try BluetoothUUID(&entries, size: entrySize - 4)
        add(AttributeTable.Service(start: first, end: last, uuid: uuid, isPrimary: isPrimary))
      } catch {
        return
      }
    }
  }

  /// A Find By Type Value response to a search for one service.
  public init(
    rangesOf uuid: BluetoothUUID, isPrimary: Bool, _ entries: inout ByteReader, start: UInt16
  ) {
    self.init(.service(uuid, isPrimary: isPrimary), start: start)
    while entries.remaining >= 4 {
      do throws(DecodeError) {
        let first = try entries.le16()
        let last = try entries.le16()
        add(AttributeTable.Service(start: first, end: last, uuid: uuid, isPrimary: isPrimary))
      } catch {
        return
      }
    }
  }

  private mutating func add(_ service: AttributeTable.Service) {
    services.append(service)
    others.append(service.start)
    reach(service.end)
  }

  /// A Read By Type response to a search for characteristic declarations (0x2803).
  public init(characteristics entries: inout ByteReader, entrySize: Int, start: UInt16) {
    self.init(.characteristics, start: start)
    guard entrySize == 7 || entrySize == 21 else { return }
    while entries.remaining >= entrySize {
      do throws(DecodeError) {
        let declaration = try entries.le16()
        try entries.skip(1)
        let handle = try entries.le16()
        let uuid = try BluetoothUUID(&entries, size: entrySize - 5)
        others.append(declaration)
        characteristics.append(
          AttributeTable.Characteristic(handle: handle, uuid: uuid, declaration: declaration))
        reach(declaration)
      } catch {
        return
      }
    }
  }

  /// A Find Information response: the type of each attribute.
  ///
  /// Types of 0x2800 to 0x29FF are declarations and descriptors; anything else is a value.
  public init(types entries: inout ByteReader, uuidSize: Int, start: UInt16) {
    self.init(.attributes, start: start)
    while entries.remaining >= uuidSize + 2 {
      do throws(DecodeError) {
        let handle = try entries.le16()
        add(handle, of: try BluetoothUUID(&entries, size: uuidSize))
      } catch {
        return
      }
    }
  }

  /// A Read By Type response to a search for values of one type; they are added by `add(_:of:)`.
  public init(valuesOf uuid: BluetoothUUID, start: UInt16) {
    self.init(.values(uuid), start: start)
  }

  /// Adds an attribute with its type.
  public mutating func add(_ handle: UInt16, of uuid: BluetoothUUID) {
    if let short = uuid.short, (0x2800...0x29FF).contains(short) {
      others.append(handle)
    } else {
      characteristics.append(AttributeTable.Characteristic(handle: handle, uuid: uuid))
    }
    reach(handle)
  }

  private mutating func reach(_ handle: UInt16) { end = max(end ?? 0, handle) }

  /// What a table knows otherwise.
  func contradictions(in table: AttributeTable) -> [Gone] {
    var gone: [Gone] = []
    for found in characteristics {
      // Another type at a handle that was found replaces the old one, wherever it was asked for.
      if let known = table.characteristic(at: found.handle), known.uuid != found.uuid {
        gone.append(.characteristic(found.handle))
      }
    }
    guard let end, start <= end else { return gone }
    let range = start...end
    switch scope {
    case .services(let isPrimary):
      gone += missing(in: table, range) { $0.isPrimary == isPrimary }
    case .service(let uuid, let isPrimary):
      gone += missing(in: table, range) { $0.uuid == uuid && $0.isPrimary == isPrimary }
    case .characteristics:
      gone += missing(in: table) { range.contains($0.declaration) }
    case .attributes:
      gone += missing(in: table) { range.contains($0.handle) }
      gone += table.services.filter { range.contains($0.start) && !others.contains($0.start) }
        .map { .service($0) }
    case .values(let uuid):
      gone += missing(in: table) { $0.uuid == uuid && range.contains($0.handle) }
    }
    return gone
  }

  private func missing(
    in table: AttributeTable, where isAskedFor: (AttributeTable.Characteristic) -> Bool
  ) -> [Gone] {
    table.characteristics.filter { known in
      isAskedFor(known) && !characteristics.contains { $0.handle == known.handle }
    }.map { .characteristic($0.handle) }
  }

  private func missing(
    in table: AttributeTable, _ range: ClosedRange<UInt16>,
    where isAskedFor: (AttributeTable.Service) -> Bool
  ) -> [Gone] {
    table.services.filter { known in
      range.contains(known.start) && isAskedFor(known)
        && !services.contains { $0.start == known.start && $0.uuid == known.uuid }
    }.map { .service($0) }
  }
}
