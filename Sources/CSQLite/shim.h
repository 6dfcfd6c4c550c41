#pragma once
#include <sqlite3.h>

/// `SQLITE_TRANSIENT` is a cast that Swift does not import: SQLite copies the bytes before this returns.
static inline int gw_sqlite3_bind_text_copied(sqlite3_stmt *statement, int index, const char *text, int count) {
  return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}
