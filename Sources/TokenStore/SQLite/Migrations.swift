/// The schema's history. Append only: a number that was released keeps its statements for ever.
enum Migrations {
  /// Marks the file as a gateway's (`PRAGMA application_id`), so that no other program's database is taken for one:
  /// the letters "gwd1".
  static let applicationID: Int64 = 0x6777_6431

  /// SQL by schema number, counted from 1 and kept in `PRAGMA user_version`.
  static let all: [String] = [
    // A registration's key is one that the ledger gives out, ascending; nothing here has an index on random keys,
    // which would be the slow part (design §6).
    """
    CREATE TABLE device(id INTEGER PRIMARY KEY, as_of INTEGER NOT NULL, value BLOB NOT NULL) STRICT;
    CREATE TABLE registration(id INTEGER PRIMARY KEY, as_of INTEGER NOT NULL, value BLOB NOT NULL) STRICT;
    CREATE TABLE retired_token(id INTEGER PRIMARY KEY, as_of INTEGER NOT NULL, value BLOB NOT NULL) STRICT;
    CREATE TABLE developer_mode(id INTEGER PRIMARY KEY, as_of INTEGER NOT NULL, value BLOB NOT NULL) STRICT;
    CREATE TABLE audit(id INTEGER PRIMARY KEY, as_of INTEGER NOT NULL, value BLOB NOT NULL) STRICT;
    CREATE TABLE setting(id INTEGER PRIMARY KEY, as_of INTEGER NOT NULL, value BLOB NOT NULL) STRICT;
    CREATE TABLE journal(
      sequence INTEGER PRIMARY KEY, ledger INTEGER NOT NULL, boot INTEGER NOT NULL, wall INTEGER NOT NULL,
      boot_id TEXT NOT NULL, records BLOB NOT NULL) STRICT;
    CREATE TABLE position(
      id INTEGER PRIMARY KEY CHECK(id = 1), epoch INTEGER NOT NULL, sequence INTEGER NOT NULL,
      ledger INTEGER, boot INTEGER, wall INTEGER, boot_id TEXT) STRICT;
    INSERT INTO position(id, epoch, sequence) VALUES(1, 0, 0);
    """,
    "CREATE TABLE fan_out(id INTEGER PRIMARY KEY, as_of INTEGER NOT NULL, value BLOB NOT NULL) STRICT",
    "CREATE TABLE trail(sequence INTEGER PRIMARY KEY, entries BLOB NOT NULL) STRICT",
  ]

  static var newest: Int { all.count }

  /// Brings the schema from `version` to the newest, in one transaction: all of it or nothing.
  static func run(on database: Database, from version: Int) throws(DatabaseError) {
    guard version < newest else { return }
    try database.transaction { () throws(DatabaseError) in
      for migration in all[version...] { try database.execute(migration) }
      try database.execute("PRAGMA user_version = \(newest); PRAGMA application_id = \(applicationID)")
    }
  }
}
