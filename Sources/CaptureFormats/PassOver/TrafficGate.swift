/// What is known to need no look: asked of every packet before anything is made of it, so that a
/// reader passes over traffic that nobody wants without lending it out.
///
/// For each connection it holds what each client waits for, and for each handle of each server one
/// decision: its values are unwanted, or only counted. Whoever follows the connections says what
/// holds after each packet that was lent out, and takes back what changed while packets were passed
/// over. Connections of the first four adapters are known; all else is lent out as ever.
public struct TrafficGate: Sendable {
  /// What a client waits for on the fixed channel, in one word: its kind, and what belongs to it.
  public struct Client: BitwiseCopyable, Sendable, Equatable {
    /// The kind of request.
    public enum Kind: UInt8, BitwiseCopyable, Sendable {
      /// Nothing, so that an answer tells nothing.
      case none = 0
      /// The answer to a write of an unwanted value.
      case write
      /// A value; the handle belongs to it.
      case read
      /// An answer that tells nothing.
      case other
      /// The answer to a discovery request, which belongs to it.
      case discovery
      /// Something that no decision is made of here.
      case heavy
    }

    var word: UInt64

    /// Makes a state of a kind; `detail` is 56 bits wide.
    @inline(__always)
    public init(_ kind: Kind, _ detail: UInt64 = 0) {
      word = UInt64(kind.rawValue) | detail << 8
    }

    /// The kind.
    @inline(__always) public var kind: Kind { Kind(rawValue: UInt8(word & 0xFF)) ?? .heavy }
    /// A handle, or a request's opcode, first and last handle and type, in the order of its bytes.
    @inline(__always) public var detail: UInt64 { word >> 8 }
  }

  /// A packet of which a first part was passed over, so that the rest can be.
  struct Skipped: BitwiseCopyable, Sendable {
    var whole: UInt32 = 0
    var left: UInt32 = 0
  }

  /// A pair of values by side: 0 for the local one, 1 for the peer.
  struct Pair<Value: BitwiseCopyable & Sendable>: BitwiseCopyable, Sendable {
    var local: Value
    var peer: Value

    @inline(__always)
    subscript(side: Int) -> Value {
      get { side == 0 ? local : peer }
      set { if side == 0 { local = newValue } else { peer = newValue } }
    }
  }

  /// What kind of traffic a connection carries.
  public enum Traffic: UInt8, BitwiseCopyable, Sendable {
    /// Nothing of it is passed over.
    case unknown
    /// LE without channels that carry ATT.
    case lowEnergy
    /// BR/EDR without channels that carry ATT.
    case classic
  }

  struct Row: BitwiseCopyable, Sendable {
    var stamp: UInt32 = 0
    var traffic = Traffic.unknown
    /// Whether packets were passed over that changed what is said here.
    var isChanged = false
    var flags: UInt8 = 0
    var mtu: UInt16 = 23
    var clients = Pair(local: Client(.none), peer: Client(.none))
    var skipped = Pair(local: Skipped(), peer: Skipped())
  }

  struct Flag {
    static func pending(_ side: Int) -> UInt8 { 1 << UInt8(side) }
    static func partialRead(_ side: Int) -> UInt8 { 4 << UInt8(side) }
    static func prepared(_ side: Int) -> UInt8 { 16 << UInt8(side) }
    static let configurations: UInt8 = 64
    static let flushable: UInt8 = 128
  }

  /// A decision on one handle of one server.
  struct Cell: BitwiseCopyable, Sendable {
    var key: UInt32 = 0
    var stamp: UInt32 = 0
    var isCounted = false
    /// Bits 0 to 3: by sender and whether notified, what was noted of the connection; 4: indications.
    var noted: UInt8 = 0
    var count: UInt32 = 0
    var lastFrame = 0
  }

  /// Packets that were passed over.
  public struct Counts: Sendable, Equatable {
    /// HCI commands and events.
    public var control = 0
    /// ACL data.
    public var data = 0
    /// SCO.
    public var synchronous = 0
    /// Isochronous data.
    public var isochronous = 0
  }

  static let adapters = 4
  private static let indications: UInt8 = 16
  /// Entries of the table of packets that are passed over.
  private static let mostCells = 1 << 16
  // Shared by all gates that know nothing yet, of which there is one for each capture.
  private static let noPlaces = [UInt16](repeating: 0, count: adapters << 12)

  /// By adapter and connection: the place of its row; the first row stays empty.
  var places = TrafficGate.noPlaces
  var rows: [Row] = [Row()]
  /// The adapter and connection of each row.
  private var owners: [Int] = [0]
  private var cells: [Cell] = []
  private var used = 0
  private var lastStamp: UInt32 = 0
  private var hasCounts = false
  var lessons = KnownLessons()
  /// Packets passed over so far.
  public internal(set) var counts = Counts()
  /// Packets that the recorder had lost until the last record lent out.
  public var drops: UInt32 = 0

