/// A member of an archive as it was listed.
struct ListedMember: Sendable, Equatable {
  /// Its place among the members of the archive.
  var index: Int
  var name: String
  /// The first bytes of its content, at most `headLength`.
  var head: [UInt8]

  /// Enough for a btsnoop header and the first record's time.
  static let headLength = 64

  /// Its name without folders.
  var base: String { name.split(separator: "/").last.map(String.init) ?? name }

  /// Whether it is by its name the log of the session before the last one.
  var isEarlier: Bool {
    let base = base
    return base.hasSuffix(".last") || base.contains(".last.")
  }

  /// Whether it is by its name a log of Bluetooth packets.
  var isLog: Bool {
    guard name.utf8.count <= 1024 else { return false }
    let base = base
    return (base.contains("btsnoop_hci") && base.contains(".log")) || base.hasSuffix(".cfa")
      || base.hasSuffix(".pklg") || base == "btsnooz_hci.log"
  }

  /// Whether it is a btsnoop file without any record.
  var isHeaderOnly: Bool { head.count == 16 && head.starts(with: Array("btsnoop\u{0}".utf8)) }

  /// Whether it is by its name the main text of a bug report.
  var isReportText: Bool {
    let base = base.lowercased()
    return base.hasSuffix(".txt") && (base.hasPrefix("bugreport") || base.hasPrefix("dumpstate"))
      || base == "main_entry.txt"
  }
}

/// Chooses what to read of an archive (formats.md 5): the best log first, numbered parts in order.
enum MemberSelection {
  /// What to read, and which other members hold captures too.
  struct Choice: Sendable, Equatable {
    var members: [ListedMember]
    var others: [String]
    /// What the user should know of the logs that were found.
    var remarks: [String] = []
    /// What to do where the member is a text that holds no log after all.
    var otherwise: Otherwise?
  }

  /// What to do where there is no log of the last session.
  enum Otherwise: Sendable, Equatable {
    /// Read the log of the session before.
    case read(ListedMember, remark: String)
    /// Refuse the archive, for a reason.
    case refuse(String)
  }

  /// Chooses among `members`; `mainText` is the name that `main_entry.txt` gives.
  static func choose(_ members: [ListedMember], mainText: String?) -> Choice? {
    let ranked = members.compactMap { member in
      rank(member, mainText: mainText).map { (rank: $0, member: member) }
    }
    let otherwise = withoutLog(members, mainText: mainText)
    guard let lowest = ranked.map(\.rank).min() else {
      switch otherwise {
      case .read(let member, let remark):
        return Choice(members: [member], others: [], remarks: [remark])
      case .refuse: return Choice(members: [], others: [], otherwise: otherwise)
      case nil: break
      }
      // Containers without magic are told by their records, once the member is read; text is none.
      let filled = members.filter { $0.head.contains(0) }
      return filled.count == 1 ? Choice(members: filled, others: []) : nil
    }
    let equals = ranked.filter { $0.rank == lowest }
    // Where a phone keeps several logs, the newest one is meant.
    guard
      let best = lowest <= 3
        ? equals.max(by: { LogAge.isOlder($0.member, than: $1.member) }) : equals.first
    else { return nil }
    let chosen: [ListedMember]
    if best.rank == packetLoggerRank {
      // One file for each power cycle, named by its time.
      chosen = ranked.filter { $0.rank == best.rank }.map(\.member).sorted { $0.name < $1.name }
    } else {
      chosen = parts(of: best.member, among: ranked.map(\.member))
    }
    let places = Set(chosen.map(\.index))
    let others = members.filter { isCapture($0) && !places.contains($0.index) }
    var choice = Choice(members: chosen, others: others.map(\.name))
    choice.remarks = remarks(chosen, others, members)
    if [6, 7, 9].contains(best.rank) { choice.otherwise = otherwise }
    return choice
  }

  /// What is odd about the logs: none in the one that counts, or one that is empty beside it.
  private static func remarks(
    _ chosen: [ListedMember], _ others: [ListedMember], _ members: [ListedMember]
  ) -> [String] {
    var remarks: [String] = []
    if chosen.allSatisfy(\.isHeaderOnly) {
      let names = chosen.map(\.name).joined(separator: ", ")
      let filled = others.filter { $0.isLog && !$0.isHeaderOnly }.map(\.name)
      remarks.append(
        "\(names) is empty: it holds a file header and no record"
          + (filled.isEmpty ? "" : "; \(filled.joined(separator: ", ")) is not"))
    }
    for member in members where member.isLog && member.head.isEmpty {
      remarks.append("\(member.name) is empty")
    }
    return Array(remarks.prefix(8))
  }

  /// What to do where no text of a bug report holds a log either.
  private static func withoutLog(_ members: [ListedMember], mainText: String?) -> Otherwise? {
    let earlier = members.filter { $0.isEarlier && isCapture($0) && !$0.isHeaderOnly }
      .max { LogAge.isOlder($0, than: $1) }
    if let empty = members.first(where: { $0.isLog && $0.head.isEmpty && !$0.isEarlier }) {
      let rest = earlier.map { "; \($0.name) is not: name it as FILE!\($0.name)" } ?? ""
      return .refuse("\(empty.name) is empty\(rest); \(BugReportAdvice.text)")
    }
    if let earlier {
      return .read(
        earlier,
        remark: "no log of the last session is in it; \(earlier.name) is of the one before")
    }
    let isReport = mainText != nil || members.contains(where: \.isReportText)
    return isReport
      ? .refuse("a bug report that holds no Bluetooth log; \(BugReportAdvice.text)") : nil
  }

  private static let packetLoggerRank = 5

  /// How much a member is wanted, 0 most; nil where it is none to be read unasked.
  private static func rank(_ member: ListedMember, mainText: String?) -> Int? {
    guard !member.head.isEmpty else { return nil }
    let name = member.name
    // No phone writes such a name; only the content of the member counts.
    guard name.utf8.count <= 1024 else { return isCapture(member) ? 8 : nil }
    let base = member.base
    if member.isEarlier { return nil }
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
    if member.isReportText && base != "main_entry.txt" { return 9 }
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
