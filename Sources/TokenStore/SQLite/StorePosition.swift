import TokenStore

/// Where the last committed batch left the store: what the next start continues from.
///
/// The clock of the newest batch stands in its journal row. The `position` table holds it only for a newest batch
/// that has no such row (no records, or trimmed at once), so that the common commit touches one table less.
struct StorePosition {
  var epoch: UInt64
  var sequence: UInt64
  var clock: StoredClock?

  init(readFrom database: Database) throws(DatabaseError) {
    // A connection that only reads knows no CHECK, and would find nothing wrong with a row under another id.
    let own = try Statement(
      "SELECT epoch, sequence, ledger, boot, wall, boot_id FROM position WHERE id = 1", on: database)
    guard try own.step() else {
      throw DatabaseError(path: database.path, code: .corrupt, message: "the table position has no row 1")
    }
    epoch = try own.count(0, of: "epoch")
    sequence = try own.count(1, of: "sequence")
    clock = sequence == 0 ? nil : try Self.clock(own, from: 2)
    let newest = try Statement(
      "SELECT sequence, ledger, boot, wall, boot_id FROM journal ORDER BY sequence DESC LIMIT 1", on: database)
    if try newest.step() {
      let position = try newest.count(0, of: "sequence")
      guard position > sequence else { return }
      sequence = position
      clock = try Self.clock(newest, from: 1)
    }
  }

  static func clock(_ row: Statement, from column: Int32) throws(DatabaseError) -> StoredClock {
    StoredClock(
      ledger: try row.time(column, of: "ledger"), boot: try row.time(column + 1, of: "boot"),
      wall: try row.time(column + 2, of: "wall"), bootID: row.text(column + 3))
  }
}
