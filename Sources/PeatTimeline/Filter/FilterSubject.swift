import FirmwareUpgrades
import MeshDissection
import PeatDissection
import PeatProtocol
import PeatReplay

/// What a filter asks: a row of any protocol. The fields of carriage and findings are every row's;
/// those of Peat's messages hold of no other.
@dynamicMemberLookup
struct FilterSubject: Sendable {
  private let row: TimelineRow
  /// The message, where it is a mesh's.
  let mesh: MeshRow?
  /// The message, where it is a firmware upgrade's.
  let smp: SMPPacket?
  /// The word of `kind`, where it is none of Peat's.
  let kind: String?

  init(_ item: TimelineItem) {
    switch item {
    case .peat(let row):
      self.row = row
      mesh = nil
      smp = nil
      kind = nil
    case .mesh(let row):
      self.row = FilterSubject.bare(row.carried, row.findings)
      mesh = row
      smp = nil
      kind = "mesh"
    case .smp(let row):
      self.row = FilterSubject.bare(row.carried, row.findings)
      mesh = nil
      smp = row.packet
      kind = "smp"
    }
  }

  subscript<Value>(dynamicMember path: KeyPath<TimelineRow, Value>) -> Value { row[keyPath: path] }

  /// A row of which only the carriage says something.
  private static func bare(_ carried: CarriedValue, _ findings: [Finding]) -> TimelineRow {
    TimelineRow(
      file: carried.file, value: carried.value, elapsed: carried.elapsed,
      message: Message(.incomplete), receivers: [],
      effect: Effect(isChanged: false, firstSeen: [], meshTotal: 0), cutBy: nil,
      findings: findings)
  }
}
