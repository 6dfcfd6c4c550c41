import Glibc
import TokenStore

@testable import TokenStoreSQLite

/// The same pattern as `StoreCrashWriter` writes: what a store holds can be told from its newest number.
enum SQLiteSample {
  static func clock(_ sequence: UInt64) -> StoredClock {
    StoredClock(ledger: Int64(sequence) * 10, boot: 1, wall: 2, bootID: "boot")
  }

  static func batch(_ sequence: UInt64, trimBelow: UInt64 = 0) -> StoreBatch {
    StoreBatch(
      sequence: sequence, clock: clock(sequence), records: Array("records of \(sequence)".utf8),
      rows: [
        StoredRow(table: .registration, id: sequence % 50, asOf: sequence, value: Array("row of \(sequence)".utf8))
      ],
      trimBelow: trimBelow)
  }
}

/// Everything that a store holds, copied.
struct SQLiteContents: Equatable {
  var rows: [StoredRow] = []
  var journal: [UInt64: String] = [:]
  var lastSequence: UInt64
  var lastClock: StoredClock?

  init(_ store: OpenedStore) throws {
    lastSequence = store.lastSequence
    lastClock = store.lastClock
    for table in StoredRow.Table.allCases {
      try store.forEachRow(of: table) { id, asOf, value in
        rows.append(StoredRow(table: table, id: id, asOf: asOf, value: Array(value)))
      }
    }
    var before: UInt64 = 0
    try store.forEachJournalEntry { sequence, _, records in
      guard sequence > before else { throw OutOfOrder(sequence: sequence, before: before) }
      before = sequence
      journal[sequence] = String(decoding: records, as: UTF8.self)
    }
  }

  struct OutOfOrder: Error { var sequence: UInt64, before: UInt64 }

  init(path: String) throws { try self.init(Self.openOnceFree(path)) }

  /// A program that another test starts has a copy of each descriptor, and so of the lock, until its `exec`. What was not
  /// let go of is never free.
  private static func openOnceFree(_ path: String) throws -> OpenedStore {
    for _ in 0..<1000 {
      do throws(StoreOpenError) {
        return try StoreOpener.open(path: path, durability: .full)
      } catch {
        guard case .inUse = error else { throw error }
        usleep(10_000)
      }
    }
    return try StoreOpener.open(path: path, durability: .full)
  }

  /// Whether this is exactly what the samples up to `lastSequence` leave behind: none missing, none in part.
  func isWholePrefix(keeping kept: UInt64 = .max) -> Bool {
    let first = lastSequence > kept ? lastSequence - kept : 1
    var expectedJournal: [UInt64: String] = [:]
    if lastSequence > 0 {
      for sequence in first...lastSequence { expectedJournal[sequence] = "records of \(sequence)" }
    }
    var expectedRows: [StoredRow] = []
    for id in UInt64(0)..<50 {
      let last = lastSequence / 50 * 50 + id
      let asOf = last > lastSequence ? last &- 50 : last
      guard asOf > 0, asOf <= lastSequence else { continue }
      expectedRows.append(
        StoredRow(table: .registration, id: id, asOf: asOf, value: Array("row of \(asOf)".utf8)))
    }
    let expectedClock = lastSequence == 0 ? nil : SQLiteSample.clock(lastSequence)
    return journal == expectedJournal && rows == expectedRows && lastClock == expectedClock
  }
}
