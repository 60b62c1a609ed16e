/// Which adapter a packet of a pcapng file is of: the number of its interface, or, of a Linux monitor,
/// the index that it gives (formats.md 3, 7). Where two interfaces would bear one number, the later
/// one gets the next that is free.
struct AdapterNumbering: Sendable {
  /// Adapters told apart; what comes beyond them keeps its own number.
  private static let limit = 4096

  /// An interface, with the index that a monitor on it gives.
  private struct Owner: Hashable {
    var interface: Int
    var index: Int?
  }

  private var numbers: [Owner: Int] = [:]
  private var taken: Set<Int> = []
  private var last: (owner: Owner, number: Int)?
  /// Whether every adapter bears the number that its packets give.
  private(set) var isPlain = true

  /// The number of an adapter.
  mutating func number(interface: Int, index: Int?) -> Int {
    let owner = Owner(interface: interface, index: index)
    if let last, last.owner == owner { return last.number }
    let number = numbers[owner] ?? assign(owner)
    last = (owner, number)
    return number
  }

  private mutating func assign(_ owner: Owner) -> Int {
    let wish = owner.index ?? owner.interface
    guard numbers.count < AdapterNumbering.limit else { return wish }
    var number = wish
    if taken.contains(wish) {
      isPlain = false
      number = 0
      while taken.contains(number) { number += 1 }
    }
    numbers[owner] = number
    taken.insert(number)
    return number
  }
}
