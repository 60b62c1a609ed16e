import PeatReports
import WireBytes

/// One line that is typed, with a cursor in it.
package struct LineEditor: Sendable, Equatable {
  /// Longer lines take no more characters.
  private static let limit = 1024

  private var characters: [Character]
  /// Characters before the cursor.
  package private(set) var cursor: Int

  package init(_ text: String = "") {
    characters = Array(text)
    cursor = characters.count
  }

  package var text: String { String(characters) }

  /// Takes a key; false where it is none that edits.
  mutating func take(_ key: ScreenKey) -> Bool {
    switch key {
    case .character(let character):
      guard characters.count < LineEditor.limit else { return true }
      characters.insert(character, at: cursor)
      cursor += 1
    case .backspace where cursor > 0:
      cursor -= 1
      characters.remove(at: cursor)
    case .delete where cursor < characters.count: characters.remove(at: cursor)
    case .left: cursor = max(0, cursor - 1)
    case .right: cursor = min(characters.count, cursor + 1)
    case .home, .control("a"): cursor = 0
    case .end, .control("e"): cursor = characters.count
    case .control("u"):
      characters.removeFirst(cursor)
      cursor = 0
    case .control("k"): characters.removeLast(characters.count - cursor)
    case .control("w"):
      while cursor > 0, characters[cursor - 1] == " " { _ = take(.backspace) }
      while cursor > 0, characters[cursor - 1] != " " { _ = take(.backspace) }
    case .backspace, .delete: break
    case .up, .down, .pageUp, .pageDown, .enter, .escape, .resize, .tab, .help, .control:
      return false
    }
    return true
  }

  /// The line within so many columns, with a mark where the cursor stands.
  func shown(columns: Int) -> String {
    let before = String(characters[..<cursor]).replacingUnsafeCharacters()
    let after = String(characters[cursor...]).replacingUnsafeCharacters()
    var head = before
    while head.cellCount > max(0, columns - 1 - min(8, after.cellCount)) { head.removeFirst() }
    return (head + "_" + after).cutToCells(columns)
  }
}
