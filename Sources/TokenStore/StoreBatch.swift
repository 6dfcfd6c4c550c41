/// What one commit writes, all of it or nothing.
///
/// The store knows no ledger: journal records and rows are bytes to it, and only the ledger's codec reads them.
package struct StoreBatch: Sendable {
  /// Journal position; each batch's is one above the last, over restarts too.
  package var sequence: UInt64
  package var clock: StoredClock
  /// The journal's records of this batch, one after another; empty means that no journal row is written.
  package var records: [UInt8]
  /// Rows written from memory: the fuzzy checkpoint and everything that is not journaled. They hold all that
  /// happened up to and including `sequence`.
  package var rows: [StoredRow]
  /// Journal rows below this position are covered by rows and go.
  package var trimBelow: UInt64
  /// What was decided in this batch, for those who ask why: written beside the journal, read at a start, and no part
  /// of any state. Empty means that no row is written.
  package var trail: [UInt8] = []
  /// Rows of the trail below this position are past their time and go.
  package var trimTrailBelow: UInt64 = 0

  package init(
    sequence: UInt64, clock: StoredClock, records: [UInt8] = [], rows: [StoredRow] = [], trimBelow: UInt64 = 0
  ) {
    self.sequence = sequence
    self.clock = clock
    self.records = records
    self.rows = rows
    self.trimBelow = trimBelow
  }
}

/// The three clocks at the moment of a commit, from which the next start continues ledger time.
package struct StoredClock: Sendable, Equatable {
  /// Ledger time, milliseconds.
  package var ledger: Int64
  /// `CLOCK_BOOTTIME`, milliseconds; means something only within `bootID`.
  package var boot: Int64
  /// Wall clock, milliseconds since 1970.
  package var wall: Int64
  /// `/proc/sys/kernel/random/boot_id`.
  package var bootID: String

  package init(ledger: Int64, boot: Int64, wall: Int64, bootID: String) {
    self.ledger = ledger
    self.boot = boot
    self.wall = wall
    self.bootID = bootID
  }
}

/// One row of one of the store's tables.
package struct StoredRow: Sendable, Equatable {
  package enum Table: UInt8, CaseIterable, Sendable {
    case device, registration, retiredToken, developerMode, audit, setting, fanOut
  }

  package var table: Table
  /// Primary key within the table.
  package var id: UInt64
  /// The journal position whose effects this row already holds; replay skips records up to it.
  package var asOf: UInt64
  /// nil deletes the row.
  package var value: [UInt8]?

  package init(table: Table, id: UInt64, asOf: UInt64, value: [UInt8]?) {
    self.table = table
    self.id = id
    self.asOf = asOf
    self.value = value
  }
}
