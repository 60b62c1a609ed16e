/// How a part of a line stands out; each has a mark or word beside it, so that none needs colour.
package enum ScreenStyle: Sendable, Equatable {
  case plain, bold, faint, title, alarm, warning, good, name
}

/// One line of the screen, in parts of one style each.
package struct ScreenLine: Sendable, Equatable {
  /// A part of the line.
  package struct Part: Sendable, Equatable {
    package var text: String
    package var style: ScreenStyle
  }

  package var parts: [Part] = []
  /// Whether it is the selected line of a list.
  package var isSelected = false

  package init() {}

  package init(_ text: String, _ style: ScreenStyle = .plain) {
    parts = [Part(text: text, style: style)]
  }

  /// Adds a part.
  package mutating func add(_ text: String, _ style: ScreenStyle = .plain) {
    parts.append(Part(text: text, style: style))
  }

  /// The whole text.
  package var text: String { parts.map(\.text).joined() }
}

/// Rows and columns of a terminal.
package struct ScreenSize: Sendable, Equatable {
  package var rows: Int
  package var columns: Int

  /// The least that a view fits into.
  package static let least = ScreenSize(rows: 15, columns: 60)

  package init(rows: Int, columns: Int) {
    self.rows = rows
    self.columns = columns
  }

  /// Whether a view fits.
  package var isEnough: Bool {
    rows >= ScreenSize.least.rows && columns >= ScreenSize.least.columns
  }
}

/// A key as the view knows it.
package enum ScreenKey: Sendable, Equatable {
  case character(Character)
  /// A letter together with the control key.
  case control(Character)
  case up, down, left, right, pageUp, pageDown, home, end
  case enter, escape, backspace, delete, tab, help, resize
  /// A mouse button was pressed, or its wheel turned, at a row and column counted from 0.
  case mouse(MouseAction, row: Int, column: Int)
}

/// What a mouse does.
package enum MouseAction: Sendable, Equatable { case press, wheelUp, wheelDown }
