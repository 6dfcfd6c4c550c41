import TokenStore

/// Writes batches: any number of them as one transaction. Lives on the store thread.
final class StoreWriter {
  /// Pages after which the WAL is moved into the database: 4 MiB of 4 KiB pages.
  static let checkpointPages = 1000
  /// Pages that may be committed while that is under way.
  private static let overrunPages = 500

  private let store: OpenedStore
  private var database: Database { store.database }
  var path: String { database.path }
  private let begin: Statement
  private let commit: Statement
  private let insert: Statement
  private let trim: Statement
  private let moveOn: Statement
  private let addTrail: Statement
  private let trimTrail: Statement
  /// By table.
  private let upsert: [Statement]
  private let delete: [Statement]
  /// Journal rows below this are gone.
  private var trimmedBelow: UInt64 = 0
  /// As `trimmedBelow`, of the trail.
  private var trailTrimmedBelow: UInt64 = 0
  private let checkpointer: Checkpointer
  /// How many pages the WAL had when it was ordered to be moved; nil while it is not.
  private var orderedAt: Int?
  private var nextCheckpoint = StoreWriter.checkpointPages
  /// The last checkpoint found no room for the database to grow.
  private var lacksRoom = false

  init(_ store: OpenedStore, checkpointer: Checkpointer) throws(DatabaseError) {
    let database = store.database
    func prepare(_ sql: String) throws(DatabaseError) -> Statement { try Statement(sql, on: database) }
    self.store = store
    self.checkpointer = checkpointer
    begin = try prepare("BEGIN IMMEDIATE")
    commit = try prepare("COMMIT")
    insert = try prepare(
      "INSERT INTO journal(sequence, ledger, boot, wall, boot_id, records) VALUES(?, ?, ?, ?, ?, ?)")
    trim = try prepare("DELETE FROM journal WHERE sequence < ?")
    moveOn = try prepare("UPDATE position SET sequence = ?, ledger = ?, boot = ?, wall = ?, boot_id = ?")
    // Explanations never hold up a commit, whatever an odd store may hold already.
    addTrail = try prepare("INSERT OR REPLACE INTO trail(sequence, entries) VALUES(?, ?)")
    trimTrail = try prepare("DELETE FROM trail WHERE sequence < ?")
    var upsert: [Statement] = []
    var delete: [Statement] = []
    for table in StoredRow.Table.allCases {
      upsert.append(try prepare("INSERT OR REPLACE INTO \(table.name)(id, as_of, value) VALUES(?, ?, ?)"))
      delete.append(try prepare("DELETE FROM \(table.name) WHERE id = ?"))
    }
    self.upsert = upsert
    self.delete = delete
    if store.durability == .relaxed { try database.execute("PRAGMA synchronous = NORMAL") }
  }

  /// All of `batches`, in their order, or nothing.
  func write(_ batches: ArraySlice<StoreBatch>) throws(DatabaseError) {
    guard let newest = batches.last else { return }
    guard !database.hasMoved else { throw Self.moved(database.path) }
    if lacksRoom { try moveRest() }
    let trimBelow = batches.reduce(trimmedBelow) { max($0, $1.trimBelow) }
    let trimTrailBelow = batches.reduce(trailTrimmedBelow) { max($0, $1.trimTrailBelow) }
    do throws(DatabaseError) {
      try begin.run()
      // Trimming first lets the new rows take the pages of the old ones, also on a full disk.
      if trimBelow > trimmedBelow {
        try trim.bind(trimBelow, at: 1)
        try trim.run()
      }
      if trimTrailBelow > trailTrimmedBelow {
        try trimTrail.bind(trimTrailBelow, at: 1)
        try trimTrail.run()
      }
      for batch in batches {
        if !batch.trail.isEmpty, batch.sequence >= trimTrailBelow {
          try addTrail.bind(batch.sequence, at: 1)
          try addTrail.run(blob: batch.trail, at: 2)
        }
        if hasJournalRow(batch, trimBelow: trimBelow) { try insertJournalRow(batch) }
        for row in batch.rows { try write(row) }
      }
      if !hasJournalRow(newest, trimBelow: trimBelow) { try moveOn(to: newest) }
      try commit.run()
    } catch {
      database.rollBack()
      throw error
    }
    trimmedBelow = trimBelow
    trailTrimmedBelow = trimTrailBelow
  }