  /// Makes a gate that passes over what never matters.
  public init() {}

  // MARK: - What whoever follows the connections says

  /// Whether a connection can have a row.
  @inline(__always)
  public static func covers(adapter: Int) -> Bool { adapter >= 0 && adapter < adapters }

  @inline(__always)
  private static func place(_ adapter: Int, _ connection: UInt16) -> Int {
    adapter << 12 | Int(connection & 0x0FFF)
  }

  /// The row of a connection; 0 where it has none.
  @inline(__always)
  public func row(adapter: Int, connection: UInt16) -> Int {
    TrafficGate.covers(adapter: adapter)
      ? Int(places[TrafficGate.place(adapter, connection)]) : 0
  }

  /// The row of a connection, made where it has none; 0 for adapters that are not known here.
  public mutating func openRow(adapter: Int, connection: UInt16) -> Int {
    guard TrafficGate.covers(adapter: adapter) else { return 0 }
    let place = TrafficGate.place(adapter, connection)
    if places[place] != 0 { return Int(places[place]) }
    places[place] = UInt16(rows.count)
    lastStamp += 1
    var row = Row()
    row.stamp = lastStamp
    rows.append(row)
    owners.append(place)
    return rows.count - 1
  }

  /// Says what holds of a connection from the next packet on.
  public mutating func set(
    row: Int, _ traffic: Traffic, mtu: Int, clients: (local: Client, peer: Client),
    hasPartialRead: (local: Bool, peer: Bool), hasPrepared: (local: Bool, peer: Bool),
    isPending: (local: Bool, peer: Bool), hasConfigurations: Bool, hasFlushableStarts: Bool
  ) {
    guard row > 0 else { return }
    var flags: UInt8 = 0
    if isPending.local { flags |= Flag.pending(0) }
    if isPending.peer { flags |= Flag.pending(1) }
    if hasPartialRead.local { flags |= Flag.partialRead(0) }
    if hasPartialRead.peer { flags |= Flag.partialRead(1) }
    if hasPrepared.local { flags |= Flag.prepared(0) }
    if hasPrepared.peer { flags |= Flag.prepared(1) }
    if hasConfigurations { flags |= Flag.configurations }
    if hasFlushableStarts { flags |= Flag.flushable }
    var changed = rows[row]
    changed.traffic = traffic
    changed.flags = flags
    changed.mtu = UInt16(clamping: mtu)
    changed.clients = Pair(local: clients.local, peer: clients.peer)
    changed.isChanged = false
    rows[row] = changed
  }

  /// What changed of a connection while packets were passed over; nil where nothing did.
  public mutating func takeChange(row: Int) -> (
    clients: (local: Client, peer: Client),
    local: (whole: Int, left: Int), peer: (whole: Int, left: Int)
  )? {
    guard row > 0, rows[row].isChanged else { return nil }
    let found = rows[row]
    rows[row].isChanged = false
    rows[row].skipped = Pair(local: Skipped(), peer: Skipped())
    return (
      (found.clients.local, found.clients.peer),
      (Int(found.skipped.local.whole), Int(found.skipped.local.left)),
      (Int(found.skipped.peer.whole), Int(found.skipped.peer.left))
    )
  }

  /// Forgets the decisions on a connection's handles; counts are taken before.
  public mutating func forget(row: Int) {
    guard row > 0 else { return }
    lastStamp += 1
    rows[row].stamp = lastStamp
  }

  /// The connection ends: nothing of its handle is passed over until another one is told of.
  public mutating func close(row: Int) {
    guard row > 0 else { return }
    lastStamp += 1
    rows[row] = Row()
    rows[row].stamp = lastStamp
  }

  /// Forgets the decisions on all handles; counts are taken before.
  public mutating func forgetAll() {
    for row in rows.indices.dropFirst() {
      lastStamp += 1
      rows[row].stamp = lastStamp
    }
  }

  /// Notes that values of a handle are not wanted, by the server's side.
  public mutating func pass(row: Int, isPeerServer: Bool, attribute: UInt16) {
    decide(row, isPeerServer ? 1 : 0, attribute) { $0.isCounted = false }
  }

  /// Notes that values of a handle are only counted, where they come as this one did.
  public mutating func count(
    row: Int, isPeerServer: Bool, attribute: UInt16, isFromPeer: Bool, isNotified: Bool
  ) {
    let bit = TrafficGate.bit(isFromPeer ? 1 : 0, isNotified)
    decide(row, isPeerServer ? 1 : 0, attribute) {
      $0.isCounted = true
      $0.noted |= bit
    }
  }

  /// Notes that indications of a handle say nothing of other handles.
  public mutating func passIndications(row: Int, isPeerServer: Bool, attribute: UInt16) {
    let found = find(row, isPeerServer ? 1 : 0, Int(attribute))
    if found >= 0 { cells[found].noted |= TrafficGate.indications }
  }

