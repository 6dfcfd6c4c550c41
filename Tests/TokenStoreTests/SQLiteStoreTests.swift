import Foundation
import Testing
import TokenStore

@testable import TokenStoreSQLite

/// Protects design §6: what was reported durable is there after a restart, in order, and nothing grows for ever.
@Suite("SQLite store") struct SQLiteStoreTests {
  private let folder: SQLiteTemporaryFolder
  private let recorder = SQLiteReplyRecorder()

  init() throws { folder = try SQLiteTemporaryFolder() }

  private func start(_ durability: StoreDurability = .full) throws -> StoreThread {
    let recorder = recorder
    return try StoreThread(running: StoreOpener.open(path: folder.database, durability: durability)) {
      recorder.record($0)
    }
  }

  @Test(
    "What was appended before a stop is there after it, whatever the durability",
    arguments: [StoreDurability.full, .relaxed])
  func reopening(durability: StoreDurability) throws {
    let store = try start(durability)
    for sequence in UInt64(1)...1000 { store.append(SQLiteSample.batch(sequence)) }
    #expect(store.stop() == .finished)
    #expect(store.pendingBytes == 0)
    #expect(recorder.lastDurable == 1000)
    let contents = try SQLiteContents(path: folder.database)
    #expect(contents.lastSequence == 1000)
    #expect(contents.isWholePrefix())
  }

  @Test("A stop leaves one database, no WAL, and nobody else may read them")
  func filesAfterStop() throws {
    let store = try start()
    store.append(SQLiteSample.batch(1))
    store.stop()
    #expect(try folder.names == ["gateway.sqlite", "gateway.sqlite-lock"])
    for name in try folder.names {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
    }
  }

  @Test("What was appended while a commit was under way is one transaction, and is reported once")
  func grouping() async throws {
    let store = try start()
    for sequence in UInt64(1)...5000 { store.append(SQLiteSample.batch(sequence)) }
    try await recorder.waitForDurable(5000)
    let reported = recorder.replies.compactMap(\.durableSequence)
    #expect(reported == reported.sorted())
    #expect(Set(reported).count == reported.count)
    #expect(reported.count < 2500)
    store.stop()
  }

  @Test("Rows are replaced and deleted, and each table keeps its own")
  func rows() throws {
    let store = try start()
    func row(_ table: StoredRow.Table, _ id: UInt64, _ asOf: UInt64, _ value: [UInt8]?) -> StoredRow {
      StoredRow(table: table, id: id, asOf: asOf, value: value)
    }
    let all = StoredRow.Table.allCases
    let clock = SQLiteSample.clock(1)
    store.append(StoreBatch(sequence: 1, clock: clock, rows: all.map { row($0, 7, 1, [$0.rawValue]) }))
    store.append(
      StoreBatch(
        sequence: 2, clock: clock,
        rows: [row(.device, 7, 2, nil), row(.audit, 7, 2, []), row(.setting, .max, 2, [9]), row(.device, 1, 2, nil)]))
    store.stop()
    let kept = try SQLiteContents(path: folder.database).rows
    var expected = all.filter { $0 != .device }.map {
      row($0, 7, $0 == .audit ? 2 : 1, $0 == .audit ? [] : [$0.rawValue])
    }
    // The largest ids are negative to SQLite, so they come first; none is lost.
    let first = try #require(expected.firstIndex { $0.table == .setting })
    expected.insert(row(.setting, .max, 2, [9]), at: first)
    #expect(kept == expected)
  }

  @Test("A trim takes the journal's rows below it and leaves the rest")
  func trimming() throws {
    let store = try start()
    for sequence in UInt64(1)...100 { store.append(SQLiteSample.batch(sequence)) }
    store.append(SQLiteSample.batch(101, trimBelow: 90))
    store.stop()
    let reopened = try StoreOpener.open(path: folder.database, durability: .full)
    #expect(try SQLiteContents(reopened).journal.keys.sorted() == Array(90...101))
    var rest: [UInt64] = []
    try reopened.forEachJournalEntry(after: 99) { sequence, _, _ in rest.append(sequence) }
    #expect(rest == [100, 101])
  }

