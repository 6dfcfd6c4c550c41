import CSQLite

/// Owns one prepared statement and holds its database, so that the statement always dies first.
///
/// Parameters count from 1 and columns from 0, as in SQLite. Values stay bound over `reset`.
final class Statement {
  private let database: Database
  private let handle: OpaquePointer
  private let text: String

  init(_ text: String, on database: Database) throws(DatabaseError) {
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v3(
      database.handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared else { throw database.error(code, statement: text) }
    self.database = database
    self.text = text
    handle = prepared
  }

  deinit { sqlite3_finalize(handle) }

  func bind(_ value: Int64, at index: Int32) throws(DatabaseError) {
    try check(sqlite3_bind_int64(handle, index, value))
  }

  /// Numbers that never reach the sign bit in practice keep their order; others keep at least their identity.
  func bind(_ value: UInt64, at index: Int32) throws(DatabaseError) {
    try check(sqlite3_bind_int64(handle, index, Int64(bitPattern: value)))
  }

  func bind(_ value: String, at index: Int32) throws(DatabaseError) {
    var copy = value
    let code = copy.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) {
        gw_sqlite3_bind_text_copied(handle, index, $0.baseAddress, Int32(clamping: $0.count))
      }
    }
    try check(code)
  }

  /// Runs to the end with `blob` bound at `index`. The bytes are lent to SQLite for the length of the call, so that
  /// nothing is copied twice.
  func run(blob: [UInt8], at index: Int32) throws(DatabaseError) {
    try blob.withUnsafeBufferPointer { (bytes) throws(DatabaseError) in
      let code =
        if let base = bytes.baseAddress, !bytes.isEmpty {
          sqlite3_bind_blob64(handle, index, base, UInt64(bytes.count), nil)
        } else {
          // Without an address SQLite would bind NULL, which is another value than no bytes.
          sqlite3_bind_zeroblob(handle, index, 0)
        }
      try check(code)
      defer { sqlite3_bind_null(handle, index) }
      try run()
    }
  }

  /// Runs to the end and makes ready for the next run.
  func run() throws(DatabaseError) {
    defer { reset() }
    while try step() {}
  }

  /// - Returns: whether a row can be read.
  func step() throws(DatabaseError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw database.error(code, statement: text)
    }
  }

  func reset() { sqlite3_reset(handle) }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  func unsigned(_ column: Int32) -> UInt64 { UInt64(bitPattern: sqlite3_column_int64(handle, column)) }

  /// A number that is counted on from, far from where counting ends.
  /// - Parameter name: the column's, for the error.
  func count(_ column: Int32, of name: String) throws(DatabaseError) -> UInt64 {
    UInt64(bitPattern: try number(column, of: name, within: 0...(1 << 62)))
  }

  /// Milliseconds that are reckoned with: some 285,000 years to each side, so that no sum of a few overflows.
  func time(_ column: Int32, of name: String) throws(DatabaseError) -> Int64 {
    try number(column, of: name, within: -(1 << 53)...(1 << 53))
  }

  private func number(
    _ column: Int32, of name: String, within range: ClosedRange<Int64>
  ) throws(DatabaseError) -> Int64 {
    let value = integer(column)
    guard range.contains(value) else {
      throw DatabaseError(
        path: database.path, code: .corrupt, message: "\(name) is \(value), which no gateway has written",
        statement: text)
    }
    return value
  }

  func text(_ column: Int32) -> String {
    guard let text = sqlite3_column_text(handle, column) else { return "" }
    return String(
      decoding: UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(handle, column))), as: UTF8.self)
  }

  /// The bytes of a column, valid until the next step or reset.
  func blob(_ column: Int32) -> UnsafeRawBufferPointer {
    let base = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(start: base, count: base == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
  }

  private func check(_ code: Int32) throws(DatabaseError) {
    guard code == SQLITE_OK else { throw database.error(code, statement: text) }
  }
}
