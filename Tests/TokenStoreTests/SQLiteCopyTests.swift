import Foundation
import Testing
import TokenStore

@testable import TokenStoreSQLite

/// Protects backups: a copy is whole and of one moment, holds up no commit, leaves nothing behind, and comes back without
/// mixing with what it replaces.
@Suite("Copies of a store") struct SQLiteCopyTests {
  private let folder: SQLiteTemporaryFolder
  private let recorder = SQLiteReplyRecorder()

  init() throws { folder = try SQLiteTemporaryFolder() }

  private func start() throws -> StoreThread {
    let recorder = recorder
    return try StoreThread(running: StoreOpener.open(path: folder.database, durability: .full)) { recorder.record($0) }
  }

  private func save(_ copy: (descriptor: Int32, bytes: Int)) throws -> String {
    let handle = FileHandle(fileDescriptor: copy.descriptor, closeOnDealloc: true)
    let data = handle.readDataToEndOfFile()
    #expect(data.count == copy.bytes)
    let path = folder.path + "/copy.sqlite"
    try data.write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test("A copy made under load is a whole prefix of what was committed, and needs no file beside it") func underLoad()
    async throws
  {
    let store = try start()
    for sequence in UInt64(1)...300 { store.append(SQLiteSample.batch(sequence)) }
    try await recorder.waitForDurable(300)
    let writing = Task.detached {
      for sequence in UInt64(301)...3000 { store.append(SQLiteSample.batch(sequence)) }
    }
    let path = try save(StoreCopy.make(of: folder.database) { false })
    await writing.value
    try await recorder.waitForDurable(3000)
    store.stop()
    let inspection = try StoreInspection(path: path)
    #expect(inspection.findings() == [])
    #expect(inspection.schema == StoreInspection.newestSchema)
    #expect(inspection.lastSequence >= 300 && inspection.lastSequence <= 3000)
    #expect(try SQLiteContents(try #require(inspection.contents)).isWholePrefix())
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(Set(names) == ["copy.sqlite", "gateway.sqlite", "gateway.sqlite-lock"])
  }

  @Test("A copy that is given up leaves nothing") func cancelled() throws {
    let store = try start()
    for sequence in UInt64(1)...200 {
      var batch = SQLiteSample.batch(sequence)
      batch.records += [UInt8](repeating: 7, count: 60_000)
      store.append(batch)
    }
    store.stop()
    #expect(throws: StoreCopy.Failure.cancelled) { try StoreCopy.make(of: folder.database) { true } }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { !$0.contains("copying") })
  }

  @Test("A copy leaves alone what an operator has put beside the store") func ownCopy() throws {
    try start().stop()
    let own = Data("mine".utf8)
    for suffix in ["-backup", "-backup-wal"] {
      try own.write(to: URL(fileURLWithPath: folder.database + suffix))
    }
    _ = try save(StoreCopy.make(of: folder.database) { false })
    for suffix in ["-backup", "-backup-wal"] {
      #expect(FileManager.default.contents(atPath: folder.database + suffix) == own)
    }
  }

  @Test("A file system that says it has no end has room") func endless() {
    #expect(StoreCopy.bytes(.max, each: 4096) == .max)
    #expect(StoreCopy.bytes(3, each: 4096) == 12_288)
  }

  @Test("A restore replaces the database, keeps the old one with its WAL, and mixes nothing of them") func restored()
    async throws
  {
    let first = try start()
    for sequence in UInt64(1)...100 { first.append(SQLiteSample.batch(sequence)) }
    try await recorder.waitForDurable(100)
    let backup = try save(StoreCopy.make(of: folder.database) { false })
    for sequence in UInt64(101)...150 { first.append(SQLiteSample.batch(sequence)) }
    try await recorder.waitForDurable(150)
    #expect(throws: (any Error).self, "while it runs") { try StoreReplacement.replace(folder.database, with: backup) }
    // As a crash leaves it: what is newest is in the WAL only.
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: folder.database + suffix, toPath: folder.path + "/crashed" + suffix)
    }
    first.stop()
    let crashed = folder.path + "/crashed"
    #expect(try StoreReplacement.replace(crashed, with: backup) == crashed + "-replaced")
    #expect(try SQLiteContents(path: crashed).lastSequence == 100)
    #expect(try SQLiteContents(path: crashed).isWholePrefix())
    #expect(try SQLiteContents(path: crashed + "-replaced").lastSequence == 150)
    let mode = try #require(
      FileManager.default.attributesOfItem(atPath: crashed)[.posixPermissions] as? Int)
    #expect(mode == 0o600)
    // A second thought keeps what the first one has replaced.
    #expect(try StoreReplacement.replace(crashed, with: backup) == crashed + "-replaced-2")
    #expect(try SQLiteContents(path: crashed + "-replaced").lastSequence == 150)
    #expect(try SQLiteContents(path: crashed + "-replaced-2").lastSequence == 100)
  }

  @Test("A restore that fails half-way puts everything back") func failed() throws {
    // The new name of the journal is longer than a name may be, and that of the WAL, which goes first, is not.
    let database = folder.path + "/" + String(repeating: "d", count: 241)
    let parts = ["", "-wal", "-journal"]
    for part in parts { try Data(part.utf8).write(to: URL(fileURLWithPath: database + part)) }
    let backup = folder.path + "/backup"
    try Data("new".utf8).write(to: URL(fileURLWithPath: backup))
    let before = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    let cause = String(cString: strerror(ENAMETOOLONG))
    #expect(throws: StoreReplacement.Failure.system(path: database + "-journal", cause: cause)) {
      try StoreReplacement.replace(database, with: backup)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == before)
    for part in parts { #expect(FileManager.default.contents(atPath: database + part) == Data(part.utf8)) }
  }

  @Test("A restore to where nothing was makes the database") func restoredAnew() async throws {
    let store = try start()
    store.append(SQLiteSample.batch(1))
    try await recorder.waitForDurable(1)
    let backup = try save(StoreCopy.make(of: folder.database) { false })
    store.stop()
    #expect(try StoreReplacement.replace(folder.path + "/new.sqlite", with: backup) == nil)
    #expect(try SQLiteContents(path: folder.path + "/new.sqlite").lastSequence == 1)
  }

  @Test("A look at what is no store says so and makes nothing") func foreign() throws {
    #expect(throws: StoreOpenError.missing(path: folder.path + "/no")) {
      try StoreInspection(path: folder.path + "/no")
    }
    let text = folder.path + "/text"
    try Data(String(repeating: "no database ", count: 100).utf8).write(to: URL(fileURLWithPath: text))
    #expect(throws: StoreOpenError.notADatabase(path: text)) { try StoreInspection(path: text) }
    let empty = folder.path + "/empty"
    try Data().write(to: URL(fileURLWithPath: empty))
    #expect(throws: StoreOpenError.foreign(path: empty)) { try StoreInspection(path: empty) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["empty", "text"])
  }
}
