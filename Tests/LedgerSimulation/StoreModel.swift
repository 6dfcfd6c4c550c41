package import BudgetThrottle
package import GatewayCore
package import TokenStore

/// A store as the simplest thing that could be one: tables as dictionaries, the journal as a list.
package struct StoreModel {
  package private(set) var rows: [StoredRow.Table: [UInt64: StoredRow]] = [:]
  package private(set) var journal: [(sequence: UInt64, records: [UInt8])] = []
  package private(set) var trail: [(sequence: UInt64, entries: [UInt8])] = []
  package private(set) var sequence: UInt64 = 0
  /// The clocks at the last commit.
  package private(set) var clock: StoredClock?

  package init() {}

  package var journalBytes: Int { journal.reduce(0) { $0 + $1.records.count } }

  package mutating func commit(_ batch: StoreBatch) {
    sequence = batch.sequence
    clock = batch.clock
    if !batch.records.isEmpty { journal.append((batch.sequence, batch.records)) }
    for row in batch.rows { rows[row.table, default: [:]][row.id] = row.value == nil ? nil : row }
    journal.removeAll { $0.sequence < batch.trimBelow }
    if !batch.trail.isEmpty { trail.append((batch.sequence, batch.trail)) }
    trail.removeAll { $0.sequence < batch.trimTrailBelow }
  }

  /// Reads everything back into a ledger of a later start.
  package func restored(
    rules: LedgerRules, epoch: UInt64, at now: LedgerTime, journalTarget: Int = BatchBuilder.journalTarget
  ) throws -> Ledger {
    let ledger = Ledger(rules: rules, epoch: epoch, following: sequence, journalTarget: journalTarget)
    var restore = Ledger.Restore(into: ledger)
    for table in Ledger.restoreOrder {
      for (id, row) in (rows[table] ?? [:]).sorted(by: { $0.key < $1.key }) {
        try (row.value ?? []).withUnsafeBytes { try restore.row(table, id: id, asOf: row.asOf, $0) }
      }
    }
    for entry in journal {
      try entry.records.withUnsafeBytes { try restore.journal(sequence: entry.sequence, $0) }
    }
    for row in trail where !restore.trail(position: row.sequence, row.entries) {
      throw UnreadableTrail()
    }
    restore.finish(at: now)
    return ledger
  }
}

/// The trail that a ledger wrote does not read back.
package struct UnreadableTrail: Error {}
