import CSQLite
import Glibc

/// A copy of a running store, of one moment and complete, through SQLite's backup interface.
///
/// It reads over a connection of its own, in one transaction: in a WAL readers hold up no writer, so commits go on
/// meanwhile. Only the WAL cannot begin anew until the copy is done, and grows by what is committed.
package enum StoreCopy {
  package enum Failure: Error, Equatable, CustomStringConvertible {
    case noRoom(folder: String, needed: Int, free: Int)
    case system(path: String, cause: String)
    case cancelled
    case failed(DatabaseError)

    package var description: String {
      switch self {
      case .noRoom(let folder, let needed, let free):
        "a copy needs \(needed) bytes in \(folder) for as long as it is made, and \(free) are free; make room"
      case .system(let path, let cause): "\(path): \(cause)"
      case .cancelled: "the gateway is ending"
      case .failed(let error): error.description
      }
    }
  }

  /// What is left free for the store's own commits.
  private static let reserve = 64 << 20
  /// Pages copied between two looks at whether to go on: 4 MiB.
  private static let slice: Int32 = 1024

  /// Copies the database at `path` into a file without a name, which lives as long as it is open.
  ///
  /// - Parameter isCancelled: asked every few milliseconds.
  /// - Returns: a descriptor that is the caller's to close, at the file's beginning, and the file's size in bytes.
  package static func make(
    of path: String, isCancelled: () -> Bool
  ) throws(Failure) -> (descriptor: Int32, bytes: Int) {
    let location: String
    do throws(StoreOpenError) {
      location = try StoreOpener.locate(path)
    } catch {
      throw .system(path: path, cause: "\(error)")
    }
    // Beside the store: it is the one folder where a hardened service may write, and where its secrets are kept already.
    // Not a name that an operator gives a copy of his own: what an earlier gateway has left there is removed.
    let passing = location + "-copying"
    try checkRoom(for: location)
    for suffix in ["", "-journal", "-wal", "-shm"] { unlink(passing + suffix) }
    let made = open(passing, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard made >= 0 else { throw .system(path: passing, cause: String(cString: strerror(errno))) }
    close(made)
    defer { unlink(passing) }
    let isWhole: Bool
    do throws(DatabaseError) {
      isWhole = try copy(from: location, to: passing, isCancelled)
      if isWhole { try makePlain(passing) }
    } catch {
      throw .failed(error)
    }
    guard isWhole else { throw .cancelled }
    let descriptor = open(passing, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(path: passing, cause: String(cString: strerror(errno))) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let cause = String(cString: strerror(errno))
      close(descriptor)
      throw .system(path: passing, cause: cause)
    }
    return (descriptor, Int(status.st_size))
  }

  private static func checkRoom(for location: String) throws(Failure) {
    let folder = location.lastIndex(of: "/").map { String(location[...$0]) } ?? "."
    var system = statvfs()
    var size = 0
    for suffix in ["", "-wal"] {
      var status = stat()
      if stat(location + suffix, &status) == 0 { size += Int(status.st_size) }
    }
    guard statvfs(folder, &system) == 0 else { return }
    let free = bytes(Int(clamping: system.f_bavail), each: Int(clamping: system.f_frsize))
    guard free >= size + min(reserve, size) else {
      throw .noRoom(folder: folder, needed: size + min(reserve, size), free: free)
    }
  }

  /// A network's file system may say that it has no end.
  static func bytes(_ blocks: Int, each size: Int) -> Int {
    let (product, isTooMuch) = blocks.multipliedReportingOverflow(by: size)
    return isTooMuch ? .max : product
  }

  /// - Returns: false if it was cancelled.
  private static func copy(
    from location: String, to passing: String, _ isCancelled: () -> Bool
  ) throws(DatabaseError) -> Bool {
    let source = try Database(path: location, for: .read)
    source.setBusyTimeout(milliseconds: 1000)
    // The moment that is copied; without it each commit of the gateway would make the copy begin anew.
    try source.execute("BEGIN")
    _ = try source.integer("SELECT count(*) FROM sqlite_schema")
    let target = try Database(path: passing)
    // It has no reader and no name to come back to.
    try target.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    guard let backup = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
      throw target.error(sqlite3_errcode(target.handle), statement: "backup")
    }
    var code = SQLITE_OK
    var isStopped = false
    while code == SQLITE_OK, !isStopped {
      code = sqlite3_backup_step(backup, slice)
      isStopped = code == SQLITE_OK && isCancelled()
    }
    let end = sqlite3_backup_finish(backup)
    if isStopped { return false }
    guard code == SQLITE_DONE, end == SQLITE_OK else {
      throw target.error(end == SQLITE_OK ? code : end, statement: "backup")
    }
    return true
  }

  /// One file that needs none beside it, also where nobody may write.
  private static func makePlain(_ path: String) throws(DatabaseError) {
    let database = try Database(path: path)
    let mode = try database.text("PRAGMA journal_mode = DELETE")
    guard mode == "delete" else {
      throw DatabaseError(path: path, code: .cannotOpen, message: "the copy cannot leave its write-ahead log")
    }
    // Whoever gets the copy looks at all of it. What can be found at once is found here too, since only here does it end
    // the commits to the store that was copied; a longer look would hold up the gateway's end.
    var status = stat()
    guard stat(path, &status) == 0, status.st_size <= StoreOpener.pagesCheckedUpTo else { return }
    if let finding = try StoreInspection.findings(in: database, limit: 1, quickly: true).first {
      throw DatabaseError(path: path, code: .corrupt, message: finding)
    }
  }
}
