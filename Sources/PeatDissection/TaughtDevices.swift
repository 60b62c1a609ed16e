import BluetoothProtocols

/// What captures tell of devices that other captures of the same run can use: tables by device, and
/// keys that say which private addresses are one device.
public struct TaughtDevices: Sendable {
  /// From captures before the one that is read; of several, from the nearest.
  var before: [ServerIdentity: AttributeTable] = [:]
  /// From captures behind it.
  var after: [ServerIdentity: AttributeTable] = [:]
  /// Keys from pairings, least significant byte first, with the address that each belongs to.
  var keys: [(key: [UInt8], identity: DeviceAddress)] = []

  /// Makes one that knows nothing.
  public init() {}

  /// Whether it knows nothing.
  public var isEmpty: Bool { before.isEmpty && after.isEmpty && keys.isEmpty }

  /// Whether a capture with so many values on unnamed handles could be read better with it.
  public func isUseful(unnamed: Int) -> Bool {
    !keys.isEmpty || (unnamed > 0 && !(before.isEmpty && after.isEmpty))
  }

  /// Adds what a capture told of private addresses alone.
  public mutating func add(keysOf lesson: DeviceLesson) { keys += lesson.keys }

  /// Adds what a capture told; the nearest capture comes last.
  public mutating func add(_ lesson: DeviceLesson, isBefore: Bool) {
    for (identity, table) in lesson.tables {
      if isBefore { before[identity] = table.last } else { after[identity] = table.first }
    }
    keys += lesson.keys
  }
}

/// What one capture tells of devices.
public struct DeviceLesson: Sendable {
  var tables: [ServerIdentity: (first: AttributeTable, last: AttributeTable)]
  var keys: [(key: [UInt8], identity: DeviceAddress)]

  /// Whether it tells nothing.
  public var isEmpty: Bool { tables.isEmpty && keys.isEmpty }
  /// Whether it tells which private addresses are one device.
  public var hasKeys: Bool { !keys.isEmpty }
}

extension LinkDissector {
  /// What the capture tells of devices, for other captures.
  var lesson: DeviceLesson {
    DeviceLesson(tables: knowledge.deviceTables, keys: addresses.learntKeys)
  }
}
