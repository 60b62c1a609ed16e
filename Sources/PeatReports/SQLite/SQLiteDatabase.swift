private import CSQLite

/// A fault that SQLite told, in its words.
package struct SQLiteError: Error, Sendable, CustomStringConvertible {
  package let description: String
}

/// A database file that is written from its start to its end in one transaction.
///
/// There is no journal and nothing is synchronised: the file has another name until it is whole, and
/// whoever gives it its name does that.
@safe
final class SQLiteDatabase {
  private let handle: OpaquePointer

  /// KiB of pages that are kept in memory, whatever the file's size.
  private static let cache = 65_536

  /// Opens the file, which must be empty, and begins the transaction; one thread alone may use it.
  init(path: String) throws(SQLiteError) {
    var opened: OpaquePointer?
    let code = unsafe sqlite3_open_v2(
      path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
    guard let opened = unsafe opened, code == SQLITE_OK else {
      throw SQLiteError(description: "cannot open the database: \(SQLiteDatabase.text(code))")
    }
    unsafe handle = opened
    try execute(
      "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; "
        + "PRAGMA cache_size = -\(SQLiteDatabase.cache); PRAGMA temp_store = MEMORY; BEGIN")
  }

  deinit { unsafe sqlite3_close_v2(handle) }

  /// Runs statements that give no rows.
  func execute(_ statements: String) throws(SQLiteError) {
    guard unsafe sqlite3_exec(handle, statements, nil, nil, nil) == SQLITE_OK else { throw fault() }
  }

  /// A statement that is run again and again.
  func prepare(_ statement: String) throws(SQLiteError) -> SQLiteStatement {
    var prepared: OpaquePointer?
    guard unsafe sqlite3_prepare_v2(handle, statement, -1, &prepared, nil) == SQLITE_OK,
      let prepared = unsafe prepared
    else { throw fault() }
    return unsafe SQLiteStatement(prepared, of: self)
  }

  /// Ends the transaction; the file is whole then.
  func commit() throws(SQLiteError) { try execute("COMMIT") }

  fileprivate func fault() -> SQLiteError {
    // SQLite's message is valid until its next call, and is copied here.
    unsafe SQLiteError(description: String(cString: sqlite3_errmsg(handle)))
  }

  private static func text(_ code: Int32) -> String {
    unsafe String(cString: sqlite3_errstr(code))
  }
}

/// A prepared statement whose values are bound from the left to the right.
@safe
final class SQLiteStatement {
  private let statement: OpaquePointer
  private let database: SQLiteDatabase
  private var place: Int32 = 0

  fileprivate init(_ statement: OpaquePointer, of database: SQLiteDatabase) {
    unsafe self.statement = unsafe statement
    self.database = database
  }

  deinit { unsafe sqlite3_finalize(statement) }

  /// Binds the next value; nil is NULL.
  func bind(_ value: Int?) {
    place += 1
    if let value { unsafe sqlite3_bind_int64(statement, place, Int64(value)) }
  }

  /// Binds the next value; what no signed integer of SQLite holds becomes its decimal text.
  func bind(unsigned value: UInt64?) {
    guard let value else { return bind(nil as Int?) }
    if let signed = Int(exactly: value) { bind(signed) } else { bind("\(value)") }
  }

  /// Binds the next value.
  func bind(_ value: Double?) {
    place += 1
    if let value { unsafe sqlite3_bind_double(statement, place, value) }
  }

  /// Binds the next value.
  func bind(_ value: String?) {
    place += 1
    guard var value else { return }
    let place = place
    value.withUTF8 { text in
      // SQLite copies the text.
      _ = unsafe sqlite_bind_text(
        statement, place, text.baseAddress, Int32(clamping: text.count))
    }
  }

  /// Binds the next value.
  func bind(blob bytes: [UInt8]) {
    place += 1
    let place = place
    unsafe bytes.withUnsafeBufferPointer { buffer in
      // SQLite copies the bytes.
      _ = unsafe sqlite_bind_blob(
        statement, place, buffer.baseAddress, Int32(clamping: buffer.count))
    }
  }

  /// Runs the statement with the values bound, and forgets them.
  func run() throws(SQLiteError) {
    let code = unsafe sqlite3_step(statement)
    unsafe sqlite3_reset(statement)
    unsafe sqlite3_clear_bindings(statement)
    place = 0
    guard code == SQLITE_DONE else { throw database.fault() }
  }
}

/// Rows of one table that come many at a time: one statement for some at once, one for what is left.
struct SQLiteBatch {
  private static let size = 8

  private let several: SQLiteStatement
  private let one: SQLiteStatement

  /// `insertion` is the statement up to VALUES; each row has so many values.
  init(_ database: SQLiteDatabase, _ insertion: String, values: Int) throws(SQLiteError) {
    let row = "(" + repeatElement("?", count: values).joined(separator: ",") + ")"
    let rows = repeatElement(row, count: SQLiteBatch.size).joined(separator: ",")
    several = try database.prepare("\(insertion) VALUES \(rows)")
    one = try database.prepare("\(insertion) VALUES \(row)")
  }

  /// Inserts a row for each element; `bind` binds its values from the left to the right.
  func insert<Element>(
    _ elements: [Element], _ bind: (Element, SQLiteStatement) -> Void
  ) throws(SQLiteError) {
    var place = 0
    while place < elements.count {
      let isFull = elements.count - place >= SQLiteBatch.size
      let statement = isFull ? several : one
      let count = isFull ? SQLiteBatch.size : 1
      for element in elements[place..<place + count] { bind(element, statement) }
      try statement.run()
      place += count
    }
  }
}
