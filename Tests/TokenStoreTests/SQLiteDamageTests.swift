import Foundation
import Synchronization
import Testing
import TokenStore

@testable import TokenStoreSQLite

/// Protects a promise of design §7: a broken database is found, said, and never served over, not even when what breaks
/// it has passed.
@Suite("A store whose file is damaged") struct SQLiteDamageTests {
  private let folder: SQLiteTemporaryFolder
  private let recorder = SQLiteReplyRecorder()

  init() throws { folder = try SQLiteTemporaryFolder() }

  private func start() throws -> StoreThread {
    let recorder = recorder
    return try StoreThread(
      running: StoreOpener.open(path: folder.database, durability: .full),
      retry: RetryDelay(first: .milliseconds(1), longest: .milliseconds(20))
    ) { recorder.record($0) }
  }

  private var damages: [String] {
    recorder.replies.compactMap { if case .damaged(let cause) = $0 { cause } else { nil } }
  }

  /// Enough rows that a table has inner pages, and all of it in the database file.
  private func fill() throws {
    let store = try start()
    for sequence in UInt64(1)...400 {
      var batch = SQLiteSample.batch(sequence)
      batch.records += [UInt8](repeating: 3, count: 3000)
      store.append(batch)
    }
    store.stop()
  }

  /// Overwrites every page but the first few, which a start reads.
  private func breakPages(from first: Int, to last: Int? = nil) throws {
    let handle = try #require(FileHandle(forUpdatingAtPath: folder.database))
    let size = Int(try handle.seekToEnd())
    for page in first..<(last ?? size / 4096) {
      try handle.seek(toOffset: UInt64(page * 4096))
      handle.write(Data(repeating: 0xA5, count: 4096))
    }
    try handle.close()
  }

