/// Finds what a mistyped word may have meant.
package enum Suggestion {
  /// The candidate nearest to `word`, or nil where none is near: a third of the letters may be
  /// wrong, or the word is the beginning of exactly one candidate.
  package static func nearest(to word: String, among candidates: [String]) -> String? {
    let letters = Array(word.lowercased())
    // Longer words are no slip of the finger, and the table grows with the square.
    guard !letters.isEmpty, letters.count <= 64 else { return nil }
    let beginnings = candidates.filter { $0.hasPrefix(word) }
    if beginnings.count == 1 && letters.count > 1 { return beginnings[0] }
    var best: (name: String, distance: Int)?
    for candidate in candidates {
      let allowed = max(1, max(letters.count, candidate.count) / 3)
      let distance = distance(letters, Array(candidate))
      if distance <= allowed && distance < candidate.count && distance < best?.distance ?? Int.max {
        best = (candidate, distance)
      }
    }
    return best?.name
  }

  /// The least number of letters put in, left out, changed, or swapped with their neighbour
  /// (Damerau 1964, in the form where no part is edited twice).
  static func distance(_ left: [Character], _ right: [Character]) -> Int {
    if left.isEmpty || right.isEmpty { return max(left.count, right.count) }
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in 1...left.count {
      var current = [row]
      for column in 1...right.count {
        let same = left[row - 1] == right[column - 1]
        var cost = min(last[column] + 1, current[column - 1] + 1)
        cost = min(cost, last[column - 1] + (same ? 0 : 1))
        if row > 1, column > 1, left[row - 1] == right[column - 2],
          left[row - 2] == right[column - 1]
        {
          cost = min(cost, beforeLast[column - 2] + 1)
        }
        current.append(cost)
      }
      beforeLast = last
      last = current
    }
    return last[right.count]
  }
}