  @Test("The trail comes back in order, loses what is trimmed, and is no part of the journal")
  func trail() throws {
    let store = try start()
    for sequence in UInt64(1)...100 {
      var batch = SQLiteSample.batch(sequence)
      if sequence % 2 == 0 { batch.trail = [UInt8(sequence)] }
      batch.trimTrailBelow = sequence > 90 ? 80 : 0
      store.append(batch)
    }
    store.stop()
    let reopened = try StoreOpener.open(path: folder.database, durability: .full)
    var kept: [UInt64: [UInt8]] = [:]
    var order: [UInt64] = []
    try reopened.forEachTrailRow { sequence, entries in
      kept[sequence] = entries
      order.append(sequence)
    }
    #expect(order == Array(stride(from: 80, through: 100, by: 2)))
    #expect(kept.allSatisfy { $0.value == [UInt8($0.key)] })
    #expect(try SQLiteContents(reopened).journal.count == 100)
  }

  @Test("Number and clock of the newest batch outlive a journal that was trimmed empty")
  func emptiedJournal() throws {
    let store = try start()
    for sequence in UInt64(1)...10 { store.append(SQLiteSample.batch(sequence)) }
    store.append(StoreBatch(sequence: 11, clock: SQLiteSample.clock(11), trimBelow: 12))
    store.stop()
    let contents = try SQLiteContents(path: folder.database)
    #expect(contents.journal.isEmpty)
    #expect(contents.lastSequence == 11)
    #expect(contents.lastClock == SQLiteSample.clock(11))
  }

  @Test("A batch that is trimmed in its own transaction still moves number and clock on")
  func trimmedAtOnce() throws {
    let store = try start()
    var batch = SQLiteSample.batch(1)
    batch.trimBelow = 2
    store.append(batch)
    store.stop()
    let contents = try SQLiteContents(path: folder.database)
    #expect(contents.journal.isEmpty)
    #expect(contents.lastSequence == 1)
    #expect(contents.lastClock == SQLiteSample.clock(1))
  }

  @Test("Every start begins a new epoch, and one never comes twice")
  func epochs() throws {
    var seen: [UInt64] = []
    for _ in 1...3 { seen.append(try StoreOpener.open(path: folder.database, durability: .relaxed).beginEpoch()) }
    #expect(seen == [1, 2, 3])
    let store = try StoreOpener.open(path: folder.database, durability: .full)
    #expect(try store.beginEpoch(atLeast: 100) == 100)
    #expect(try store.beginEpoch(atLeast: 50) == 101)
  }

  @Test("A new store holds nothing and says so")
  func newStore() throws {
    let contents = try SQLiteContents(path: folder.database)
    #expect(contents.lastSequence == 0)
    #expect(contents.lastClock == nil)
    #expect(contents.rows.isEmpty)
    #expect(contents.journal.isEmpty)
  }

  @Test("Records of any size come back byte for byte", arguments: [1, 100, 4096, 70_000, 5_000_000])
  func sizes(count: Int) throws {
    let records = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let store = try start(.relaxed)
    store.append(StoreBatch(sequence: 1, clock: SQLiteSample.clock(1), records: records))
    store.stop()
    var read: [UInt8] = []
    try StoreOpener.open(path: folder.database, durability: .full).forEachJournalEntry { read = Array($2) }
    #expect(read == records)
  }

  @Test("WAL and database stay bounded however many batches pass through a trimmed journal")
  func boundedFiles() async throws {
    let store = try start(.relaxed)
    let records = [UInt8](repeating: 7, count: 20_000)
    var largestWAL = 0
    for sequence in UInt64(1)...4000 {
      let clock = SQLiteSample.clock(sequence)
      let row = StoredRow(table: .registration, id: sequence % 500, asOf: sequence, value: [1, 2, 3])
      store.append(
        StoreBatch(
          sequence: sequence, clock: clock, records: records, rows: [row],
          trimBelow: sequence > 100 ? sequence - 100 : 0))
      if sequence.isMultiple(of: 20) {
        try await recorder.waitForDurable(sequence)
        largestWAL = max(largestWAL, folder.size(of: "gateway.sqlite-wal"))
      }
    }
    // 80 MB of records went through. A checkpoint is due at 4 MiB, and one group of 20 batches may overshoot it.
    #expect(largestWAL > 0)
    #expect(largestWAL < 8_000_000)
    store.stop()
    #expect(folder.size(of: "gateway.sqlite") < 8_000_000)
  }
}
