/// Notices in the order they were made, of which only so many are held one by one.
///
/// A capture without values may give millions of them before the first can be taken: those beyond
/// the limit are counted, and come as the last one of their code, again and again.
public struct NoticeBatch: Sequence, Sendable {
  /// Notices that wait to be taken.
  private static let limit = 1024

  private var notices: [Notice] = []
  private var further: [(last: Notice, count: Int)] = []

  init() {}

  var isEmpty: Bool { notices.isEmpty && further.isEmpty }

  mutating func append(_ notice: Notice) {
    if notices.count < NoticeBatch.limit {
      notices.append(notice)
    } else if let place = further.firstIndex(where: { $0.last.code == notice.code }) {
      further[place] = (notice, further[place].count + 1)
    } else {
      further.append((notice, 1))
    }
  }

  /// Gives the notices that are held, then those that were only counted, by code.
  public func makeIterator() -> AnyIterator<Notice> {
    var place = 0
    var given = 0
    return AnyIterator { [notices, further] in
      if place < notices.count {
        place += 1
        return notices[place - 1]
      }
      while place - notices.count < further.count {
        let group = further[place - notices.count]
        if given < group.count {
          given += 1
          return group.last
        }
        place += 1
        given = 0
      }
      return nil
    }
  }
}
