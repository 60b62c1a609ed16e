/// A member of an archive as it was listed.
struct ListedMember: Sendable, Equatable {
  /// Its place among the members of the archive.
  var index: Int
  var name: String
  /// The first bytes of its content.
  var head: [UInt8]
}

/// Chooses what to read of an archive (formats.md 5): the best log first, numbered parts in order.
enum MemberSelection {
  /// What to read, and which other members hold captures too.
  struct Choice: Sendable, Equatable {
    var members: [ListedMember]
    var others: [String]
  }

  /// Chooses among `members`; `mainText` is the name that `main_entry.txt` gives.
  static func choose(_ members: [ListedMember], mainText: String?) -> Choice? {
    let ranked = members.compactMap { member in
      rank(member, mainText: mainText).map { (rank: $0, member: member) }
    }
    guard let best = ranked.min(by: { $0.rank < $1.rank }) else {
      // Containers without magic are told by their records, once the member is read; text is none.
      let filled = members.filter { $0.head.contains(0) }
      return filled.count == 1 ? Choice(members: filled, others: []) : nil
    }
    let chosen: [ListedMember]
    if best.rank == packetLoggerRank {
      // One file for each power cycle, named by its time.
      chosen = ranked.filter { $0.rank == best.rank }.map(\.member).sorted { $0.name < $1.name }
    } else {
      chosen = parts(of: best.member, among: ranked.map(\.member))
    }
    let places = Set(chosen.map(\.index))
    return Choice(
      members: chosen,
      others: members.filter { isCapture($0) && !places.contains($0.index) }.map(\.name))
  }

  private static let packetLoggerRank = 5

  /// How much a member is wanted, 0 most; nil where it is none to be read unasked.
  private static func rank(_ member: ListedMember, mainText: String?) -> Int? {
    guard !member.head.isEmpty else { return nil }
    let name = member.name
    // No phone writes such a name; only the content of the member counts.
    guard name.utf8.count <= 1024 else { return isCapture(member) ? 8 : nil }
    let base = name.split(separator: "/").last.map(String.init) ?? name
    let isEarlier = base.hasSuffix(".last") || base.contains(".last.")
    if isEarlier { return nil }
    if base.contains("btsnoop_hci") && base.contains(".log") && isCapture(member) {
      if name.hasSuffix("data/misc/bluetooth/logs/" + base) { return 0 }
      if name.hasSuffix("data/log/bt/" + base) { return 1 }
      return 2
    }
    if base.hasSuffix(".cfa") && isCapture(member) { return 3 }
    if base.hasSuffix(".pklg") { return packetLoggerRank }
    if base == "btsnooz_hci.log" { return 6 }
    if name == mainText { return 7 }
    if isCapture(member) { return 8 }
    if base.hasPrefix("bugreport") && base.hasSuffix(".txt") { return 9 }
    return nil
  }

  /// Whether the first bytes are those of a capture, or of something packed that may hold one.
  static func isCapture(_ member: ListedMember) -> Bool {
    magics.contains { member.head.starts(with: $0) }
      || (member.name.hasSuffix(".pklg") && !member.head.isEmpty)
  }

  private static let magics: [[UInt8]] =
    [
      Array("btsnoop\u{0}".utf8), [0xD4, 0xC3, 0xB2, 0xA1], [0xA1, 0xB2, 0xC3, 0xD4],
      [0x4D, 0x3C, 0xB2, 0xA1], [0xA1, 0xB2, 0x3C, 0x4D], [0x0A, 0x0D, 0x0D, 0x0A],
    ] + ArchiveOpener.magics

  /// The numbered parts that belong to `best`, in order of their numbers, the unnumbered one last.
  static func parts(of best: ListedMember, among members: [ListedMember]) -> [ListedMember] {
    let stem = numbered(best.name).stem
    let family = members.map { (member: $0, part: numbered($0.name)) }
      .filter { $0.part.stem == stem }
    return family.sorted { ($0.part.number ?? .max) < ($1.part.number ?? .max) }.map(\.member)
  }

  /// A name without its number: `a.log.2` is part 2 of `a.log`.
  private static func numbered(_ name: String) -> (stem: String, number: Int?) {
    guard let dot = name.lastIndex(of: "."), let number = Int(name[name.index(after: dot)...]),
      number >= 0
    else { return (name, nil) }
    return (String(name[..<dot]), number)
  }
}
