/// A line in which commands are typed: with those typed before, and with words that Tab completes.
package struct CommandEntry: Sendable, Equatable {
  /// What a key came to.
  package enum Outcome: Sendable, Equatable {
    case edited
    case entered(String)
    /// Words of which each could be the next one.
    case candidates([String])
    /// The end of all input, as Ctrl-D says it on an empty line.
    case ended
    /// Draw everything anew.
    case redraw
    case ignored
  }

  /// Commands that are kept.
  private static let historyLimit = 500

  package private(set) var line = LineEditor()
  /// Commands, whole or as far as they are the same for everybody; a space at the end says that more
  /// words follow.
  package var phrases: [String]
  private var history: [String] = []
  /// Which of the history is shown; its count for the line that is new.
  private var place = 0
  /// The new line, while one of the history is shown.
  private var draft = LineEditor()

  package init(phrases: [String]) { self.phrases = phrases }

  /// Begins with an empty line.
  package mutating func clear() {
    line = LineEditor()
    place = history.count
  }

  /// Takes a key.
  package mutating func take(_ key: ScreenKey) -> Outcome {
    switch key {
    case .enter: return enter()
    case .up, .control("p"): recall(place - 1)
    case .down, .control("n"): recall(place + 1)
    case .tab: return complete()
    case .control("l"): return .redraw
    case .control("d"):
      if line.text.isEmpty { return .ended }
      _ = line.take(.delete)
    default: return line.take(key) ? .edited : .ignored
    }
    return .edited
  }

  private mutating func enter() -> Outcome {
    let text = line.text
    if text.contains(where: { $0 != " " }), text != history.last {
      history.append(text)
      if history.count > CommandEntry.historyLimit { history.removeFirst() }
    }
    clear()
    return .entered(text)
  }

  private mutating func recall(_ wanted: Int) {
    guard wanted != place, (0...history.count).contains(wanted) else { return }
    if place == history.count { draft = line }
    place = wanted
    line = wanted == history.count ? draft : LineEditor(history[wanted])
  }

  /// Completes what is before the cursor as far as all phrases that begin so agree.
  private mutating func complete() -> Outcome {
    let head = line.head
    let matching = phrases.filter { $0.hasPrefix(head) }
    guard let first = matching.first else { return .ignored }
    if matching.count == 1 {
      line.replaceHead(first)
      return .edited
    }
    let common = matching.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
    if common.count > head.count {
      line.replaceHead(common)
      return .edited
    }
    let start =
      head.lastIndex(of: " ").map { head.distance(from: head.startIndex, to: $0) + 1 } ?? 0
    var words: [String] = []
    for phrase in matching {
      let word = String(phrase.dropFirst(start).prefix { $0 != " " })
      if !word.isEmpty, !words.contains(word) { words.append(word) }
    }
    return words.isEmpty ? .ignored : .candidates(words)
  }
}

extension String {
  /// The characters with which both begin.
  fileprivate func commonPrefix(with other: String) -> String {
    String(zip(self, other).prefix { $0 == $1 }.map(\.0))
  }
}
