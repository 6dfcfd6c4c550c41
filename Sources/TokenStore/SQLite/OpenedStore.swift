package import TokenStore

/// A store that is open and not yet running: what it holds can be read, and the next epoch begun. Then it is sent to
/// a `StoreThread`, and nobody else reaches it any more.
///
/// Letting go of it closes the database and frees the lock.
package final class OpenedStore {
  let database: Database
  let durability: StoreDurability
  package let origin: StoreOrigin
  private let position: StorePosition

  init(_ database: Database, at position: StorePosition, durability: StoreDurability, origin: StoreOrigin) {
    self.database = database
    self.position = position
    self.durability = durability
    self.origin = origin
  }

  /// The number of the last batch that was committed, 0 in a new store. The next batch is this one's successor.
  package var lastSequence: UInt64 { position.sequence }

  /// The clocks at the last commit; nil in a new store.
  package var lastClock: StoredClock? { position.clock }

  /// Begins the epoch of this start: one above the last, and at least `floor`. It is on the disk when this returns,
  /// also with relaxed durability, since an epoch that is given out twice would make devices drop what is new.
  package func beginEpoch(atLeast floor: UInt64 = 1) throws(DatabaseError) -> UInt64 {
    let last = try database.integer("SELECT epoch FROM position") ?? 0
    let epoch = max(UInt64(bitPattern: last) &+ 1, floor)
    let update = try Statement("UPDATE position SET epoch = ?", on: database)
    try update.bind(epoch, at: 1)
    try database.transaction { () throws(DatabaseError) in try update.run() }
    return epoch
  }

  package func rowCount(of table: StoredRow.Table) throws(DatabaseError) -> Int {
    Int(try database.integer("SELECT count(*) FROM \(table.name)") ?? 0)
  }

  /// Every row of a table, by ascending id.
  /// - Parameter body: gets the row's id, its `asOf` and its value; the bytes are valid only inside the call.
  package func forEachRow(
    of table: StoredRow.Table, _ body: (_ id: UInt64, _ asOf: UInt64, _ value: UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let rows = try Statement("SELECT id, as_of, value FROM \(table.name) ORDER BY id", on: database)
    while try rows.step() { try body(rows.unsigned(0), rows.count(1, of: "as_of"), rows.blob(2)) }
  }

  /// Every row of the trail, in the order of the batches that they came with.
  package func forEachTrailRow(_ body: (_ sequence: UInt64, _ entries: [UInt8]) throws -> Void) throws {
    let rows = try Statement("SELECT sequence, entries FROM trail ORDER BY sequence", on: database)
    while try rows.step() { try body(rows.unsigned(0), Array(rows.blob(1))) }
  }

  /// Every journal row above `sequence`, in order.
  /// - Parameter body: gets the batch's number, its clocks and its records; the bytes are valid only inside the call.
  package func forEachJournalEntry(
    after sequence: UInt64 = 0,
    _ body: (_ sequence: UInt64, _ clock: StoredClock, _ records: UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let entries = try Statement(
      "SELECT sequence, ledger, boot, wall, boot_id, records FROM journal WHERE sequence > ? ORDER BY sequence",
      on: database)
    try entries.bind(sequence, at: 1)
    while try entries.step() {
      try body(entries.unsigned(0), try StorePosition.clock(entries, from: 1), entries.blob(5))
    }
  }
}
