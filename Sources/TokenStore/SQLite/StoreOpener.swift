import Glibc
package import TokenStore

/// Opens a store, or makes a new one. What a failed start made, it takes away again.
package enum StoreOpener {
  /// Below this size of the file and its WAL a start has SQLite look at every page: some 0.1 s. Above it the start
  /// reads every row, as always, and leaves indexes, free pages and types to `gatewayd check --database`.
  package static let pagesCheckedUpTo = 64 << 20

  /// - Parameters:
  ///   - path: the database file. Its folder must exist; the file is made with mode 0600 if it is missing.
  ///   - limit: see ``pagesCheckedUpTo``.
  package static func open(
    path: String, durability: StoreDurability, checkingPagesUpTo limit: Int = Self.pagesCheckedUpTo
  ) throws(StoreOpenError) -> OpenedStore {
    let location = try locate(path)
    let lock: StoreLock
    do throws(StoreLock.Failure) {
      lock = try StoreLock(besides: location)
    } catch {
      switch error {
      case .inUse(let process): throw .inUse(path: path, process: process)
      case .system(let code): throw .notWritable(path: path, cause: String(cString: strerror(code)))
      }
    }
    let before = size(of: location)
    // SQLite would take the log for an older database's and delete it.
    if before ?? 0 == 0, size(of: location + "-wal") ?? 0 > 0 {
      if lock.created { lock.removeFile() }
      throw .damaged(path: path, finding: "it is missing or empty, and its write-ahead log beside it is not")
    }
    let isNew: Bool
    let origin: StoreOrigin
    switch create(location) {
    case .made: (isNew, origin) = (true, .made)
    case .wasThere: (isNew, origin) = (false, before == 0 ? .emptyFile : .found)
    case .refused(let code):
      if lock.created { lock.removeFile() }
      throw .notWritable(path: path, cause: String(cString: strerror(code)))
    }
    do throws(StoreOpenError) {
      let database = try prepare(location, named: path)
      try check(database, at: location, named: path, upTo: limit)
      let position = try position(of: database, named: path)
      database.hold(lock)
      return OpenedStore(database, at: position, durability: durability, origin: origin)
    } catch {
      // The database is closed by now: nothing holds these files.
      if isNew { for suffix in ["", "-wal", "-shm", "-journal"] { unlink(location + suffix) } }
      if lock.created { lock.removeFile() }
      throw error
    }
  }

  /// A store that was once found damaged while it ran is not trusted again because what it opens with is whole: all of
  /// it is looked at. Another is where that costs little.
  private static func check(
    _ database: Database, at location: String, named path: String, upTo limit: Int
  ) throws(StoreOpenError) {
    let mark = DamageMark(besides: location)
    let bytes = (size(of: location) ?? 0) + (size(of: location + "-wal") ?? 0)
    guard mark.isThere || bytes <= limit else { return }
    let findings = try translating(path) { () throws(DatabaseError) in
      let findings = try StoreInspection.findings(in: database, limit: 1, quickly: !mark.isThere)
      // Pages kept from here would hide what breaks in the file afterwards.
      try database.execute("PRAGMA shrink_memory")
      return findings
    }
    if let finding = findings.first { throw .damaged(path: path, finding: finding) }
    mark.remove()
  }

  /// The file's real place, so that two names for one file meet in one lock.
  static func locate(_ path: String) throws(StoreOpenError) -> String {
    guard !path.isEmpty, !path.hasSuffix("/") else { throw .notAFile(path: path) }
    if let real = resolve(path) {
      guard kind(of: real) == S_IFREG else { throw .notAFile(path: path) }
      return real
    }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let folder = parts.count == 1 ? "." : parts.dropLast().joined(separator: "/") + "/"
    guard let name = parts.last, let real = resolve(folder), kind(of: real) == S_IFDIR else {
      throw .folderMissing(path: path, folder: folder)
    }
    return (real == "/" ? "" : real) + "/" + name
  }

  private static func resolve(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  private static func kind(of path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  /// nil where there is no file.
  private static func size(of path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
  }

  private enum Creation { case made, wasThere, refused(errno: Int32) }

  /// Made here and not by SQLite for the sake of its mode, which SQLite then gives to the files beside it too.
  private static func create(_ location: String) -> Creation {
    let descriptor = Glibc.open(location, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    let code = errno
    if descriptor >= 0 {
      close(descriptor)
      return .made
    }
    return code == EEXIST ? .wasThere : .refused(errno: code)
  }

  /// Opens the file and brings its schema up to date. Reads who made it before it changes anything.
  private static func prepare(_ location: String, named path: String) throws(StoreOpenError) -> Database {
    let database = try translating(path) { () throws(DatabaseError) in try Database(path: location) }
    guard !database.isReadOnly else { throw .notWritable(path: path, cause: "it can only be read") }
    // Long enough for another program's short transaction, short enough to report a long one soon.
    database.setBusyTimeout(milliseconds: 100)
    let version = try identify(database, named: path)
    try translating(path) { () throws(DatabaseError) in
      try configure(database)
      try Migrations.run(on: database, from: version)
    }
    // A schema that stands in the WAL alone is lost with it, and the file would then pass for an empty one. Best effort:
    // another program may be reading.
    if version < Migrations.newest { _ = try? database.checkpoint(.truncating) }
    return database
  }

  /// - Returns: the schema number of the file; 0 for an empty one.
  static func identify(_ database: Database, named path: String) throws(StoreOpenError) -> Int {
    let (application, version, objects) = try translating(path) { () throws(DatabaseError) in
      (
        try database.integer("PRAGMA application_id") ?? 0,
        try database.integer("PRAGMA user_version") ?? 0,
        try database.integer("SELECT count(*) FROM sqlite_schema") ?? 0
      )
    }
    if application == 0, version == 0, objects == 0 { return 0 }
    guard application == Migrations.applicationID, version > 0 else { throw .foreign(path: path) }
    guard version <= Migrations.newest else {
      throw .newerSchema(path: path, found: Int(version), known: Migrations.newest)
    }
    return Int(version)
  }

  private static func configure(_ database: Database) throws(DatabaseError) {
    let mode = try database.text("PRAGMA journal_mode = WAL")
    guard mode == "wal" else {
      throw DatabaseError(
        path: database.path, code: .cannotOpen, message: "this file system cannot hold a write-ahead log")
    }
    // FULL until the store thread starts: schema and epoch must outlive a power cut whatever the operator chose.
    // Debian's SQLite overwrites all that is deleted, and so would read and write what is trimmed of the journal once
    // more; FAST does so only in pages that are written anyway.
    // Of rows it is the inner pages that are met again, and a page that splits has SQLite walk through its whole cache in
    // that commit (pcache1TruncateUnsafe, 3.40): a small one does more.
    // The size limit cuts the WAL file back after a burst; cell sizes are checked so that damage is an error early.
    try database.execute(
      """
      PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 16777216; PRAGMA cache_size = -4096;
      PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF; PRAGMA secure_delete = FAST;
      """)
  }

  static func position(of database: Database, named path: String) throws(StoreOpenError) -> StorePosition {
    try translating(path) { () throws(DatabaseError) in try StorePosition(readFrom: database) }
  }

  static func translating<Value>(
    _ path: String, _ body: () throws(DatabaseError) -> Value
  ) throws(StoreOpenError) -> Value {
    do throws(DatabaseError) {
      return try body()
    } catch {
      switch error.code.primary {
      case .notADatabase: throw .notADatabase(path: path)
      case .corrupt:
        throw .damaged(path: path, finding: error.message.isEmpty ? error.code.description : error.message)
      case .readOnly, .permissionDenied, .cannotOpen:
        throw .notWritable(path: path, cause: error.message.isEmpty ? error.code.description : error.message)
      default: throw .failed(error)
      }
    }
  }
}
