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
    case .character(let character): insert(character)
    case .backspace where cursor > 0:
      cursor -= 1
      characters.remove(at: cursor)
    case .delete where cursor < characters.count: characters.remove(at: cursor)
    case .left, .control("b"): cursor = max(0, cursor - 1)
    case .right, .control("f"): cursor = min(characters.count, cursor + 1)
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
    case .up, .down, .pageUp, .pageDown, .enter, .escape, .resize, .tab, .help, .control,
      .mouse:
      return false
    }
    return true
  }

  /// Puts a character before the cursor; an accent that is typed by itself joins its letter.
  private mutating func insert(_ character: Character) {
    guard characters.count < LineEditor.limit else { return }
    if cursor > 0 {
      let joined = String(characters[cursor - 1]) + String(character)
      if joined.count == 1 {
        // As few as no writing needs more than, so that one place cannot hold a long text.
        if joined.unicodeScalars.count <= 16 { characters[cursor - 1] = Character(joined) }
        return
      }
    }
    characters.insert(character, at: cursor)
    cursor += 1
  }

  /// What is before the cursor, as it was typed.
  package var head: String { String(characters[..<cursor]) }

  /// Replaces what is before the cursor.
  mutating func replaceHead(_ text: String) {
    characters.replaceSubrange(..<cursor, with: Array(text))
    cursor = min(text.count, characters.count)
  }

  /// The parts before and behind the cursor that are seen within so many columns, of which one is
  /// left for the cursor.
  func window(columns: Int) -> (head: String, tail: String) {
    var head = head.replacingUnsafeCharacters()
    let tail = String(characters[cursor...]).replacingUnsafeCharacters()
    while head.cellCount > max(0, columns - 1 - min(8, tail.cellCount)) { head.removeFirst() }
    return (head, tail.cutToCells(columns - 1 - head.cellCount))
  }

  /// The line within so many columns, with a mark where the cursor stands.
  func shown(columns: Int) -> String {
    let (head, tail) = window(columns: columns)
    return (head + "_" + tail).cutToCells(columns)
  }
}
