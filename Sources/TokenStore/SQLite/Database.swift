import CSQLite
import Glibc

/// One connection to one SQLite file.
///
/// Confined: it is opened with SQLite's no-mutex flag because nobody but its owner can reach it. It is born on the
/// thread that opens the store and then sent, once, to the thread that uses it.
final class Database {
  let path: String
  let handle: OpaquePointer
  /// Pages in the WAL after the last commit, written by SQLite's hook on the thread that commits.
  private let walPages: UnsafeMutablePointer<Int32>
  /// Let go of after the file is closed.
  private var lock: StoreLock?

  enum Access {
    case readAndWrite
    /// Writes nothing but the shared memory that readers of a WAL need.
    case read
    /// Looks for no lock and for no WAL: a file on a medium that nobody can write.
    case readUnchangeable
  }

  /// - Parameter path: an existing file; it is not created here.
  init(path: String, for access: Access = .readAndWrite) throws(DatabaseError) {
    var opened: OpaquePointer?
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    var name = path
    switch access {
    case .readAndWrite: flags |= SQLITE_OPEN_READWRITE
    case .read: flags |= SQLITE_OPEN_READONLY
    case .readUnchangeable:
      flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      name = "file:" + Self.uriEscaped(path) + "?immutable=1"
    }
    let code = sqlite3_open_v2(name, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      // SQLite gives a handle even for a failure, to read the message from; it has to be closed as well.
      let message = opened.map { Self.message(from: $0, for: code) } ?? ""
      sqlite3_close_v2(opened)
      throw DatabaseError(path: path, code: ResultCode(rawValue: code), message: message)
    }
    self.path = path
    handle = opened
    walPages = .allocate(capacity: 1)
    walPages.initialize(to: 0)
    // Having a hook of our own also turns SQLite's automatic checkpoint off, which would run inside COMMIT and hold
    // the answers back.
    sqlite3_wal_hook(handle, countWALPages, walPages)
  }

  deinit {
    // Statements hold their database, so none is left here; _v2 would keep a zombie alive for one, not leak.
    sqlite3_close_v2(handle)
    walPages.deallocate()
  }

  /// Keeps `lock` for as long as the file is open.
  func hold(_ lock: consuming StoreLock) { self.lock = consume lock }

  /// Whether SQLite could open the file for reading only.
  var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// How many pages the WAL holds; 0 until the first commit of this connection.
  var pagesInWAL: Int { Int(walPages.pointee) }

  /// Whether the file was removed or replaced since it was opened. What is committed then is lost with the last
  /// descriptor, although SQLite sees no fault.
  var hasMoved: Bool {
    var moved: Int32 = 0
    guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK else { return false }
    return moved != 0
  }

  /// How long SQLite itself waits for another connection's lock.
  func setBusyTimeout(milliseconds: Int32) {
    sqlite3_busy_timeout(handle, milliseconds)
  }

  /// Runs SQL without values and without rows; several statements may stand in it.
  func execute(_ sql: String) throws(DatabaseError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code, statement: sql) }
  }

  /// The first column of the first row, as a number; nil without a row.
  func integer(_ sql: String) throws(DatabaseError) -> Int64? {
    let statement = try Statement(sql, on: self)
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : nil
  }

  /// The first column of the first row, as text; nil without a row.
  func text(_ sql: String) throws(DatabaseError) -> String? {
    let statement = try Statement(sql, on: self)
    defer { statement.reset() }
    return try statement.step() ? statement.text(0) : nil
  }

  func transaction(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
    try execute("BEGIN IMMEDIATE")
    do throws(DatabaseError) {
      try body()
      try execute("COMMIT")
    } catch {
      rollBack()
      throw error
    }
  }

  /// Undoes what is open. SQLite rolls back by itself for some failures and not for others.
  func rollBack() {
    if isInTransaction { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
  }

  enum Checkpoint {
    /// Moves what it can and waits for nobody.
    case passive
    /// Moves everything and leaves an empty WAL file; for the end.
    case truncating
  }

  /// Moves pages from the WAL into the database file. Inside no transaction.
  /// - Returns: how many pages the WAL had when it began, and how many of them are in the database now.
  func checkpoint(_ kind: Checkpoint) throws(DatabaseError) -> (pages: Int, moved: Int) {
    let mode = kind == .passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE
    var pages: Int32 = 0
    var moved: Int32 = 0
    let code = sqlite3_wal_checkpoint_v2(handle, "main", mode, &pages, &moved)
    guard code == SQLITE_OK else { throw error(code, statement: "checkpoint") }
    guard pages >= 0 else {
      throw DatabaseError(
        path: path, code: .misuse, message: "there is no write-ahead log that this connection has read")
    }
    // The next commit begins the WAL anew when everything has been moved; until then the hook's count stands.
    if moved == pages { walPages.pointee = 0 }
    return (Int(pages), Int(moved))
  }

  /// The error that the last call on this connection left.
  func error(_ code: Int32, statement: String? = nil) -> DatabaseError {
    DatabaseError(
      path: path, code: ResultCode(rawValue: code), message: Self.message(from: handle, for: code),
      statement: statement)
  }

  /// SQLite's URIs give `%`, `?` and `#` a meaning (sqlite.org/uri.html).
  private static func uriEscaped(_ path: String) -> String {
    var escaped = ""
    for scalar in path.unicodeScalars {
      switch scalar {
      case "%": escaped += "%25"
      case "?": escaped += "%3f"
      case "#": escaped += "%23"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  private static func message(from handle: OpaquePointer, for code: Int32) -> String {
    let text = sqlite3_errmsg(handle).map { String(cString: $0) } ?? ""
    let primary = ResultCode(rawValue: code).primary
    guard primary == .inputOutput || primary == .cannotOpen else { return text }
    // What the kernel said is the better half of "disk I/O error".
    let cause = sqlite3_system_errno(handle)
    return cause == 0 ? text : "\(text): \(String(cString: strerror(cause)))"
  }
}

private func countWALPages(
  context: UnsafeMutableRawPointer?, _: OpaquePointer?, _: UnsafePointer<CChar>?, pages: Int32
) -> Int32 {
  context?.assumingMemoryBound(to: Int32.self).pointee = pages
  return SQLITE_OK
}
