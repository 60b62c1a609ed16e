#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast of -1 to a function, which Swift cannot import. Values of no length may
// come without an address, and are values all the same.
static inline int sqlite_bind_text(sqlite3_stmt *statement, int place, const void *text, int count) {
  return sqlite3_bind_text(statement, place, text ? (const char *)text : "", count, SQLITE_TRANSIENT);
}

static inline int sqlite_bind_blob(sqlite3_stmt *statement, int place, const void *bytes, int count) {
  return sqlite3_bind_blob(statement, place, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}