  /// Has the WAL's pages moved once there are enough, and moves what that leaves. Called after the answers have gone out.
  /// What fails here is tried again later and loses nothing: the WAL holds it.
  func checkpointIfDue() {
    let pages = database.pagesInWAL
    guard let orderedAt else {
      guard pages >= nextCheckpoint else { return }
      checkpointer.begin(pages: pages)
      self.orderedAt = pages
      return
    }
    checkpointer.note(pages: pages)
    // Commits that outrun the disk wait for it, so that the WAL does not grow for ever.
    if pages >= orderedAt + Self.overrunPages { checkpointer.waitUntilIdle() }
    guard checkpointer.isIdle else { return }
    // Fewer pages than there were: all had been moved before a commit, which has begun the WAL anew.
    if pages >= orderedAt { try? moveRest() }
    // Another program's long read may hold pages back; then this asks again after as many more, not every time.
    nextCheckpoint = database.pagesInWAL + Self.checkpointPages
    self.orderedAt = nil
  }

  /// While the database finds no room to grow, the WAL takes none either: what it took of the room that there is one day
  /// would be missing then, and the disk would be full for good. So nothing is committed before this succeeds.
  private func moveRest() throws(DatabaseError) {
    do throws(DatabaseError) {
      _ = try database.checkpoint(.passive)
      lacksRoom = false
    } catch {
      lacksRoom = error.code.primary == .full
      throw error
    }
  }

  /// Leaves an empty WAL behind, if the disk allows it. Nothing is written afterwards.
  func end(emptyingWAL: Bool) {
    checkpointer.end()
    if emptyingWAL { _ = try? database.checkpoint(.truncating) }
  }

  /// The most pages that the file may have; for tests of a full disk.
  func limitPages(to count: Int) throws(DatabaseError) { try database.execute("PRAGMA max_page_count = \(count)") }

  private func hasJournalRow(_ batch: StoreBatch, trimBelow: UInt64) -> Bool {
    !batch.records.isEmpty && batch.sequence >= trimBelow
  }

  private func insertJournalRow(_ batch: StoreBatch) throws(DatabaseError) {
    try insert.bind(batch.sequence, at: 1)
    try bind(batch.clock, to: insert, from: 2)
    try insert.run(blob: batch.records, at: 6)
  }

  private func moveOn(to batch: StoreBatch) throws(DatabaseError) {
    try moveOn.bind(batch.sequence, at: 1)
    try bind(batch.clock, to: moveOn, from: 2)
    try moveOn.run()
  }

  private func bind(_ clock: StoredClock, to statement: Statement, from index: Int32) throws(DatabaseError) {
    try statement.bind(clock.ledger, at: index)
    try statement.bind(clock.boot, at: index + 1)
    try statement.bind(clock.wall, at: index + 2)
    try statement.bind(clock.bootID, at: index + 3)
  }

  private func write(_ row: StoredRow) throws(DatabaseError) {
    let table = Int(row.table.rawValue)
    if let value = row.value {
      try upsert[table].bind(row.id, at: 1)
      try upsert[table].bind(row.asOf, at: 2)
      try upsert[table].run(blob: value, at: 3)
    } else {
      try delete[table].bind(row.id, at: 1)
      try delete[table].run()
    }
  }

  private static func moved(_ path: String) -> DatabaseError {
    DatabaseError(
      path: path, code: .readOnlyMoved,
      message: "the file was removed or replaced while gatewayd was running")
  }
}