  /// Takes how many values were counted by handle, and in which packet the last one was.
  public mutating func takeCounts() -> [(
    adapter: Int, connection: UInt16, isPeerServer: Bool, attribute: UInt16, count: Int, frame: Int
  )] {
    guard hasCounts else { return [] }
    hasCounts = false
    var taken: [(Int, UInt16, Bool, UInt16, Int, Int)] = []
    for index in cells.indices where cells[index].count > 0 {
      let key = cells[index].key
      let owner = owners[Int(key >> 17)]
      taken.append(
        (
          owner >> 12, UInt16(owner & 0x0FFF), key >> 16 & 1 == 1,
          UInt16(truncatingIfNeeded: key), Int(cells[index].count), cells[index].lastFrame
        ))
      cells[index].count = 0
    }
    return taken
  }

  // MARK: - Decisions by handle

  @inline(__always)
  private static func key(_ row: Int, _ side: Int, _ attribute: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: row << 17 | side << 16 | attribute)
  }

  @inline(__always)
  static func bit(_ sender: Int, _ isNotified: Bool) -> UInt8 {
    1 << UInt8(truncatingIfNeeded: sender << 1 | (isNotified ? 1 : 0))
  }

  /// The first place to look for a key; the number of cells is a power of two.
  @inline(__always)
  private func home(_ key: UInt32) -> Int {
    let mixed = key &* 0x9E37_79B1
    return Int(mixed ^ mixed >> 15) & (cells.count &- 1)
  }

  /// The place of a decision that holds; negative where there is none.
  @inline(__always)
  private func find(_ row: Int, _ side: Int, _ attribute: Int) -> Int {
    guard !cells.isEmpty else { return -1 }
    let key = TrafficGate.key(row, side, attribute)
    var place = home(key)
    while cells[place].key != key {
      if cells[place].key == 0 { return -1 }
      place = (place &+ 1) & (cells.count &- 1)
    }
    return cells[place].stamp == rows[row].stamp ? place : -1
  }

  private mutating func decide(
    _ row: Int, _ side: Int, _ attribute: UInt16, _ change: (inout Cell) -> Void
  ) {
    guard row > 0 else { return }
    if used * 2 >= cells.count { grow() }
    let key = TrafficGate.key(row, side, Int(attribute))
    var place = home(key)
    while cells[place].key != key, cells[place].key != 0 {
      place = (place &+ 1) & (cells.count &- 1)
    }
    if cells[place].key == 0 { used += 1 }
    if cells[place].key == 0 || cells[place].stamp != rows[row].stamp {
      // What was counted by an older decision is still to be taken.
      let count = cells[place].count
      cells[place] = Cell(key: key, stamp: rows[row].stamp)
      cells[place].count = count
    }
    change(&cells[place])
  }

  /// Twice the room, or as much for those that hold; what does not hold any more is left behind.
  private mutating func grow() {
    let old = cells
    let living = old.filter { $0.key != 0 && ($0.count > 0 || isLiving($0)) }
    // A stranger can open any number of handles: beyond the limit all are decided anew.
    let kept = living.count * 4 > TrafficGate.mostCells ? living.filter { $0.count > 0 } : living
    var room = 64
    while room < kept.count * 4 { room *= 2 }
    cells = [Cell](repeating: Cell(), count: room)
    used = kept.count
    for cell in kept {
      var place = home(cell.key)
      while cells[place].key != 0 { place = (place &+ 1) & (cells.count &- 1) }
      cells[place] = cell
    }
  }

  private func isLiving(_ cell: Cell) -> Bool { rows[Int(cell.key >> 17)].stamp == cell.stamp }

  /// Whether a handle's values are not wanted at all.
  @inline(__always)
  func isUnwanted(_ row: Int, server: Int, _ attribute: Int) -> Bool {
    let found = find(row, server, attribute)
    return found >= 0 && !cells[found].isCounted
  }

  /// Whether a value needs no look; counts it where its handle's values are counted.
  @inline(__always)
  mutating func passes(
    _ row: Int, server: Int, _ attribute: Int, sender: Int, isNotified: Bool, isPart: Bool,
    isTiny: Bool = false, isIndicated: Bool = false, frame: Int
  ) -> Bool {
    let found = find(row, server, attribute)
    guard found >= 0 else { return false }
    if isIndicated, cells[found].noted & TrafficGate.indications == 0 { return false }
    guard cells[found].isCounted else { return true }
    // Whether the rest of a part comes is not known: it is counted where it is put together.
    guard !isTiny, !isPart, cells[found].noted & TrafficGate.bit(sender, isNotified) != 0,
      cells[found].count < .max
    else { return false }
    cells[found].count &+= 1
    cells[found].lastFrame = frame
    hasCounts = true
    return true
  }
}
