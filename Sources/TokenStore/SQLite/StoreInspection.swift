import Glibc
package import TokenStore

/// A look into a database that changes nothing in it and takes no lock: a gateway may be running on it. What is read is
/// of one moment.
package final class StoreInspection {
  package let path: String
  /// The schema's number, and the newest that this program knows.
  package let schema: Int
  package static var newestSchema: Int { Migrations.newest }

  /// The size of the file.
  package let bytes: Int
  private let database: Database
  private let position: StorePosition

  /// - Parameter path: a store's database, or a copy of one.
  package init(path: String) throws(StoreOpenError) {
    let location = try StoreOpener.locate(path)
    guard access(location, F_OK) == 0 else { throw .missing(path: path) }
    database = try Self.open(location, named: path)
    schema = try StoreOpener.identify(database, named: path)
    guard schema > 0 else { throw .foreign(path: path) }
    position = try StoreOpener.position(of: database, named: path)
    var status = stat()
    _ = stat(location, &status)
    bytes = Int(status.st_size)
    self.path = path
  }

  private static func open(_ location: String, named path: String) throws(StoreOpenError) -> Database {
    try StoreOpener.translating(path) { () throws(DatabaseError) in
      do throws(DatabaseError) {
        return try begin(Database(path: location, for: .read))
      } catch {
        // A database with a WAL needs files beside it; where nobody can make them, nobody writes either.
        guard error.code.primary == .cannotOpen || error.code.primary == .readOnly else { throw error }
        return try begin(Database(path: location, for: .readUnchangeable))
      }
    }
  }

  /// Begins the transaction in which all is read.
  private static func begin(_ database: Database) throws(DatabaseError) -> Database {
    database.setBusyTimeout(milliseconds: 1000)
    try database.execute("PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF; BEGIN")
    _ = try database.integer("SELECT count(*) FROM sqlite_schema")
    return database
  }

  /// The epoch that the last start began, the number of the last batch and when it was committed.
  package var epoch: UInt64 { position.epoch }
  package var lastSequence: UInt64 { position.sequence }
  package var lastClock: StoredClock? { position.clock }

  /// Rows of a table; nil in a schema that does not have it yet.
  package func count(of table: StoredRow.Table) throws(DatabaseError) -> Int? { try count(ofTable: table.name) }

  package func journal() throws(DatabaseError) -> (entries: Int, bytes: Int) {
    (
      Int(try database.integer("SELECT count(*) FROM journal") ?? 0),
      Int(try database.integer("SELECT sum(length(records)) FROM journal") ?? 0)
    )
  }

  private func count(ofTable name: String) throws(DatabaseError) -> Int? {
    guard try database.integer("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '\(name)'") == 1
    else { return nil }
    return Int(try database.integer("SELECT count(*) FROM \(name)") ?? 0)
  }

  /// What SQLite finds wrong with the file, page by page; empty when it is whole.
  /// - Parameter limit: findings that are listed at most.
  package func findings(limit: Int = 20) -> [String] {
    do throws(DatabaseError) {
      return try Self.findings(in: database, limit: limit)
    } catch {
      return [error.message.isEmpty ? error.code.description : error.message]
    }
  }

  /// - Parameter quickly: without comparing indexes with their tables.
  static func findings(
    in database: Database, limit: Int, quickly: Bool = false
  ) throws(DatabaseError) -> [String] {
    let check = quickly ? "quick_check" : "integrity_check"
    let rows = try Statement("PRAGMA \(check)(\(limit))", on: database)
    var findings: [String] = []
    while try rows.step() { findings += rows.text(0).split(separator: "\n").map(String.init) }
    return findings == ["ok"] ? [] : Array(findings.prefix(limit))
  }

  /// What it holds, for a ledger to read; nil when its schema is older than what this program reads.
  package var contents: OpenedStore? {
    schema == Migrations.newest ? OpenedStore(database, at: position, durability: .full, origin: .found) : nil
  }
}