  @Test("Damage that a commit meets ends all commits, for good, and the next start looks at the whole file")
  func whileRunning() async throws {
    try fill()
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder.database))
    let store = try start()
    try breakPages(from: 8)
    // Trims the journal, which has to read what it frees.
    store.append(SQLiteSample.batch(401, trimBelow: 390))
    try await recorder.wait { $0.contains { if case .damaged = $0 { true } else { false } } }
    #expect(damages.count == 1)
    #expect(damages.first?.contains("restore a backup") == true)
    // The file is whole again, as far as pages go: it makes no difference any more.
    try whole.write(to: URL(fileURLWithPath: folder.database))
    store.append(SQLiteSample.batch(402))
    #expect(store.stop(giveUpAfter: .seconds(5)) == .gaveUp(undurable: 2))
    #expect(recorder.lastDurable == 400)
    let mark = folder.database + "-damaged"
    #expect(try String(contentsOfFile: mark, encoding: .utf8).contains("restore a backup"))
  }

  @Test("Damage that another reader met ends all commits as well, also while nothing is to be committed")
  func metByAnother() async throws {
    let store = try start()
    store.append(SQLiteSample.batch(1))
    try await recorder.wait { $0.contains(.durable(sequence: 1)) }
    store.report(damage: "a page holds what nobody wrote")
    store.report(damage: "another one too")
    try await recorder.wait { $0.contains { if case .damaged = $0 { true } else { false } } }
    store.append(SQLiteSample.batch(2))
    #expect(store.stop(giveUpAfter: .seconds(5)) == .gaveUp(undurable: 1))
    #expect(damages == ["a page holds what nobody wrote"])
    #expect(try String(contentsOfFile: folder.database + "-damaged", encoding: .utf8) == damages[0] + "\n")
  }

  @Test("A start after damage refuses a broken file, and takes a whole one and forgets") func nextStart() throws {
    try fill()
    let mark = folder.database + "-damaged"
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder.database))
    // A page in the midst of the journal, which opening does not read.
    try breakPages(from: 200, to: 201)
    _ = try StoreOpener.open(path: folder.database, durability: .full, checkingPagesUpTo: 0)
    try Data("damaged\n".utf8).write(to: URL(fileURLWithPath: mark))
    do {
      _ = try StoreOpener.open(path: folder.database, durability: .full)
      Issue.record("It opened.")
    } catch {
      #expect("\(error)".contains("is damaged (") && "\(error)".contains("gatewayd restore"))
    }
    #expect(FileManager.default.fileExists(atPath: mark))
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder.database + suffix) }
    try whole.write(to: URL(fileURLWithPath: folder.database))
    _ = try StoreOpener.open(path: folder.database, durability: .full)
    #expect(!FileManager.default.fileExists(atPath: mark))
  }

  @Test(
    "A number that cannot be reckoned with is damage, to a start and to an inspection alike",
    arguments: [
      "UPDATE position SET sequence = -1", "UPDATE position SET sequence = \(Int64.max)",
      "UPDATE position SET epoch = -1", "UPDATE position SET epoch = \(Int64.max)",
      "PRAGMA ignore_check_constraints = ON; UPDATE position SET id = 2",
      "UPDATE journal SET ledger = \(Int64.max) WHERE sequence = 400",
      "UPDATE journal SET ledger = \(Int64.min) WHERE sequence = 400",
      "UPDATE journal SET boot = \(Int64.min) WHERE sequence = 400",
      "UPDATE journal SET wall = \(Int64.min) WHERE sequence = 400",
      "UPDATE journal SET sequence = \(Int64.max) WHERE sequence = 400",
    ])
  func outOfRange(sql: String) throws {
    try fill()
    try Database(path: folder.database).execute(sql)
    func isDamaged(_ error: StoreOpenError?) -> Bool { if case .damaged = error { true } else { false } }
    let opening = #expect(throws: StoreOpenError.self) {
      _ = try StoreOpener.open(path: folder.database, durability: .full)
    }
    let inspection = #expect(throws: StoreOpenError.self) { _ = try StoreInspection(path: folder.database) }
    #expect(isDamaged(opening) && isDamaged(inspection))
  }

  @Test("A row that holds more than the journal can is damage") func rowOfNoPosition() throws {
    try fill()
    try Database(path: folder.database).execute("UPDATE registration SET as_of = -1 WHERE id = 7")
    let store = try StoreOpener.open(path: folder.database, durability: .full)
    let error = #expect(throws: DatabaseError.self) { try store.forEachRow(of: .registration) { _, _, _ in } }
    #expect(error?.code.isDamage == true)
  }

  @Test(
    "A start of a small store refuses what SQLite finds in its pages, and one of a large store leaves it to the check",
    arguments: [
      "INSERT INTO trail(sequence, entries) VALUES(1, NULL)",
      "UPDATE journal SET boot_id = 5 WHERE sequence = 399",
    ])
  func pagesAtStart(sql: String) throws {
    try fill()
    do {
      let database = try Database(path: folder.database)
      // The tables' own rules would refuse what is to be written.
      try database.execute("PRAGMA writable_schema = ON")
      try database.execute(
        "UPDATE sqlite_schema SET sql = replace(replace(sql, ' NOT NULL', ''), 'STRICT', '') "
          + "WHERE name IN ('trail', 'journal')")
    }
    do { try Database(path: folder.database).execute(sql.replacing("= 5", with: "= x'05'")) }
    do {
      let database = try Database(path: folder.database)
      try database.execute("PRAGMA writable_schema = ON")
      for (name, migration) in [("trail", Migrations.all[2]), ("journal", Migrations.all[0])] {
        let start = try #require(migration.range(of: "CREATE TABLE \(name)("))
        let end = try #require(migration.range(of: "STRICT", range: start.lowerBound..<migration.endIndex))
        try database.execute(
          "UPDATE sqlite_schema SET sql = '\(migration[start.lowerBound..<end.upperBound])' WHERE name = '\(name)'")
      }
    }
    let error = #expect(throws: StoreOpenError.self) {
      _ = try StoreOpener.open(path: folder.database, durability: .full)
    }
    #expect(error.map { if case .damaged = $0 { true } else { false } } == true)
    _ = try StoreOpener.open(path: folder.database, durability: .full, checkingPagesUpTo: 4096)
  }

  @Test("An inspection names what is broken") func inspection() throws {
    try fill()
    #expect(try StoreInspection(path: folder.database).findings() == [])
    try breakPages(from: 200, to: 202)
    let findings = try StoreInspection(path: folder.database).findings()
    #expect(!findings.isEmpty)
    #expect(findings.allSatisfy { !$0.isEmpty })
  }

  @Test("A thread that is held up says for how long, and one that waits for work says nothing") func busyTime()
    async throws
  {
    let gate = Gate()
    let store = try StoreThread(running: StoreOpener.open(path: folder.database, durability: .full)) { _ in gate.pass()
    }
    #expect(store.busyTime == .zero)
    store.append(SQLiteSample.batch(1))
    while store.busyTime < .milliseconds(5) { await Task.yield() }
    gate.open()
    while store.busyTime != .zero { await Task.yield() }
    store.stop()
  }

  /// Holds the store thread up where it replies.
  private final class Gate: Sendable {
    private let isOpen = Atomic(false)

    func open() { isOpen.store(true, ordering: .relaxed) }
    func pass() { while !isOpen.load(ordering: .relaxed) { usleep(200) } }
  }
}
