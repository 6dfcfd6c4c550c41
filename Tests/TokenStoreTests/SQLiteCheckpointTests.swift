import Testing
import TokenStore

@testable import TokenStoreSQLite

/// What this protects: commits do not stand still while the WAL is moved, and all of it is moved nevertheless.
@Suite("Checkpoints") struct SQLiteCheckpointTests {
  private let folder: SQLiteTemporaryFolder
  private let database: Database
  private let checkpointer: Checkpointer

  init() throws {
    folder = try SQLiteTemporaryFolder()
    database = try StoreOpener.open(path: folder.database, durability: .relaxed).database
    try database.execute("CREATE TABLE filling(bytes BLOB)")
    checkpointer = try Checkpointer(path: folder.database)
  }

  private func commit() throws {
    try database.execute("INSERT INTO filling VALUES(zeroblob(1000000))")
    checkpointer.note(pages: database.pagesInWAL)
  }

  @Test("Its thread moves the WAL by itself, and the next commit begins it anew", .timeLimit(.minutes(1)))
  func alone() throws {
    defer { checkpointer.end() }
    try commit()
    #expect(database.pagesInWAL > 200)
    #expect(folder.size(of: "gateway.sqlite") < 1_000_000)
    checkpointer.begin(pages: database.pagesInWAL)
    checkpointer.waitUntilIdle()
    #expect(checkpointer.isIdle)
    #expect(folder.size(of: "gateway.sqlite") > 1_000_000)
    try database.execute("DELETE FROM filling")
    #expect(database.pagesInWAL < 100)
  }

  @Test(
    "What is committed meanwhile is moved too, by it or who commits; nothing is lost", .timeLimit(.minutes(1)))
  func meanwhile() throws {
    defer { checkpointer.end() }
    try commit()
    checkpointer.begin(pages: database.pagesInWAL)
    for _ in 0..<10 { try commit() }
    checkpointer.waitUntilIdle()
    #expect(checkpointer.isIdle)
    let rest = try database.checkpoint(.passive)
    #expect(rest.moved == rest.pages)
    #expect(try database.integer("SELECT count(*) FROM filling") == 11)
    #expect(try database.text("PRAGMA integrity_check") == "ok")
  }

  @Test("A reader that holds pages back ends it, and it moves the rest when it is asked again", .timeLimit(.minutes(1)))
  func reader() throws {
    defer { checkpointer.end() }
    let reader = try Database(path: folder.database, for: .read)
    try reader.execute("BEGIN")
    #expect(try reader.integer("SELECT count(*) FROM filling") == 0)
    try commit()
    checkpointer.begin(pages: database.pagesInWAL)
    checkpointer.waitUntilIdle()
    #expect(checkpointer.isIdle)
    #expect(folder.size(of: "gateway.sqlite") < 1_000_000)
    try reader.execute("COMMIT")
    checkpointer.begin(pages: database.pagesInWAL)
    checkpointer.waitUntilIdle()
    #expect(checkpointer.isIdle)
    #expect(folder.size(of: "gateway.sqlite") > 1_000_000)
  }

  @Test("A checkpoint over a connection that has read nothing says so")
  func unread() throws {
    defer { checkpointer.end() }
    try commit()
    let unread = try Database(path: folder.database)
    #expect(throws: DatabaseError.self) { _ = try unread.checkpoint(.passive) }
  }
}
